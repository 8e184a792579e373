//! Looking ahead in large networks: what the next packets will need is fetched before they are due.

use crate::calendar::Calendar;
use crate::host::{Foresight, Host};
use crate::ids::EndpointId;
use crate::link::LinkState;
use crate::network::{EndpointState, Network};
use crate::prefetch::fetch;
use crate::scheduler::Scheduler;
use crate::topology::Hop;

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Fetches what the next packets of a lane will need, step by step; the host fetches its part in `foresee`.
    #[inline(never)]
    pub fn look_along_lane(&mut self, lane: u8, host: &impl Host<Payload = P>) {
        let (endpoints, hops, links) = (&self.endpoints, &self.hops, &self.links);
        if let Some(lanes) = &mut self.lanes {
            lanes.look_ahead(lane, &self.pool, |step, cursor| {
                look(endpoints, hops, links, host, step, cursor);
            });
        }
    }

    /// Does the same for the next packets of the calendar.
    #[inline]
    pub fn look_into_calendar(&mut self, host: &impl Host<Payload = P>) {
        if self.calendar.as_ref().is_some_and(Calendar::is_turn) {
            self.look_into(host);
        }
    }

    #[inline(never)]
    fn look_into(&mut self, host: &impl Host<Payload = P>) {
        let (endpoints, hops, links) = (&self.endpoints, &self.hops, &self.links);
        if let Some(calendar) = &mut self.calendar {
            calendar.look_ahead(&self.pool, |step, cursor| {
                look(endpoints, hops, links, host, step, cursor);
            });
        }
    }
}

/// Fetches what a packet with this cursor will need at the end of its link: each step fetches what the next
/// one reads.
#[inline(always)]
fn look(
    endpoints: &[EndpointState],
    hops: &[Hop],
    links: &[LinkState],
    host: &impl Host,
    step: usize,
    cursor: u32,
) {
    let link = |hop: Hop| &links[hop.link_number() as usize];
    let Some(place) = Hop::kept(cursor) else {
        let cursor = cursor as usize;
        if step == 0 {
            return fetch(&hops[cursor]);
        }
        let mut end = cursor + 1;
        if step == 1 {
            fetch(link(hops[cursor]));
        }
        while hops[end].is_merged() {
            if step == 1 {
                fetch(link(hops[end]));
            }
            end += 1;
        }
        // The endpoint may get the packet at once.
        if hops[end].delivers_at_once()
            && let Some(place) = hops[end].endpoint()
        {
            let endpoint = EndpointId::from_index(place as usize);
            if step == 1 {
                fetch(&endpoints[place as usize]);
                host.foresee(endpoint, Foresight::Far);
            } else {
                host.foresee(endpoint, Foresight::Near);
                fetch_first_link(&endpoints[place as usize], hops, links);
            }
        }
        return;
    };
    let endpoint = EndpointId::from_index(place as usize);
    let state = &endpoints[place as usize];
    match step {
        0 => {
            fetch(state);
            host.foresee(endpoint, Foresight::Far);
        }
        1 => {
            if let Some(hop) = hops.get(state.start as usize) {
                fetch(hop);
            }
            host.foresee(endpoint, Foresight::Near);
        }
        _ => fetch_first_link(state, hops, links),
    }
}

/// Fetches the link that an endpoint sends on. An endpoint that only receives has none.
#[inline(always)]
fn fetch_first_link(state: &EndpointState, hops: &[Hop], links: &[LinkState]) {
    if let Some(hop) = hops.get(state.start as usize) {
        fetch(&links[hop.link_number() as usize]);
    }
}
