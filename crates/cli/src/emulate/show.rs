//! Live figures for a terminal.

use std::fmt::Write as _;

use dumbbell_live::running::{About, ConnectionFigures, Figures, LinkFigures};

use crate::tidy::grid::{Grid, Room, WIDTH};

/// The most links, and the most connections, that are shown.
const MOST: usize = 16;
/// The lines of a table around its rows: three borders, two of headings, and what is left out.
const FRAME: usize = 6;

/// Returns a few lines and two tables, for a terminal of this width.
pub fn of(about: &About, figures: &Figures, width: usize) -> String {
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
    text += &links(&figures.links, width);
    text += &connections(&figures.connections, width);
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

fn links(all: &[LinkFigures], width: usize) -> String {
    // A path of many links is read where something happens.
    let busy = |link: &&LinkFigures| {
        link.rate_bps > 0.0 || link.dropped_in_all + link.lost_in_all + link.marked_in_all > 0
    };
    let shown: Vec<&LinkFigures> = all.iter().filter(busy).collect();
    if shown.is_empty() {
        return "nothing crosses the links\n".to_owned();
    }
    let column =
        |value: &dyn Fn(&LinkFigures) -> String| shown.iter().map(|it| value(it)).collect();
    let count = |now: u64, all: u64| format!("{now} ({all})");
    let mut grid = Grid::default();
    grid.names("link", 0, column(&|it| it.name.clone()));
    grid.numbers("rate", 0, column(&|it| rate(it.rate_bps)));
    grid.numbers("queue", 0, column(&|it| format!("{:.1}", it.queue)));
    grid.numbers(
        "dropped\n(all)",
        1,
        column(&|it| count(it.dropped, it.dropped_in_all)),
    );
    grid.numbers(
        "lost\n(all)",
        2,
        column(&|it| count(it.lost, it.lost_in_all)),
    );
    grid.numbers(
        "marked\n(all)",
        3,
        column(&|it| count(it.marked, it.marked_in_all)),
    );
    grid.show_within(width.min(WIDTH), Room::Lines(MOST + FRAME, "--json"))
}

fn connections(all: &[ConnectionFigures], width: usize) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut all: Vec<&ConnectionFigures> = all.iter().collect();
    // Those that send come first.
    all.sort_by(|a, b| b.goodput_bps.total_cmp(&a.goodput_bps));
    let column =
        |value: &dyn Fn(&ConnectionFigures) -> String| all.iter().map(|it| value(it)).collect();
    let threshold = |it: &ConnectionFigures| {
        it.ssthresh
            .map_or_else(|| "-".to_owned(), |it| it.to_string())
    };
    let mut grid = Grid::default();
    grid.names("host", 0, column(&|it| it.host.clone()));
    grid.names("from", 4, column(&|it| it.local.clone()));
    grid.names("to", 3, column(&|it| it.remote.clone()));
    grid.names("control", 0, column(&|it| it.control.clone()));
    grid.numbers("cwnd", 0, column(&|it| it.cwnd.to_string()));
    grid.numbers("ssthresh", 2, column(&threshold));
    grid.numbers("RTT", 0, column(&|it| format!("{:.1} ms", it.rtt_s * 1e3)));
    grid.numbers("goodput", 0, column(&|it| rate(it.goodput_bps)));
    grid.numbers("resent", 1, column(&|it| it.retransmits.to_string()));
    grid.show_within(width.min(WIDTH), Room::Lines(MOST + FRAME, "--json"))
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
            connections: vec![one; 30],
            faults: vec!["the machine stopped".to_owned()],
            ..Figures::default()
        };
        for width in [80, 100, 200] {
            let said = of(&about, &figures, width);
            for part in [
                "my.toml (71), 3.0 s",
                "1.93 Mb/s",
                "3.2",
                "reno",
                "640.0 kb/s",
                "61.3 ms",
                "13 more rows",
                "NOT TO BE BELIEVED: the machine stopped",
            ] {
                assert!(said.contains(part), "{part}: {said}");
            }
            assert!(!said.contains("access"), "{said}");
            let tables = said
                .lines()
                .filter(|line| line.starts_with(['│', '┌', '└', '╞', '.']));
            let widest = tables.map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|it| it <= width.min(WIDTH)), "{said}");
        }
        let wide = of(&about, &figures, 100);
        for part in ["2 (17)", "10.11.12.2:80"] {
            assert!(wide.contains(part), "{part}: {wide}");
        }
    }
}
