//! What a transfer shows: its progress, its statistics, its samples.

use std::io::{self, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dumbbell_transfer::{Progress, Report, Sample, Tally};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::exit::Exit;
use crate::file;

/// Shows how far a transfer is: a bar on a terminal, and otherwise a line now and then.
pub struct Meter {
    bar: Option<ProgressBar>,
    quiet: bool,
    sends: bool,
    told: Instant,
    /// Moments of the last seconds, for the rate: the time, and the bytes that were there.
    recent: std::collections::VecDeque<(Instant, u64)>,
}

/// The time between two lines.
const LINES: Duration = Duration::from_secs(5);
/// The moments over which the rate is taken: three seconds of them.
const RECENT: usize = 30;

impl Meter {
    /// Of an end that sends the file, or of one that receives it, which does not know what was lost.
    pub fn new(quiet: bool, sends: bool) -> Self {
        Self {
            bar: None,
            quiet,
            sends,
            told: Instant::now(),
            recent: std::collections::VecDeque::with_capacity(RECENT + 1),
        }
    }

    pub fn tell(&mut self, progress: Progress) {
        if self.quiet {
            return;
        }
        let now = Instant::now();
        self.recent.push_back((now, progress.done));
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        let (since, before) = self.recent[0];
        let seconds = (now - since).as_secs_f64();
        let rate = match seconds > 0.0 {
            true => (progress.done - before) as f64 * 8.0 / seconds,
            false => 0.0,
        };
        let words = words(&progress.now, rate, self.sends);
        if io::stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| bar(progress.size));
            bar.set_position(progress.done);
            bar.set_message(words);
        } else if now - self.told >= LINES {
            self.told = now;
            let (done, size) = (progress.done, progress.size);
            let _ = writeln!(io::stderr(), "{done} of {size} bytes, {words}");
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(size: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::stderr_with_hz(8));
    let template = "{bar:20.cyan/blue} {percent} %, {bytes} of {total_bytes}, {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

fn words(now: &Sample, rate: f64, sends: bool) -> String {
    if !sends {
        // Its own packets are acknowledgements: their losses and window say nothing of the file.
        return format!("{}, {:.1} ms", bits(rate), now.srtt_s * 1e3);
    }
    let lost = percent(now.lost_packets, now.sent_packets);
    format!(
        "{}, {lost} lost, {:.1} ms, window {} kB",
        bits(rate),
        now.srtt_s * 1e3,
        now.window_bytes / 1000
    )
}

fn percent(lost: u64, sent: u64) -> String {
    format!("{:.2} %", lost as f64 * 100.0 / sent.max(1) as f64)
}

fn bits(rate: f64) -> String {
    match rate {
        1e9.. => format!("{:.3} Gb/s", rate / 1e9),
        1e6.. => format!("{:.3} Mb/s", rate / 1e6),
        _ => format!("{:.1} kb/s", rate / 1e3),
    }
}

/// Prints the statistics of a client's transfer.
pub fn report(report: &Report, json: bool) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    if json {
        return Ok(writeln!(out, "{}", text(report)?)?);
    }
    let state = match report.complete {
        true => "complete",
        false => "stopped; the same command goes on",
    };
    writeln!(out, "{}: {} bytes, {state}", report.name, report.size)?;
    if report.resumed_from > 0 {
        writeln!(out, "{} bytes were there before", report.resumed_from)?;
    }
    writeln!(
        out,
        "{} bytes in {:.2} s: {}",
        report.transferred,
        report.seconds,
        bits(report.goodput_bps)
    )?;
    if let Some(sender) = &report.sender {
        let rtt = sender.rtt;
        writeln!(
            out,
            "{}: {} of {} packets lost ({}), {} congestion events, round trips of {:.1} ms ({:.1} at least, {:.1} the \
             last), a window of {} bytes",
            sender.control,
            sender.lost_packets,
            sender.sent_packets,
            percent(sender.lost_packets, sender.sent_packets),
            sender.congestion_events,
            rtt.mean_s * 1e3,
            rtt.min_s * 1e3,
            rtt.last_s * 1e3,
            sender.window_bytes
        )?;
    }
    Ok(())
}

/// Prints a transfer of a server.
pub fn served(peer: SocketAddr, report: &Report, json: bool) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    if json {
        let line = serde_json::json!({ "peer": peer.to_string(), "report": report });
        writeln!(out, "{line}")?;
    } else {
        let (name, bytes) = (&report.name, report.transferred);
        let state = match report.complete {
            true => "whole",
            false => "stopped",
        };
        let rate = bits(report.goodput_bps);
        writeln!(out, "{peer}: {name}, {bytes} bytes, {rate}, {state}")?;
    }
    Ok(out.flush()?)
}

/// Prints what happened at a server.
pub fn tally(tally: &Tally, json: bool) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    if json {
        let line = serde_json::json!({ "tally": tally });
        return Ok(writeln!(out, "{line}")?);
    }
    writeln!(
        out,
        "{} transfers, {} stopped early; {} connections, {} turned away, {} wrong tokens, {} refused, {} malformed, {} \
         too slow",
        tally.transfers,
        tally.incomplete,
        tally.connections,
        tally.turned_away,
        tally.wrong_tokens,
        tally.refused,
        tally.malformed,
        tally.slow
    )?;
    Ok(())
}

fn text(value: &impl serde::Serialize) -> Result<String, Exit> {
    serde_json::to_string(value).map_err(|error| Exit::Failed(error.to_string()))
}

/// Reads the name of a file for samples.
pub fn samples_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv" | "json") => Ok(path),
        _ => Err("the name of a file of samples ends in .csv or .json".to_owned()),
    }
}

/// Writes samples in the format of the file's ending.
pub fn write_samples(path: &Path, samples: &[Sample]) -> Result<(), Exit> {
    let text = if path.extension().is_some_and(|ending| ending == "json") {
        text(&samples)?
    } else {
        let mut text = "at_s,window_bytes,in_flight_bytes,rtt_s,srtt_s,sent_packets,lost_packets,acked_bytes\n".to_owned();
        for s in samples {
            text += &format!(
                "{:.6},{},{},{:.6},{:.6},{},{},{}\n",
                s.at_s,
                s.window_bytes,
                s.in_flight_bytes,
                s.rtt_s,
                s.srtt_s,
                s.sent_packets,
                s.lost_packets,
                s.acked_bytes
            );
        }
        text
    };
    Ok(file::write(path, &text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_tells_of_losses_where_they_are_known() {
        let now = Sample {
            at_s: 1.0,
            window_bytes: 30_499,
            in_flight_bytes: 0,
            rtt_s: 0.05,
            srtt_s: 0.0604,
            sent_packets: 400,
            lost_packets: 3,
            acked_bytes: 0,
        };
        let sends = words(&now, 2_345_678.0, true);
        assert_eq!(sends, "2.346 Mb/s, 0.75 % lost, 60.4 ms, window 30 kB");
        assert_eq!(words(&now, 999.0, false), "1.0 kb/s, 60.4 ms");
    }
}
