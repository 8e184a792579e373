//! Live figures for a terminal.

use std::fmt::Write as _;

use dumbbell_live::running::{About, ConnectionFigures, Figures, LinkFigures};

/// The most links, and the most connections, that are shown.
const MOST: usize = 16;

/// Returns a few lines and two tables.
pub fn of(about: &About, figures: &Figures) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        text,
        "{} ({}), {:.1} s; the last {:.2} s:",
        about.scenario, about.id, figures.elapsed_s, figures.interval_s
    );
    let _ = writeln!(
        text,
        "sender -> receiver {} in, {} out; back {} in, {} out",
        rate(figures.from_sender_bps),
        rate(figures.to_receiver_bps),
        rate(figures.from_receiver_bps),
        rate(figures.to_sender_bps)
    );
    links(&mut text, &figures.links);
    connections(&mut text, &figures.connections);
    let _ = write!(
        text,
        "packets at most {:.0} us late (99 %), the last {:.1} ms; longest stall {:.1} ms",
        figures.late_p99_s * 1e6,
        figures.late_most_s * 1e3,
        figures.stall_s * 1e3
    );
    for fault in &figures.faults {
        let _ = write!(text, "\nNOT TO BE BELIEVED: {fault}");
    }
    text
}

fn links(text: &mut String, all: &[LinkFigures]) {
    // A path of many links is read where something happens.
    let busy = |link: &&LinkFigures| {
        link.rate_bps > 0.0 || link.dropped_in_all + link.lost_in_all + link.marked_in_all > 0
    };
    let shown: Vec<&LinkFigures> = all.iter().filter(busy).collect();
    let wide = shown
        .iter()
        .map(|link| link.name.len())
        .max()
        .unwrap_or(0)
        .max("link".len());
    let _ = writeln!(
        text,
        "{:<wide$} {:>12} {:>8} {:>14} {:>14} {:>14}",
        "link", "rate", "queue", "dropped (all)", "lost (all)", "marked (all)"
    );
    for link in shown.iter().take(MOST) {
        let count = |now: u64, all: u64| format!("{now} ({all})");
        let _ = writeln!(
            text,
            "{:<wide$} {:>12} {:>8.1} {:>14} {:>14} {:>14}",
            link.name,
            rate(link.rate_bps),
            link.queue,
            count(link.dropped, link.dropped_in_all),
            count(link.lost, link.lost_in_all),
            count(link.marked, link.marked_in_all)
        );
    }
    more(text, shown.len(), "links");
}

fn connections(text: &mut String, all: &[ConnectionFigures]) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "{:<9} {:<44} {:<12} {:>7} {:>9} {:>9} {:>12} {:>6}",
        "host", "connection", "control", "cwnd", "ssthresh", "rtt", "goodput", "resent"
    );
    let mut all: Vec<&ConnectionFigures> = all.iter().collect();
    // Those that send come first.
    all.sort_by(|a, b| b.goodput_bps.total_cmp(&a.goodput_bps));
    for one in all.iter().take(MOST) {
        let _ = writeln!(
            text,
            "{:<9} {:<44} {:<12} {:>7} {:>9} {:>9} {:>12} {:>6}",
            one.host,
            format!("{} -> {}", one.local, one.remote),
            one.control,
            one.cwnd,
            one.ssthresh
                .map_or_else(|| "-".to_owned(), |it| it.to_string()),
            format!("{:.1} ms", one.rtt_s * 1e3),
            rate(one.goodput_bps),
            one.retransmits
        );
    }
    more(text, all.len(), "connections");
}

fn more(text: &mut String, count: usize, what: &str) {
    if count > MOST {
        let _ = writeln!(text, "and {} more {what} (--json has all)", count - MOST);
    }
}

fn rate(bps: f64) -> String {
    match bps {
        1e6.. => format!("{:.2} Mb/s", bps / 1e6),
        _ => format!("{:.1} kb/s", bps / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_at_a_glance() {
        let about = About {
            id: 71,
            version: "1".to_owned(),
            scenario: "my.toml".to_owned(),
            closed: None,
            has_ipv6: true,
        };
        let link = |name: &str, rate_bps| LinkFigures {
            name: name.to_owned(),
            rate_bps,
            queue: 3.25,
            lost: 2,
            lost_in_all: if rate_bps > 0.0 { 17 } else { 0 },
            ..LinkFigures::default()
        };
        let one = ConnectionFigures {
            host: "sender".to_owned(),
            local: "10.11.12.1:4000".to_owned(),
            remote: "10.11.12.2:80".to_owned(),
            control: "reno".to_owned(),
            cwnd: 12,
            rtt_s: 0.0613,
            goodput_bps: 640e3,
            ..ConnectionFigures::default()
        };
        let figures = Figures {
            elapsed_s: 3.0,
            interval_s: 0.5,
            from_sender_bps: 1.931e6,
            links: vec![link("bottleneck", 1.93e6), link("access", 0.0)],
            connections: vec![one; 18],
            faults: vec!["the machine stopped".to_owned()],
            ..Figures::default()
        };
        let said = of(&about, &figures);
        for part in [
            "my.toml (71), 3.0 s",
            "1.93 Mb/s      3.2",
            "2 (17)",
            "10.11.12.1:4000 -> 10.11.12.2:80",
            "640.0 kb/s",
            "61.3 ms",
            "and 2 more connections",
            "NOT TO BE BELIEVED: the machine stopped",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("access"), "{said}");
    }
}
