//! Checks of several keys of a TCP flow together.

use dumbbell_control::units::Duration;
use dumbbell_tcp::recovery::Kind as RecoveryKind;

use super::{Tcp, quic};
use crate::control::Choice;
use crate::document::Node;
use crate::document::Table;
use crate::limits::LARGEST_WIRE;
use crate::quantity::Measure;
use crate::recovery::Recovery;
use crate::suggest;

/// Rejects combinations of keys that contradict each other although each value is valid.
pub(super) fn all(tcp: &Tcp, table: &Table<'_>) {
    if tcp.is_quic() {
        check_sizes(tcp, table);
        return quic::check(tcp, table);
    }
    quic::check_absent(tcp, table);
    check_acks(tcp, table);
    check_recovery(tcp, table);
    check_deliveries(tcp, table);
    check_marks(tcp, table);
    check_sizes(tcp, table);
    check_timer(tcp, table);
}

/// Records a recovery beside the name of a control that implies another recovery.
pub(super) fn contradiction(
    node: &Node<'_>,
    control: &str,
    short: &str,
    implied: RecoveryKind,
    recovery: Recovery,
) {
    let (implied, recovery) = (implied.name(), recovery.kind().name());
    node.wrong(
        format!("`recovery` contradicts the control: \"{short}\" means `{control}` with `{implied}` recovery, not `{recovery}`"),
        format!("leave `recovery` out, or write control = \"{control}\" beside recovery = \"{recovery}\""),
    );
}

/// Returns the recovery of a flow: the one that is set, or the one that the control's name implies, or
/// the control's default.
pub(super) fn suitable(
    choice: &Choice,
    given: Option<Recovery>,
    table: &Table<'_>,
) -> Option<Recovery> {
    let sensible = choice.control.recoveries();
    let implied = choice.implied.map(|(kind, _)| Recovery::new(kind));
    let recovery = given
        .or(implied)
        .or_else(|| sensible.first().copied().map(Recovery::new))?;
    if sensible.contains(&recovery.kind()) {
        return Some(recovery);
    }
    let names: Vec<&str> = sensible.into_iter().map(RecoveryKind::name).collect();
    let message = format!(
        "`{}` recovery makes no sense with the control `{}`",
        recovery.kind().name(),
        choice.control.name()
    );
    let help = format!(
        "`{}` goes with {}",
        choice.control.name(),
        suggest::list(&names)
    );
    table.wrong_at_first(&["recovery", "control"], message, help);
    None
}

/// Rejects two rules for when ACKs are sent.
fn check_acks(tcp: &Tcp, table: &Table<'_>) {
    for (key, set) in [
        ("quick_acks", tcp.quick_acks > 0),
        ("autotuning", tcp.autotuning),
        ("adaptive_delay", tcp.adaptive_delay),
        ("push", tcp.push),
        ("push_pieces", tcp.push_pieces),
    ] {
        if set && tcp.delayed_ack.is_none() {
            table.wrong_at_first(
                &[key, "delayed_ack"],
                format!("`{key}` changes nothing without `delayed_ack`: no ACK is delayed"),
                format!("write delayed_ack = \"40 ms\" as well, or leave `{key}` out"),
            );
        }
    }
    if tcp.ack_control.is_none() || tcp.delayed_ack.is_none() {
        return;
    }
    table.wrong_at_first(
        &["delayed_ack", "ack_control"],
        "`ack_control` and `delayed_ack` both say when ACKs are due",
        "leave `delayed_ack` out; the timer is a key of the table: ack_control = { timer = \"100 ms\" }",
    );
}

