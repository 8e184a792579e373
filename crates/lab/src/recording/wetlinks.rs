//! WetLinks (Laniewski et al., "WetLinks: a Large-Scale Longitudinal Starlink Dataset with Contiguous
//! Weather Data", 2024): rates that iperf reached second by second, and round-trip times beside them.
//!
//! The columns are those that the data set's own descriptions name (github.com/sys-uos/WetLinks,
//! `net_iperf.txt` and `net_ping.txt`). A measurement of rates takes seconds and is repeated every few
//! minutes: what is converted is the measured time, end to end, without the pauses between.

use std::fmt;

use chrono::{DateTime, NaiveDateTime};
use dumbbell_scenario::Duration;

use super::fault::clip;
use super::{Cut, Fault, Losses, Rate, Recording, Steps, Way};

/// A pause of this length ends a measurement, as in the data set's own scripts: 2 s.
const PAUSE: i64 = 2_000_000_000;
/// A ping this far from a measurement does not belong to it, as in the data set's own scripts: 10 min.
const FAR: u64 = 600_000_000_000;
/// The highest rate that is believed: 10 Tb/s.
const HIGHEST: f64 = 1e13;

/// A second of a measurement of rates.
struct Second {
    line: u64,
    /// In nanoseconds since 1970.
    start: i64,
    end: i64,
    /// In bits per second.
    download: u64,
    upload: u64,
}

/// Rates as recorded: `net_iperf.csv`, or `iperf_cleaned_seconds_*.csv`.
pub struct Rates {
    seconds: Vec<Second>,
    /// Rows without a rate.
    empty: u64,
}

/// A measurement of round-trip times.
struct Ping {
    /// In nanoseconds since 1970.
    start: i64,
    /// The mean in nanoseconds; `None` if all packets were lost.
    rtt: Option<u64>,
    sent: u64,
    lost: u64,
}

/// Round-trip times as recorded: `net_ping.csv`.
pub struct Pings(Vec<Ping>);

impl fmt::Debug for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rates of {} s", self.seconds.len())
    }
}

impl fmt::Debug for Pings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Pings", self.0.len())
    }
}

impl Rates {
    /// Reads the rates.
    ///
    /// # Errors
    /// [`Fault`] at the first mistake.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let columns = ["timestamp_start", "timestamp_end", "download", "upload"];
        let mut rates = Self {
            seconds: Vec::new(),
            empty: 0,
        };
        rows(bytes, &columns, |row| {
            let [start, end] = [row.time(0)?, row.time(1)?];
            if !(1..=FAR as i64).contains(&end.saturating_sub(start)) {
                let what = "the row does not end within 10 minutes after its start";
                return Err(row.wrong(what, "`timestamp_end` is later than `timestamp_start`"));
            }
            let before = rates
                .seconds
                .last()
                .map_or(start, |before: &Second| before.end);
            // Clocks of a second are not exact to the millisecond.
            if start.saturating_add(PAUSE / 2) < before {
                return Err(row.wrong("the time goes back", "rows are in the order of time"));
            }
            let (download, upload) = (row.number(2, HIGHEST)?, row.number(3, HIGHEST)?);
            let Some((download, upload)) = download.zip(upload) else {
                rates.empty += 1;
                return Ok(());
            };
            rates.seconds.push(Second {
                line: row.line,
                start,
                end,
                download: download.round() as u64,
                upload: upload.round() as u64,
            });
            Ok(())
        })?;
        Ok(rates)
    }
}

impl Pings {
    /// Reads the round-trip times.
    ///
    /// # Errors
    /// [`Fault`] at the first mistake.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let columns = ["timestamp_start", "packet_loss", "packets_send", "ping_avg"];
        let mut pings: Vec<Ping> = Vec::new();
        rows(bytes, &columns, |row| {
            let start = row.time(0)?;
            if pings.last().is_some_and(|before| start < before.start) {
                return Err(row.wrong("the time goes back", "rows are in the order of time"));
            }
            let share = row.number(1, 100.0)?.unwrap_or(0.0);
            let sent = row.number(2, 1e9)?.unwrap_or(0.0).round() as u64;
            // In milliseconds, up to an hour.
            let rtt = row.number(3, 3.6e6)?.filter(|rtt| *rtt > 0.0);
            pings.push(Ping {
                start,
                rtt: rtt.map(|rtt| (rtt * 1e6).round() as u64),
                sent,
                lost: (sent as f64 * share / 100.0).round() as u64,
            });
            Ok(())
        })?;
        Ok(Self(pings))
    }
}

