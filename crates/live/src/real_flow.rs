//! The flow of a scenario that is real.

use dumbbell_scenario::named_flows;
use dumbbell_scenario::{Scenario, Size, Traffic};

use crate::error::Error;

/// The flows that may be real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Flows with a window or rate control, which receive feedback.
    Controlled,
    /// TCP connections that always have data to send.
    Tcp,
}

impl Pick {
    fn needs(self) -> &'static str {
        match self {
            Self::Controlled => "a `control` or a `rate_control`",
            Self::Tcp => {
                "a `control` and no stack = \"quic\", as a TCP flow has, and no `size`, as it always has data to send"
            }
        }
    }

    fn takes(self, traffic: &Traffic) -> bool {
        match traffic {
            Traffic::Tcp(tcp) => {
                self == Self::Controlled || (tcp.size == Size::Unlimited && !tcp.is_quic())
            }
            Traffic::Media(_) => self == Self::Controlled,
            Traffic::Udp(_) | Traffic::Workload(_) => false,
        }
    }

    /// Returns the position of a flow among those of a run: the named one, by its name or its number from 1
    /// on. Without a name, the first TCP flow that always has data to send, so that all uses take the same; if
    /// there is none, the first that may be real.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is none, or it cannot be real.
    pub fn of(self, scenario: &Scenario, wanted: Option<&str>) -> Result<usize, Error> {
        let mut flows = named_flows(scenario).enumerate();
        let Some(wanted) = wanted else {
            let first = |pick: Self| {
                let mut flows = named_flows(scenario).enumerate();
                flows.find(|(_, (flow, _))| pick.takes(&flow.traffic))
            };
            return first(Self::Tcp)
                .or_else(|| first(self))
                .map(|(place, _)| place)
                .ok_or_else(|| {
                    Error::Refused(format!(
                        "the scenario has no flow that could be real: it needs one with {}",
                        self.needs()
                    ))
                });
        };
        let number: Option<usize> = wanted.parse().ok();
        let found = flows.find(|(place, (_, name))| name == wanted || Some(place + 1) == number);
        match found {
            Some((place, (flow, _))) if self.takes(&flow.traffic) => Ok(place),
            Some((_, (_, name))) => Err(Error::Refused(format!(
                "the flow {name} cannot be real: it needs {}",
                self.needs()
            ))),
            None => {
                let names = named_flows(scenario).map(|(_, name)| name);
                let names: Vec<String> = names.take(9).collect();
                Err(Error::Refused(format!(
                    "there is no flow {wanted}; the scenario has {}",
                    names.join(", ")
                )))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::controls::Controls;

    use super::*;

    fn scenario() -> Scenario {
        let text = r#"
            duration = "1 s"
            [dumbbell]
            access = { rate = "10 Mb/s", delay = "1 ms" }
            bottleneck = { rate = "2 Mb/s", delay = "1 ms", queue = { droptail = 9 } }
            [[flow]]
            name = "datagrams"
            source = { cbr = "1 kb/s" }
            [[flow]]
            name = "short"
            control = "reno"
            size = "10 kB"
            [[flow]]
            name = "long"
            control = "reno"
            count = 2
        "#;
        Scenario::parse("my.toml", text, &Controls::builtin()).expect("it is right")
    }

    #[test]
    fn the_real_flow_is_the_first_possible_or_the_named_one() {
        let pick = |pick: Pick, wanted| pick.of(&scenario(), wanted).map_err(|e| e.to_string());
        assert_eq!(pick(Pick::Controlled, None), Ok(2));
        assert_eq!(pick(Pick::Tcp, None), Ok(2));
        assert_eq!(pick(Pick::Controlled, Some("short")), Ok(1));
        assert_eq!(pick(Pick::Tcp, Some("long.2")), Ok(3));
        assert_eq!(pick(Pick::Tcp, Some("4")), Ok(3));
        for (wanted, what) in [
            (
                "short",
                "the flow short cannot be real: it needs a `control`",
            ),
            ("1", "the flow datagrams cannot be real"),
            (
                "5",
                "there is no flow 5; the scenario has datagrams, short, long.1, long.2",
            ),
        ] {
            let error = pick(Pick::Tcp, Some(wanted)).expect_err(wanted);
            assert!(error.starts_with(what), "{error}");
        }
    }
}