/// Rejects choices of `sack` recovery beside another one, and those that require `rack` without it.
fn check_recovery(tcp: &Tcp, table: &Table<'_>) {
    let sack = tcp.recovery.kind() == RecoveryKind::Sack;
    let wrong = |key, message: String, help: &str| {
        let keys = [key, "recovery", "control"];
        table.wrong_at_first(&keys, message, help);
    };
    for (key, set) in [
        ("prr", tcp.prr.is_some()),
        ("rack", tcp.rack),
        ("sack_compression", tcp.sack_compression),
    ] {
        if set && !sack {
            wrong(
                key,
                format!(
                    "`{key}` requires `sack` recovery, and this flow has `{}`",
                    tcp.recovery.kind().name()
                ),
                &format!("write recovery = \"sack\", or leave `{key}` out"),
            );
        }
    }
    if tcp.handshake_rtt && !tcp.handshake {
        table.wrong_at_first(
            &["handshake_rtt", "handshake"],
            "`handshake_rtt` changes nothing without `handshake`: there is no exchange to be timed",
            "leave `handshake` out, or `handshake_rtt`",
        );
    }
    if tcp.push_pieces && !tcp.tso {
        table.wrong_at_first(
            &["push_pieces", "tso"],
            "`push_pieces` changes nothing without `tso`: segments leave one by one",
            "write tso = true as well, or leave `push_pieces` out",
        );
    }
    if tcp.repair_samples && tcp.rack && !tcp.ack_samples {
        table.wrong_at_first(
            &["repair_samples", "ack_samples"],
            "`repair_samples` changes nothing without `ack_samples`",
            "write ack_samples = true as well, or leave `repair_samples` out",
        );
    }
    for (key, set, why) in [
        (
            "repair_samples",
            tcp.repair_samples,
            "the other recoveries do not know what was reported",
        ),
        (
            "tlp",
            tcp.tlp,
            "only times tell what the ACK of a probe says",
        ),
        (
            "tso",
            tcp.tso,
            "the other recoveries send segment by segment",
        ),
        (
            "undo",
            tcp.undo,
            "the other recoveries do not look for late segments",
        ),
        (
            "frto",
            tcp.frto,
            "the other recoveries do not look for late segments",
        ),
        (
            "exit_growth",
            tcp.exit_growth,
            "other recoveries have it in their own table",
        ),
        (
            "rack_last",
            tcp.rack_last,
            "the other recoveries do not ask how long a segment was under way",
        ),
        (
            "handshake_rtt",
            tcp.handshake_rtt,
            "the other recoveries ask for no least round-trip time",
        ),
    ] {
        if set && !tcp.rack {
            wrong(
                key,
                format!("`{key}` requires `rack`: {why}"),
                &format!("write rack = true as well, or leave `{key}` out"),
            );
        }
    }
}

/// A control that measures deliveries needs the records of RACK, and sets its window by itself.
fn check_deliveries(tcp: &Tcp, table: &Table<'_>) {
    if !tcp.control.needs().delivery {
        return;
    }
    let name = tcp.control.name();
    let wrong = |key, message: String, help: &str| {
        table.wrong_at_first(&[key, "control"], message, help);
    };
    if !tcp.rack {
        wrong(
            "rack",
            format!("`{name}` measures how segments are delivered, which requires `rack`"),
            "leave `rack` out, or write rack = true",
        );
    }
    for (key, set) in [
        ("prr", tcp.prr.is_some()),
        ("window_validation", tcp.window_validation),
        ("hystart", tcp.hystart),
        ("adaptation", tcp.adaptation),
    ] {
        if set {
            wrong(
                key,
                format!("`{key}` changes windows, and `{name}` sets its window by itself"),
                &format!("leave `{key}` out"),
            );
        }
    }
}

/// A control that cuts by the extent of marking needs to know it.
fn check_marks(tcp: &Tcp, table: &Table<'_>) {
    let needs = tcp.control.needs();
    if !needs.marks || tcp.ecn.tells_extent() {
        return;
    }
    let usual = if needs.l4s { "l4s" } else { "accurate" };
    table.wrong_at_first(
        &["ecn", "control"],
        format!(
            "`{}` needs to know how many segments are marked, which this `ecn` does not tell",
            tcp.control.name()
        ),
        format!("leave `ecn` out, or write ecn = \"{usual}\""),
    );
}

fn check_sizes(tcp: &Tcp, table: &Table<'_>) {
    let wire = tcp.data_wire_bytes() + tcp.probe_wire_bytes();
    if wire > LARGEST_WIRE {
        let keys = ["payload", "header", "timestamps", "probe_every"];
        let message = format!(
            "a full segment has {wire} bytes on the wire, payload, header and options together"
        );
        let help = format!("a packet has at most {LARGEST_WIRE} bytes");
        table.wrong_at_first(&keys, message, help);
    }
}

fn check_timer(tcp: &Tcp, table: &Table<'_>) {
    for (key, set) in [
        ("min_rto_variance", tcp.min_rto_variance),
        ("ack_samples", tcp.ack_samples),
        ("timer_tick", tcp.timer_tick.is_some()),
    ] {
        if set && tcp.rto_tick.is_some() {
            table.wrong_at_first(
                &[key, "rto_tick"],
                format!("`{key}` and `rto_tick` are those of two timers: Linux' and ns-2's"),
                "leave one of them out",
            );
        }
    }
    for (key, value) in [("min_rto", tcp.min_rto), ("initial_rto", tcp.initial_rto)] {
        if value > tcp.max_rto {
            let keys = ["max_rto", "min_rto", "initial_rto"];
            let show = |time: Duration| Measure::Time.show(time.as_nanos());
            let message = format!(
                "`{key}` is {}, above `max_rto`, which is {}",
                show(value),
                show(tcp.max_rto)
            );
            table.wrong_at_first(
                &keys,
                message,
                "`min_rto` and `initial_rto` are at most `max_rto`",
            );
        }
    }
}
