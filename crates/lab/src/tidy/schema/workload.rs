//! The form of the results of workloads.

use serde_json::Value;

use super::{array, closed, nullable, object, positive, text, whole};

/// The form of the results of a flow entry with a workload.
pub(super) fn results() -> Value {
    let classes = "the same by classes of size, the smallest first";
    let properties = object([
        ("name", text("the name of the flow entry")),
        ("application", text("`transfers`, `requests` or `video`")),
        (
            "offered_load",
            nullable(positive(
                "the payload of the transfers that began, divided by what the slowest link of the path can carry; `null` if that is nothing",
            )),
        ),
        (
            "refused",
            whole("transfers that were refused, because too many were under way"),
        ),
        (
            "most_alive",
            whole(
                "the largest number of connections of a pair of hosts at the same time, since the start of the run",
            ),
        ),
        ("all", transfers("all transfers")),
        (
            "classes",
            array(classes, transfers("the transfers of a class of size")),
        ),
        ("video", video()),
        (
            "list",
            array("each transfer, if the file asks for a list", transfer()),
        ),
    ]);
    closed("the results of a workload", properties, &["video", "list"])
}

fn transfers(about: &str) -> Value {
    let mut properties = object([
        ("from_bytes", whole("the smallest size, in bytes")),
        (
            "below_bytes",
            nullable(whole(
                "all sizes are below this one, in bytes; `null` without a bound",
            )),
        ),
        (
            "started",
            whole("transfers that began in the time that is measured"),
        ),
        (
            "finished",
            whole("those that are complete: their last byte has arrived"),
        ),
        ("alive", whole("those that are under way at the end")),
        (
            "bytes",
            whole("payload of the transfers that began, in bytes"),
        ),
    ]);
    let spreads = [
        ("completion", "_s", "completion times, in seconds"),
        (
            "slowdown",
            "",
            "completion times divided by those on an idle path with an unlimited window",
        ),
    ];
    let parts = [
        ("mean", "mean of the"),
        ("p50", "median of the"),
        ("p95", "95th percentile of the"),
        ("p99", "99th percentile of the"),
        ("max", "largest of the"),
    ];
    for (name, unit, what) in spreads {
        for (part, of) in parts {
            let form = nullable(positive(&format!("{of} {what}")));
            properties.insert(format!("{name}_{part}{unit}"), form);
        }
    }
    closed(about, properties, &[])
}

fn video() -> Value {
    let properties = object([
        ("clients", whole("clients")),
        ("playing", whole("clients that have begun to play")),
        (
            "startup_mean_s",
            nullable(positive(
                "mean time from the start of a client until it plays, in seconds",
            )),
        ),
        (
            "startup_max_s",
            nullable(positive("the longest of these times, in seconds")),
        ),
        ("stalls", whole("how often a buffer ran empty")),
        (
            "stalled_s",
            positive(
                "how long playing stood still after it had begun, in seconds, over all clients",
            ),
        ),
        (
            "played_s",
            positive("how long was played, in seconds, over all clients"),
        ),
        (
            "rate_mean_bps",
            nullable(positive("mean rate of the chunks that arrived, in bit/s")),
        ),
        (
            "switches",
            whole("how often a chunk had another rate than the one before it"),
        ),
    ]);
    closed(
        "how videos were played, if the workload is one",
        properties,
        &[],
    )
}

fn transfer() -> Value {
    let properties = object([
        (
            "start_s",
            positive("when it arrived or was requested, in seconds"),
        ),
        ("bytes", whole("its payload, in bytes")),
        (
            "completion_s",
            nullable(positive(
                "its completion time, in seconds; `null` if it was under way at the end",
            )),
        ),
    ]);
    closed("a transfer", properties, &[])
}