/// Converts rates, with the round-trip times nearest to each measurement, if there are any: half of one
/// is the delay of each direction.
///
/// # Errors
/// [`Fault`] if there is nothing to convert, or the part asked for is not there.
pub fn convert(rates: &Rates, pings: Option<&Pings>, cut: Cut) -> Result<Recording, Fault> {
    if rates.seconds.is_empty() {
        return Err(Fault::whole("there is no row with rates", WANTED));
    }
    // The measured time, end to end.
    let mut end = 0;
    let mut measurements = 0;
    let mut rows: Vec<(u64, &Second, bool)> = Vec::new();
    let mut before: Option<&Second> = None;
    for second in &rates.seconds {
        let begins = before.is_none_or(|before| second.start.saturating_sub(before.end) >= PAUSE);
        measurements += u64::from(begins);
        rows.push((end, second, begins));
        end += second.start.abs_diff(second.end);
        before = Some(second);
    }
    let part = cut.of(end)?;
    let length = part.end() - part.start();
    let ends = rows.iter().skip(1).map(|(at, ..)| *at).chain([end]);
    let used: Vec<(u64, &Second, bool)> = rows
        .iter()
        .zip(ends)
        .filter(|((at, ..), ends)| *at < *part.end() && *ends > *part.start())
        .map(|((at, second, begins), _)| (at.saturating_sub(*part.start()), *second, *begins))
        .collect();
    let rate = |of: fn(&Second) -> u64| {
        let steps = used.iter().map(|(at, second, _)| (*at, of(second)));
        Steps::new(steps, length).map(|steps| Some(Rate::Steps(steps)))
    };
    let mut remarks = vec![format!(
        "{measurements} measurement{} end to end: the pauses between them are left out.",
        if measurements == 1 { "" } else { "s" }
    )];
    if rates.empty > 0 {
        remarks.push(format!("{} rows without a rate are left out.", rates.empty));
    }
    let mut forward = Way {
        rate: rate(|second| second.download)?,
        ..Way::default()
    };
    let reverse = Way {
        rate: rate(|second| second.upload)?,
        ..Way::default()
    };
    match pings {
        Some(pings) => {
            (forward.delay, forward.losses) = pings.beside(&used, length)?;
            remarks.push(
                "The delay of each direction is half the mean round-trip time of the ping nearest to the measurement."
                    .to_owned(),
            );
        }
        None => remarks.push("The delay was not recorded: choose one, or give --ping.".to_owned()),
    }
    Ok(Recording {
        forward,
        reverse: Some(reverse),
        length: Duration::from_nanos(length),
        remarks,
    })
}

impl Pings {
    /// The delays and the losses of the pings nearest to measurements.
    fn beside(
        &self,
        rows: &[(u64, &Second, bool)],
        length: u64,
    ) -> Result<(Option<Steps>, Option<Losses>), Fault> {
        let mut delays: Vec<(u64, u64)> = Vec::new();
        let (mut sent, mut lost) = (0, 0);
        for (n, (at, second, begins)) in rows.iter().enumerate() {
            if !begins && n > 0 {
                continue;
            }
            let Some(ping) = self.near(second.start) else {
                let what = format!(
                    "no ping is within 10 minutes of the rates in line {}",
                    second.line
                );
                return Err(Fault::whole(
                    what,
                    "use another part, with --from and --to, or leave out --ping",
                ));
            };
            sent += ping.sent;
            lost += ping.lost;
            // In whole microseconds of half of it.
            delays.extend(ping.rtt.map(|rtt| (*at, rtt / 2 / 1000 * 1000)));
        }
        match delays.first_mut() {
            Some(first) => first.0 = 0,
            None => return Err(Fault::whole("no ping was answered", "leave out --ping")),
        }
        let losses = Losses {
            sent,
            lost,
            runs: lost,
            interval: 0,
        };
        Ok((Some(Steps::new(delays, length)?), Some(losses)))
    }

    /// The ping nearest to a moment.
    fn near(&self, moment: i64) -> Option<&Ping> {
        let after = self.0.partition_point(|ping| ping.start < moment);
        let around = self.0[after.saturating_sub(1)..].iter().take(2);
        let nearest = around.min_by_key(|ping| ping.start.abs_diff(moment));
        nearest.filter(|ping| ping.start.abs_diff(moment) <= FAR)
    }
}

const WANTED: &str = "a file of WetLinks is a CSV such as net_iperf.csv or net_ping.csv";

/// A row of a table, of which some columns are read.
struct Row<'a> {
    record: &'a csv::ByteRecord,
    line: u64,
    /// The names of the columns that are read, and their positions in the record.
    columns: &'a [(&'static str, usize)],
}

