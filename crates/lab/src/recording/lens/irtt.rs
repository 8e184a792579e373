//! The JSON of IRTT: `round_trips`, with the delays of each in nanoseconds.

use serde::Deserialize;

use super::{Fate, LONGEST_RTT, Probe};
use crate::recording::Fault;

#[derive(Deserialize)]
struct Report {
    round_trips: Vec<RoundTrip>,
}

#[derive(Deserialize)]
struct RoundTrip {
    lost: String,
    timestamps: Timestamps,
    #[serde(default)]
    delay: Delay,
}

#[derive(Deserialize)]
struct Timestamps {
    client: Client,
}

#[derive(Deserialize)]
struct Client {
    send: Clocks,
}

#[derive(Deserialize)]
struct Clocks {
    wall: u64,
}

#[derive(Deserialize, Default)]
struct Delay {
    rtt: Option<i64>,
    send: Option<i64>,
    receive: Option<i64>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Probe>, Fault> {
    let report: Report = serde_json::from_slice(bytes).map_err(|wrong| {
        let help = "IRTT writes `round_trips`, each with `lost`, `timestamps.client.send.wall` and `delay`";
        Fault::line(wrong.line() as u64, wrong.to_string(), help)
    })?;
    let probe = |(number, trip): (u64, RoundTrip)| {
        let wrong =
            |what: String, help: &str| Fault::whole(format!("round trip {number}: {what}"), help);
        let fate = match trip.lost.as_str() {
            "true" => Fate::Lost,
            "true_up" => Fate::LostUp,
            "true_down" => Fate::LostDown,
            "false" => {
                let rtt = trip.delay.rtt.unwrap_or(0);
                let longest = (LONGEST_RTT * 1e6) as i64;
                if !(1..=longest).contains(&rtt) {
                    let what = format!("the round-trip time is {rtt} ns");
                    return Err(wrong(what, "it is above 0, and an hour at most"));
                }
                let one_way = trip.delay.send.zip(trip.delay.receive);
                // So that no sum of two overflows.
                let near = |ns: i64| (-longest..=longest).contains(&ns);
                Fate::Answered {
                    rtt: rtt as u64,
                    one_way: one_way.filter(|(up, down)| near(*up) && near(*down)),
                }
            }
            other => {
                let what = format!("`lost` is {other:?}");
                return Err(wrong(what, "it is false, true, true_up or true_down"));
            }
        };
        Ok(Probe {
            at: trip.timestamps.client.send.wall,
            line: number,
            fate,
        })
    };
    let trips = (1..).zip(report.round_trips);
    trips.map(probe).collect()
}
