//! A list of controls: those in the kernel, Dumbbell's that are not loaded, and who uses them.

use super::catalogue::controls;
use super::{Holder, Listed};
use crate::sockets::Connection;

/// A control of the kernel, or one of Dumbbell's that is not loaded.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its name in the kernel.
    pub name: &'a str,
    /// The name of the Dumbbell control, if it is one and this is known.
    pub control: Option<&'static str>,
    /// Who keeps it in the kernel; `None` if it is not loaded.
    pub holder: Option<&'a Holder>,
    /// The number of connections that use it.
    pub connections: usize,
}

/// Returns the listed controls, and then Dumbbell's controls that are not loaded.
pub fn entries<'a>(
    listed: &'a [Listed],
    connections: &'a [Connection],
) -> impl Iterator<Item = Entry<'a>> {
    let using = |name: &str| connections.iter().filter(|c| c.control == name).count();
    let there = listed.iter().map(move |one| Entry {
        name: &one.name,
        control: one.control.map(|control| control.algorithm),
        holder: Some(&one.holder),
        connections: using(&one.name),
    });
    let absent = controls().iter().filter(|control| {
        let mut there = listed.iter().filter_map(|one| one.control);
        there.all(|known| known.algorithm != control.algorithm)
    });
    there.chain(absent.map(move |control| Entry {
        name: control.name,
        control: Some(control.algorithm),
        holder: None,
        connections: using(control.name),
    }))
}