impl Row<'_> {
    fn wrong(&self, what: impl Into<String>, help: impl Into<String>) -> Fault {
        Fault::line(self.line, what, help)
    }

    fn text(&self, column: usize) -> String {
        let bytes = self.record.get(self.columns[column].1);
        String::from_utf8_lossy(bytes.unwrap_or_default())
            .trim()
            .to_owned()
    }

    /// A time in nanoseconds since 1970.
    fn time(&self, column: usize) -> Result<i64, Fault> {
        let text = self.text(column);
        moment(&text).ok_or_else(|| {
            let what = format!(
                "`{}`: `{}` is not a time",
                self.columns[column].0,
                clip(&text)
            );
            self.wrong(
                what,
                "a time is as in ISO 8601, such as 2023-09-14T15:12:00+00:00",
            )
        })
    }

    /// A number from 0 to the largest; `None` if there is none.
    fn number(&self, column: usize, largest: f64) -> Result<Option<f64>, Fault> {
        let text = self.text(column);
        if text.is_empty() || text.eq_ignore_ascii_case("nan") {
            return Ok(None);
        }
        let number: Option<f64> = text.parse().ok();
        match number.filter(|number| (0.0..=largest).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let name = self.columns[column].0;
                let what = format!("`{name}`: `{}` is not a number in range", clip(&text));
                Err(self.wrong(what, format!("it is from 0 to {largest}, or empty")))
            }
        }
    }
}

