//! What a scenario asks for in vain: policers with a bucket that some packets never fit into, and links that would send
//! again what they never lose. Nothing else tells, so whoever shows results says so.

use dumbbell_scenario::{Link, Scenario, Traffic, copies};

use crate::outcome::{LinkOutcome, Outcome};

/// A sentence for each thing in vain, with what would be right.
pub fn all(scenario: &Scenario, outcome: &Outcome) -> Vec<String> {
    let mut sentences = too_small(scenario, outcome);
    sentences.extend(nothing_to_repeat(scenario, outcome));
    sentences
}

/// A sentence for each policer that has dropped packets and whose bucket is smaller than the packets of a flow. Packets of
/// the flow that cross other links only are no reason, so a policer that dropped nothing is not named.
fn too_small(scenario: &Scenario, outcome: &Outcome) -> Vec<String> {
    links(scenario, outcome)
        .filter(|(_, found)| found.policed > 0)
        .filter_map(|(link, found)| sentence(scenario, link, &found.name))
        .collect()
}

/// A sentence if there are links with `arq` and without `loss`. It names the first one: all copies of a flow have them.
fn nothing_to_repeat(scenario: &Scenario, outcome: &Outcome) -> Option<String> {
    let mut all = links(scenario, outcome)
        .filter(|(link, _)| link.arq.is_some() && link.loss.is_none())
        .map(|(_, found)| &found.name);
    let first = all.next()?;
    let others = match all.count() {
        0 => String::new(),
        1 => " and of 1 other link".to_owned(),
        count => format!(" and of {count} other links"),
    };
    Some(format!(
        "the `arq` of `{first}`{others} sends nothing again: it repeats what the `loss` of the same direction loses, and \
         there is none. Write `loss`, too, or leave `arq` out"
    ))
}

/// The links of a scenario in the order of its results.
fn links<'a>(
    scenario: &'a Scenario,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (&'a Link, &'a LinkOutcome)> {
    let core = scenario.topology.links().into_iter();
    let access = copies(scenario).flat_map(|(flow, _)| {
        let links = flow.place.access().into_iter();
        links.flat_map(|access| {
            access
                .sender
                .both()
                .into_iter()
                .chain(access.receiver.both())
        })
    });
    core.chain(access).zip(&outcome.links)
}

fn sentence(scenario: &Scenario, link: &Link, name: &str) -> Option<String> {
    let burst = link.policer.as_ref()?.burst.0;
    let sizes = scenario
        .flows
        .iter()
        .map(|flow| (packet(&flow.traffic), flow));
    let (bytes, flow) = sizes.max_by_key(|(bytes, _)| *bytes)?;
    (bytes > burst).then(|| {
        format!(
            "the policer of `{name}` has a bucket of {burst} B, and packets of `{}` have {bytes} B: they never pass. \
             Write burst = \"{bytes} B\" or more",
            flow.name
        )
    })
}

/// The size of the largest packets of a flow on the wire, in bytes.
fn packet(traffic: &Traffic) -> u64 {
    match traffic {
        Traffic::Tcp(tcp) => tcp.data_wire_bytes() + tcp.probe_wire_bytes(),
        Traffic::Workload(load) => load.tcp.data_wire_bytes() + load.tcp.probe_wire_bytes(),
        Traffic::Udp(udp) => udp.packet.0,
        Traffic::Media(media) => media.segment.0 + media.overhead.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use dumbbell_scenario::controls::Controls;

    /// Segments of 1000 B and headers of 40 B; the packet that opens the connection fits into any of these buckets.
    fn found(bottleneck: &str, access: &str) -> (f64, Vec<String>) {
        let text = format!(
            "duration = \"5 s\"\n\
             [dumbbell]\n\
             access = {{ rate = \"100 Mb/s\", delay = \"1 ms\"{access} }}\n\
             bottleneck = {{ rate = \"2 Mb/s\", delay = \"10 ms\", queue = {{ droptail = 20 }}{bottleneck} }}\n\
             [[flow]]\n\
             name = \"main\"\n\
             control = \"reno\"\n"
        );
        let scenario =
            Scenario::parse("t.toml", &text, &Controls::builtin()).expect("the scenario is valid");
        let outcome = Run::new(&scenario)
            .go()
            .expect("it is not interrupted")
            .outcome;
        (outcome.flows[0].goodput_bps, all(&scenario, &outcome))
    }

    #[test]
    fn a_bucket_below_a_packet_is_named_and_one_of_a_packet_is_not() {
        let policer =
            |burst: &str| format!(", policer = {{ rate = \"1 Mb/s\", burst = \"{burst}\" }}");
        let (delivered, said) = found(&policer("1039 B"), "");
        assert_eq!(delivered, 0.0);
        assert_eq!(
            said,
            [
                "the policer of `bottleneck` has a bucket of 1039 B, and packets of `main` have 1040 B: they never \
              pass. Write burst = \"1040 B\" or more"
            ]
        );
        let (delivered, said) = found(&policer("1040 B"), "");
        assert!(delivered > 0.0 && said.is_empty(), "{said:?}");
        let (delivered, said) = found("", &policer("500 B"));
        assert_eq!(delivered, 0.0);
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("the policer of `main.sender` has a bucket of 500 B"),
            "{said:?}"
        );
    }

    #[test]
    fn a_link_that_would_send_again_what_it_never_loses_is_named() {
        let arq = ", arq = { retries = 3, rtt = \"8 ms\" }";
        let loss = ", loss = { bernoulli = 0.01 }";
        let (_, said) = found(arq, "");
        assert_eq!(
            said,
            [
                "the `arq` of `bottleneck` sends nothing again: it repeats what the `loss` of the same direction loses, \
              and there is none. Write `loss`, too, or leave `arq` out"
            ]
        );
        assert!(found(&format!("{arq}{loss}"), "").1.is_empty());
        assert!(found(loss, "").1.is_empty());
        // A loss in the other direction is none of this one.
        let reverse = ", reverse = { loss = { bernoulli = 0.01 } }";
        assert_eq!(found(&format!("{arq}{reverse}"), "").1.len(), 1);
        let (_, said) = found("", arq);
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("the `arq` of `main.sender` and of 1 other link sends nothing"),
            "{said:?}"
        );
    }
}
