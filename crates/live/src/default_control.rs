//! The congestion control of new connections between the hosts of an emulated path.

use dumbbell_run::End;

use crate::emulator::{Emulator, INTERFACE};
use crate::error::Error;
use crate::{route, transfer};

/// Makes new connections between the hosts use a congestion control of the kernel, unless their program
/// chooses another.
///
/// It is set on the routes. The default of a network namespace could only be a control that every program of
/// the machine may use (`tcp_allowed_congestion_control`).
///
/// # Errors
/// If the kernel has no such control.
pub fn choose(path: &Emulator, control: &str) -> Result<(), Error> {
    transfer::check(control)?;
    let has_ipv6 = path.has_ipv6();
    for (end, other) in [(End::Sender, End::Receiver), (End::Receiver, End::Sender)] {
        path.host(end).run(|| {
            route::choose_control(Emulator::address(other).into(), INTERFACE, control)?;
            if has_ipv6 {
                route::choose_control(Emulator::address6(other).into(), INTERFACE, control)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