/// Reads these columns of each row.
fn rows(
    bytes: &[u8],
    wanted: &[&'static str],
    mut read: impl FnMut(&Row<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let unreadable = |wrong: &csv::Error| {
        let line = wrong.position().map_or(1, csv::Position::line);
        Fault::line(line, format!("the line cannot be read: {wrong}"), WANTED)
    };
    let header = reader
        .byte_headers()
        .map_err(|wrong| unreadable(&wrong))?
        .clone();
    let mut columns = Vec::new();
    for name in wanted {
        let is_it = |cell: &[u8]| cell.trim_ascii() == name.as_bytes();
        let Some(at) = header.iter().position(is_it) else {
            let what = format!("there is no column `{name}`");
            let help = format!("{WANTED}, with the columns {}", wanted.join(", "));
            return Err(Fault::line(1, what, help));
        };
        columns.push((*name, at));
    }
    let mut record = csv::ByteRecord::new();
    while reader
        .read_byte_record(&mut record)
        .map_err(|wrong| unreadable(&wrong))?
    {
        let line = record.position().map_or(0, csv::Position::line);
        read(&Row {
            record: &record,
            line,
            columns: &columns,
        })?;
    }
    Ok(())
}

/// Reads a time of ISO 8601, in nanoseconds since 1970: with a `T` or a space, with an offset or in UTC.
fn moment(text: &str) -> Option<i64> {
    let with_offset = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z"];
    let plain = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
    let text = text.strip_suffix('Z').unwrap_or(text);
    let offset = with_offset.iter().find_map(|format| {
        let time = DateTime::parse_from_str(text, format).ok()?;
        time.timestamp_nanos_opt()
    });
    offset.or_else(|| {
        plain.iter().find_map(|format| {
            let time = NaiveDateTime::parse_from_str(text, format).ok()?;
            time.and_utc().timestamp_nanos_opt()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    const IPERF: &str = "\
site_name,timestamp_start,timestamp_end,server,ip_protocol,transport_protocol,download,upload
home,2023-10-13T10:00:00,2023-10-13T10:00:01,s,4,udp,100000000.0,10000000
home,2023-10-13T10:00:01,2023-10-13T10:00:02,s,4,udp,120500000.4,10000000
home,2023-10-13T10:05:00+00:00,2023-10-13 10:05:01.5+00,s,4,udp,0,12000000
home,2023-10-13T10:05:01.5,2023-10-13T10:05:02.5,s,4,udp,,
";

    const PING: &str = "\
site_name,timestamp_start,timestamp_end,target,ip_protocol,packet_loss,packets_send,ping_avg,ping_worst,ping_best,ping_stddev
home,2023-10-13T09:58:00Z,2023-10-13T09:58:10Z,t,4,0.0,100,40.5,60,30,5
home,2023-10-13T10:04:00Z,2023-10-13T10:04:10Z,t,4,2.0,100,50,60,30,5
home,2023-10-13T11:04:00Z,2023-10-13T11:04:10Z,t,4,100,100,,,,
";

    fn rates(steps: &Way) -> &[(u64, u64)] {
        match &steps.rate {
            Some(Rate::Steps(steps)) => steps.steps(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn measurements_are_put_end_to_end() {
        let all = Rates::read(IPERF.as_bytes()).unwrap();
        let recording = convert(&all, None, Cut::default()).unwrap();
        assert_eq!(recording.length, Duration::from_millis(3500));
        let expected = [(0, 100_000_000), (SECOND, 120_500_000), (2 * SECOND, 0)];
        assert_eq!(rates(&recording.forward), expected);
        let up = recording.reverse.unwrap();
        assert_eq!(rates(&up), [(0, 10_000_000), (2 * SECOND, 12_000_000)]);
        assert_eq!(recording.forward.delay, None);
        let remarks = recording.remarks.join("\n");
        assert!(remarks.contains("2 measurements end to end"), "{remarks}");
        assert!(remarks.contains("1 rows without a rate"), "{remarks}");
    }

    #[test]
    fn the_nearest_ping_gives_the_delay_of_a_measurement() {
        let all = Rates::read(IPERF.as_bytes()).unwrap();
        let pings = Pings::read(PING.as_bytes()).unwrap();
        let recording = convert(&all, Some(&pings), Cut::default()).unwrap();
        let delay = recording.forward.delay.unwrap();
        assert_eq!(delay.steps(), [(0, 20_250_000), (2 * SECOND, 25_000_000)]);
        let losses = recording.forward.losses.unwrap();
        assert_eq!((losses.sent, losses.lost), (200, 2));
        assert_eq!(losses.model().unwrap().0, "bernoulli = 0.01");
        let later = PING.replace("T09:58", "T08:58").replace("T10:04", "T12:04");
        let far = Pings::read(later.replace("T11:04", "T13:04").as_bytes()).unwrap();
        let wrong = convert(&all, Some(&far), Cut::default()).unwrap_err();
        assert_eq!(
            wrong.what,
            "no ping is within 10 minutes of the rates in line 2"
        );
    }

    #[test]
    fn a_part_starts_within_a_row() {
        let all = Rates::read(IPERF.as_bytes()).unwrap();
        let cut = Cut {
            from: Duration::from_millis(1500),
            to: Some(Duration::from_millis(2500)),
        };
        let recording = convert(&all, None, cut).unwrap();
        assert_eq!(
            rates(&recording.forward),
            [(0, 120_500_000), (SECOND / 2, 0)]
        );
        assert_eq!(recording.length, Duration::from_secs(1));
        let late = Cut {
            to: Some(Duration::from_secs(4)),
            ..cut
        };
        let wrong = convert(&all, None, late).unwrap_err();
        assert_eq!(wrong.help, "it is 3.5 s long");
    }

    #[test]
    fn times_are_read_with_and_without_an_offset() {
        let noon = moment("2023-09-14T12:00:00").unwrap();
        for same in [
            "2023-09-14 12:00:00.000",
            "2023-09-14T12:00:00Z",
            "2023-09-14T14:00:00+02:00",
            "2023-09-14 14:00:00+02",
        ] {
            assert_eq!(moment(same), Some(noon), "{same}");
        }
        // By `date -d 2023-09-14T12:00:00Z +%s`.
        assert_eq!(noon, 1_694_692_800_000_000_000);
        for wrong in [
            "",
            "noon",
            "2023-13-14T12:00:00",
            "9999-01-01T00:00:00",
            "1694692800",
        ] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
    }

    #[test]
    #[rustfmt::skip] // a table
    fn mistakes_have_their_line() {
        let fault = |text: &str| {
            let read = Rates::read(text.as_bytes()).and_then(|all| convert(&all, None, Cut::default()));
            let wrong = read.unwrap_err();
            assert!(!wrong.help.is_empty());
            wrong.in_file("a").lines().next().unwrap().to_owned()
        };
        let row = |row: &str| fault(&format!("timestamp_start,timestamp_end,download,upload\n{row}\n"));
        assert_eq!(fault(""), "a:1: there is no column `timestamp_start`");
        assert_eq!(fault("timestamp_start,timestamp_end,download\n"), "a:1: there is no column `upload`");
        assert_eq!(fault("timestamp_start,timestamp_end,download,upload\n"), "a: there is no row with rates");
        assert_eq!(row("x,2023-10-13T10:00:01,1,1"), "a:2: `timestamp_start`: `x` is not a time");
        assert_eq!(row("2023-10-13T10:00:00,,1,1"), "a:2: `timestamp_end`: `` is not a time");
        assert_eq!(row("2023-10-13T10:00:01,2023-10-13T10:00:00,1,1"), "a:2: the row does not end within 10 minutes after its start");
        assert_eq!(row("2023-10-13T10:00:00,2023-10-13T10:00:01,-1,1"), "a:2: `download`: `-1` is not a number in range");
        assert_eq!(row("2023-10-13T10:00:00,2023-10-13T10:00:01,1,inf"), "a:2: `upload`: `inf` is not a number in range");
        assert_eq!(row("2023-10-13T10:00:00,2023-10-13T10:00:01,1,1\n2023-10-13T09:00:00,2023-10-13T09:00:01,1,1"), "a:3: the time goes back");
        assert_eq!(row("2023-10-13T10:00:00,2023-10-13T10:00:01,nan,1"), "a: there is no row with rates");
    }
}
