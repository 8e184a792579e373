//! LENS' own CSV: `timestamp,rtt` from ping, and `timestamp,rtt,uplink,downlink` from IRTT.
//!
//! -1 stands for a loss: in `rtt` nobody knows where, in `uplink` or `downlink` on that way. The other
//! columns of such a row are 0.

use super::{Fate, Probe, WANTED, milliseconds, moment};
use crate::recording::Fault;
use crate::recording::fault::clip;

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Probe>, Fault> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let header = reader.byte_headers().map_err(|wrong| unreadable(&wrong))?;
    let names: Vec<String> = header
        .iter()
        .map(|name| String::from_utf8_lossy(name).trim().to_owned())
        .collect();
    let column = |name: &str| names.iter().position(|it| it == name);
    let (Some(timestamp), Some(rtt)) = (column("timestamp"), column("rtt")) else {
        let what = format!("the columns are `{}`", clip(&names.join(",")));
        return Err(Fault::line(1, what, WANTED));
    };
    let ways = column("uplink").zip(column("downlink"));
    let mut probes = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(|wrong| unreadable(&wrong))?;
        let line = record.position().map_or(0, csv::Position::line);
        let text = |column: usize| String::from_utf8_lossy(record.get(column).unwrap_or_default());
        let at = moment(&text(timestamp)).ok_or_else(|| {
            let what = format!("`{}` is not a time", clip(&text(timestamp)));
            Fault::line(
                line,
                what,
                "`timestamp` is in seconds since 1970, or in nanoseconds: 1705744800.533641",
            )
        })?;
        let delay = |column: usize| {
            milliseconds(&text(column)).ok_or_else(|| {
                let what = format!("`{}` is not a number of milliseconds", clip(&text(column)));
                Fault::line(line, what, "a delay is such as 91.8, and -1 is a loss")
            })
        };
        let round_trip = delay(rtt)?;
        let ways = ways.map(|(up, down)| Ok((delay(up)?, delay(down)?)));
        let fate = fate(round_trip, ways.transpose()?).ok_or_else(|| {
            let what = format!("the round-trip time `{}` is impossible", clip(&text(rtt)));
            Fault::line(line, what, "it is above 0, or -1 for a loss")
        })?;
        probes.push(Probe { at, line, fate });
    }
    Ok(probes)
}

/// What became of a packet with these delays, in nanoseconds.
fn fate(rtt: f64, ways: Option<(f64, f64)>) -> Option<Fate> {
    const LOST: f64 = -1e6;
    match ways {
        _ if rtt == LOST => Some(Fate::Lost),
        // The clocks of two hosts may differ, and then a delay may be -1 ms, too; but the RTT is 0 only
        // if the packet was lost.
        Some((LOST, _)) if rtt == 0.0 => Some(Fate::LostUp),
        Some((_, LOST)) if rtt == 0.0 => Some(Fate::LostDown),
        _ if rtt > 0.0 => Some(Fate::Answered {
            rtt: rtt.round() as u64,
            one_way: ways.map(|(up, down)| (up.round() as i64, down.round() as i64)),
        }),
        _ => None,
    }
}

fn unreadable(wrong: &csv::Error) -> Fault {
    let line = wrong.position().map_or(1, csv::Position::line);
    Fault::line(line, format!("the line cannot be read: {wrong}"), WANTED)
}
