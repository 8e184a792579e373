//! Links, their queues and their losses, written down.

use super::text::{quote, real, size, table, time};
use crate::{Access, AckFilter, Duplex, Link, Loss, LossModel, LossScope, Queue, Rate, Red};

pub(super) fn access(access: &Access) -> String {
    let end = |out: &Link, back: &Link, host: &Link, router: &Link| {
        table(&[
            ("rate", rate(&out.rate)),
            ("delay", time(out.delay)),
            ("queue", queue(router.queue)),
            ("host_queue", queue(host.queue)),
            ("loss", loss(out.loss.as_ref())),
            ("aqt", router.aqt.to_string()),
            (
                "reverse",
                table(&[
                    ("rate", rate(&back.rate)),
                    ("delay", time(back.delay)),
                    ("loss", loss(back.loss.as_ref())),
                ]),
            ),
        ])
    };
    let Access { sender, receiver } = access;
    table(&[
        (
            "sender",
            end(
                &sender.forward,
                &sender.reverse,
                &sender.forward,
                &sender.reverse,
            ),
        ),
        (
            "receiver",
            end(
                &receiver.forward,
                &receiver.reverse,
                &receiver.reverse,
                &receiver.forward,
            ),
        ),
    ])
}

pub(super) fn duplex(link: &Duplex) -> String {
    let mut keys = link_keys(&link.forward);
    keys.push(("reverse", table(&link_keys(&link.reverse))));
    table(&keys)
}

pub(super) fn link_keys(link: &Link) -> Vec<(&'static str, String)> {
    vec![
        ("rate", rate(&link.rate)),
        ("delay", time(link.delay)),
        ("queue", queue(link.queue)),
        ("loss", loss(link.loss.as_ref())),
        ("aqt", link.aqt.to_string()),
    ]
}

fn rate(rate: &Rate) -> String {
    let all = match rate {
        Rate::Constant(rate) => return quote(&rate.to_string()),
        Rate::Recorded(all) => all,
    };
    let times: Vec<String> = all.milliseconds().map(|at| at.to_string()).collect();
    table(&[("opportunities", format!("[{}]", times.join(", ")))])
}

fn queue(queue: Queue) -> String {
    match queue {
        Queue::Unlimited => quote("unlimited"),
        Queue::DropTail(packets) => table(&[("droptail", packets.to_string())]),
        Queue::Red(Red {
            limit,
            min,
            max,
            weight,
            pmax,
            gentle,
            ecn,
            mean_packet,
        }) => {
            let keys = [
                ("limit", limit.to_string()),
                ("min", real(min)),
                ("max", real(max)),
                ("weight", real(weight)),
                ("pmax", real(pmax)),
                ("gentle", gentle.to_string()),
                ("ecn", ecn.to_string()),
                ("mean_packet", size(mean_packet.0)),
            ];
            table(&[("red", table(&keys))])
        }
        Queue::AckFilter(AckFilter {
            limit,
            replace_head,
            threshold,
        }) => {
            let keys = [
                ("replace_head", replace_head.to_string()),
                ("threshold", threshold.to_string()),
            ];
            table(&[
                ("droptail", limit.to_string()),
                ("ack_filter", table(&keys)),
            ])
        }
    }
}

fn loss(loss: Option<&Loss>) -> String {
    let Some(loss) = loss else {
        return quote("none");
    };
    let model = match loss.model {
        LossModel::Bernoulli { p } => ("bernoulli", real(p)),
        LossModel::Geometric { p } => ("geometric", real(p)),
        LossModel::TwoState {
            good,
            good_period,
            bad,
            bad_period,
            switch,
        } => {
            let keys = [
                ("good", real(good)),
                ("good_period", time(good_period)),
                ("bad", real(bad)),
                ("bad_period", time(bad_period)),
                ("switch", real(switch)),
            ];
            ("two_state", table(&keys))
        }
        LossModel::GilbertElliott {
            to_bad,
            to_good,
            good,
            bad,
        } => {
            let keys = [
                ("to_bad", real(to_bad)),
                ("to_good", real(to_good)),
                ("good", real(good)),
                ("bad", real(bad)),
            ];
            ("gilbert_elliott", table(&keys))
        }
    };
    let on = match loss.on {
        LossScope::Data => "data",
        LossScope::All => "all",
    };
    table(&[model, ("on", quote(on))])
}
