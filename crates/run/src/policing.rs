//! Policers with a bucket that some packets of a scenario never fit into. Nothing else tells why such a flow delivers
//! nothing, so whoever shows results says so.

use dumbbell_scenario::{Link, Scenario, Traffic, copies};

use crate::outcome::Outcome;

/// A sentence for each policer that has dropped packets and whose bucket is smaller than the packets of a flow, with what
/// would be right; none if all fit. Packets of the flow that cross other links only are no reason, so a policer that
/// dropped nothing is not named.
pub fn too_small(scenario: &Scenario, outcome: &Outcome) -> Vec<String> {
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
    let links = core.chain(access).zip(&outcome.links);
    let dropping = links.filter(|(_, found)| found.policed > 0);
    dropping
        .filter_map(|(link, found)| sentence(scenario, link, &found.name))
        .collect()
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
        (outcome.flows[0].goodput_bps, too_small(&scenario, &outcome))
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
}
