//! The congestion control of new connections between the hosts of an emulated path.

use std::fmt;

use dumbbell_run::End;
use dumbbell_scenario::Scenario;

use crate::emulator::{Emulator, INTERFACE};
use crate::error::Error;
use crate::{reports, route, transfer};

/// What a chosen control needs beside the routes, as long as this value lives.
pub struct Chosen {
    _carrier: Option<Box<dyn Send>>,
}

/// Makes new connections between the hosts use a congestion control of the kernel, unless their program
/// chooses another.
///
/// It is set on the routes. The default of a network namespace could only be a control that every program of
/// the machine may use (`tcp_allowed_congestion_control`).
///
/// RoVegas also gets the programs that carry the routers' reports, in both directions, and hosts that do not
/// delay ACKs, as in [`compare`](crate::compare).
///
/// # Errors
/// If the kernel has no such control; if it is RoVegas, and no router of the scenario reports.
pub fn choose(path: &Emulator, control: &str, scenario: &Scenario) -> Result<Chosen, Error> {
    transfer::check(control)?;
    let reads = reports::reads(control);
    if reads && !reports::reports(scenario) {
        return Err(reports::silence());
    }
    let carrier = match reads {
        true => Some(carrier(path, control)?),
        false => None,
    };
    let has_ipv6 = path.has_ipv6();
    for (end, other) in [(End::Sender, End::Receiver), (End::Receiver, End::Sender)] {
        path.host(end).run(|| {
            let choose = match reads {
                true => route::choose_control_and_acknowledge_at_once,
                false => route::choose_control,
            };
            choose(Emulator::address(other).into(), INTERFACE, control)?;
            if has_ipv6 {
                choose(Emulator::address6(other).into(), INTERFACE, control)?;
            }
            Ok(())
        })?;
    }
    Ok(Chosen { _carrier: carrier })
}

/// Either host may send data.
#[cfg(feature = "kernel")]
fn carrier(path: &Emulator, control: &str) -> Result<Box<dyn Send>, Error> {
    use crate::kernel::aqt::Role::{Receiver, Sender};

    let ends = [End::Sender, End::Receiver];
    let roles = [Sender, Receiver].map(|role| ends.map(|end| (end, role)));
    let aqt = crate::carried::carry(path, control, roles.as_flattened())?;
    Ok(Box::new(aqt))
}

#[cfg(not(feature = "kernel"))]
fn carrier(_: &Emulator, control: &str) -> Result<Box<dyn Send>, Error> {
    Err(Error::Refused(format!(
        "{control} needs programs that carry the routers' reports, which this build does not include: build it with \
         `cargo build --release --features kernel` (docs/kernel.md)"
    )))
}

impl fmt::Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chosen").finish_non_exhaustive()
    }
}
