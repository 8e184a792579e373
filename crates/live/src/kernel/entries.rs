//! What there is of controls: those in the kernel, ours that are not, and who uses them.

use super::catalogue::controls;
use super::{Holder, Listed};
use crate::sockets::Connection;

/// A control of the kernel, or one of ours that is not there.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its name in the kernel.
    pub name: &'a str,
    /// Ours of which it is, where it is known.
    pub control: Option<&'static str>,
    /// Who keeps it there; none of one that is not there.
    pub holder: Option<&'a Holder>,
    /// The connections that use it.
    pub connections: usize,
}

/// Those that are listed, then those of ours that are not.
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
