//! The flow of a scenario that is real, and what real hosts have to say.

use dumbbell_live::Error;
use dumbbell_scenario::named_flows;
use dumbbell_scenario::{Scenario, Size, Traffic};

use crate::exit::Exit;

/// Which flows may be real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Those with a control of a window or of a rate: something comes back to them.
    Controlled,
    /// TCP connections that always have something to send.
    Tcp,
}

impl Pick {
    fn needs(self) -> &'static str {
        match self {
            Self::Controlled => "a `control` or a `rate_control`",
            Self::Tcp => "a `control`, as a TCP flow has, and no `size`, as it sends all the time",
        }
    }
}

/// The place of a flow among those of a run: the one that is named, by its name or its number from 1 on, or
/// the first that may be real.
pub fn pick(scenario: &Scenario, wanted: Option<&str>, which: Pick) -> Result<usize, Exit> {
    let may = |traffic: &Traffic| match traffic {
        Traffic::Tcp(tcp) => which == Pick::Controlled || tcp.size == Size::Unlimited,
        Traffic::Media(_) => which == Pick::Controlled,
        Traffic::Udp(_) => false,
    };
    let mut flows = named_flows(scenario).enumerate();
    let Some(wanted) = wanted else {
        let first = flows.find(|(_, (flow, _))| may(&flow.traffic));
        return first.map(|(place, _)| place).ok_or_else(|| {
            Exit::BadInput(format!(
                "the scenario has no flow that could be real: it needs one with {}",
                which.needs()
            ))
        });
    };
    let number: Option<usize> = wanted.parse().ok();
    let found = flows.find(|(place, (_, name))| name == wanted || Some(place + 1) == number);
    match found {
        Some((place, (flow, _))) if may(&flow.traffic) => Ok(place),
        Some((_, (_, name))) => Err(Exit::BadInput(format!(
            "the flow {name} cannot be real: it needs {}",
            which.needs()
        ))),
        None => {
            let names: Vec<String> = named_flows(scenario)
                .map(|(_, name)| name)
                .take(9)
                .collect();
            Err(Exit::BadInput(format!(
                "there is no flow {wanted}; the scenario has {}",
                names.join(", ")
            )))
        }
    }
}

/// What does not work on this machine.
pub fn live_error(error: Error) -> Exit {
    match error {
        Error::Refused(why) => Exit::BadInput(why),
        other => Exit::Failed(other.to_string()),
    }
}
