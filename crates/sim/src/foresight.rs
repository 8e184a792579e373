//! Looking ahead in large networks: what the next packets will need is fetched before they are due.

use crate::calendar::Calendar;
use crate::host::{Foresight, Host};
use crate::ids::EndpointId;
use crate::lane::Lanes;
use crate::link::LinkState;
use crate::network::{EndpointState, Network};
use crate::pool::NIL;
use crate::prefetch::fetch;
use crate::scheduler::Scheduler;
use crate::topology::Hop;

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Fetches what the next packets of the lane of this link will need, step by step, if it is the turn to;
    /// the host fetches its part in `foresee`.
    #[inline]
    pub fn look_along_lane(&self, number: u32, host: &impl Host<Payload = P>) {
        if let Some(lanes) = &self.lanes
            && let lane = self.links[number as usize].lane
            && lanes.is_turn(lane)
        {
            self.look_along(lanes, lane, host);
        }
    }

    #[inline(never)]
    fn look_along(&self, lanes: &Lanes<P>, lane: u8, host: &impl Host<Payload = P>) {
        lanes.look_ahead(lane, |step, cursor| {
            look(&self.endpoints, &self.hops, &self.links, host, step, cursor);
        });
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

/// Fetches what a packet with this cursor will need at the end of its link: the first two steps fetch what
/// the next one reads.
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
    if let Some(place) = Hop::kept(cursor) {
        let place = place as usize;
        let start =
            |endpoint: &EndpointState| (endpoint.start != NIL).then_some(endpoint.start as usize);
        match step {
            0 => {
                fetch(&endpoints[place]);
                host.foresee(EndpointId::from_index(place), Foresight::Far);
            }
            1 => {
                if let Some(start) = start(&endpoints[place]) {
                    fetch(&hops[start]);
                }
                host.foresee(EndpointId::from_index(place), Foresight::Near);
            }
            _ => {
                if let Some(start) = start(&endpoints[place]) {
                    fetch(link(hops[start]));
                }
            }
        }
    } else {
        let cursor = cursor as usize;
        match step {
            0 => fetch(&hops[cursor]),
            1 => {
                fetch(link(hops[cursor]));
                if hops[cursor + 1].is_merged() {
                    fetch(link(hops[cursor + 1]));
                }
            }
            _ => {}
        }
    }
}
