//! Reproducible randomness: one independent stream for each component of a simulation.
//!
//! Every stream is ChaCha8 with the same key and its own stream number. The key is the simulation's
//! seed, eight bytes in little-endian order, followed by the 24 bytes of `DOMAIN`; the stream number is
//! the component's kind times 2^32 plus its index. The generator encrypts a counter, so a component's
//! numbers depend only on the seed, the component and how many numbers it has drawn. Adding a component
//! never changes the numbers of another one.
//!
//! ```
//! use dumbbell_sim::random::{Component, stream};
//!
//! let [mut one, mut same] = [1, 1].map(|seed| stream(seed, Component::host(0, 7)));
//! let mut other = stream(1, Component::host(0, 8));
//! let first = one.next_u64();
//! assert_eq!(first, same.next_u64());
//! assert_ne!(first, other.next_u64());
//! ```

use crate::ids::LinkId;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

const DOMAIN: &[u8; 24] = b"dumbbell simulator key 1";

/// Kinds below this number are reserved for the simulator.
const HOST_KINDS: u32 = 1 << 16;

/// A consumer of random numbers: a kind of component and an index within that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Component {
    kind: u32,
    index: u32,
}

impl Component {
    /// A component of a host or an experiment: a traffic source, a jittered start ... The caller gives
    /// every kind of component its own number.
    pub const fn host(kind: u16, index: u32) -> Self {
        Self {
            kind: HOST_KINDS + kind as u32,
            index,
        }
    }

    /// The stream that decides which packets a link loses.
    pub(crate) const fn loss(link: u32) -> Self {
        Self {
            kind: 0,
            index: link,
        }
    }

    /// The stream that decides when the channel of a link changes its state.
    pub(crate) const fn channel(link: u32) -> Self {
        Self {
            kind: 1,
            index: link,
        }
    }

    /// The stream by which the queue of a link decides which packets it drops early or marks. It is public
    /// for code that checks the simulator; the simulator itself draws from this stream.
    pub const fn early(link: LinkId) -> Self {
        Self {
            kind: 2,
            index: link.index() as u32,
        }
    }

    /// The stream of the jitter of a link. Public for the same reason, as are those below.
    pub const fn jitter(link: LinkId) -> Self {
        Self::of_link(16, link)
    }

    /// The stream that decides which packets of a link are held back.
    pub const fn reorder(link: LinkId) -> Self {
        Self::of_link(17, link)
    }

    /// The stream that decides which packets of a link arrive twice.
    pub const fn duplicate(link: LinkId) -> Self {
        Self::of_link(18, link)
    }

    /// The stream that decides which packets of a link are damaged.
    pub const fn corrupt(link: LinkId) -> Self {
        Self::of_link(19, link)
    }

    const fn of_link(kind: u32, link: LinkId) -> Self {
        Self {
            kind,
            index: link.index() as u32,
        }
    }

    const fn number(self) -> u64 {
        (self.kind as u64) << 32 | self.index as u64
    }
}

/// Returns the stream of `component` in the simulation with this seed, from its first number on.
pub fn stream(seed: u64, component: Component) -> Random {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..].copy_from_slice(DOMAIN);
    let mut generator = ChaCha8Rng::from_seed(key);
    generator.set_stream(component.number());
    Random { generator }
}

/// A stream of random numbers, the same on every machine.
#[derive(Clone, Debug)]
pub struct Random {
    generator: ChaCha8Rng,
}

impl Random {
    /// Returns an integer, uniform over all of `u64`.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Returns a number u, uniform over 0 <= u < 1 in steps of 2^-53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * STEP
    }

    /// Returns a number u, uniform over 0 < u <= 1 in steps of 2^-53, whose logarithm is finite.
    #[inline]
    pub fn positive_uniform(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 * STEP
    }

    /// Returns true with this probability; never for 0, always for 1.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Returns an exponentially distributed number with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.positive_uniform())
    }
}

const STEP: f64 = 1.0 / (1_u64 << 53) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_kind_and_index_alone() {
        let first = |seed, component| stream(seed, component).next_u64();
        let component = Component::host(0, 0);
        assert_eq!(first(1, component), first(1, component));
        let others = [
            first(1, component),
            first(2, component),
            first(1, Component::host(1, 0)),
            first(1, Component::host(0, 1)),
            first(1, Component::loss(0)),
            first(1, Component::channel(0)),
            first(1, Component::early(LinkId::from_index(0))),
        ];
        for (i, a) in others.iter().enumerate() {
            assert!(others[i + 1..].iter().all(|b| a != b));
        }
    }

    /// Mean and variance of a uniform variable: 1/2 and 1/12; of an exponential one with mean 3: 3 and
    /// 9. The tolerances are five standard errors for 100,000 draws.
    #[test]
    fn moments() {
        let mut random = stream(7, Component::host(0, 0));
        let moments = |mut draw: Box<dyn FnMut() -> f64>| {
            let draws: Vec<f64> = (0..100_000).map(|_| draw()).collect();
            let mean = draws.iter().sum::<f64>() / 1e5;
            let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e5;
            (mean, variance)
        };
        let mut uniform = random.clone();
        let (mean, variance) = moments(Box::new(move || uniform.uniform()));
        assert!((mean - 0.5).abs() < 0.0046, "{mean}");
        assert!((variance - 0.083_333).abs() < 0.0012, "{variance}");
        let (mean, variance) = moments(Box::new(move || random.exponential(3.0)));
        assert!((mean - 3.0).abs() < 0.048, "{mean}");
        assert!((variance - 9.0).abs() < 0.41, "{variance}");
    }

    #[test]
    fn the_two_uniforms_differ_only_at_their_ends() {
        let mut random = stream(7, Component::host(0, 0));
        for _ in 0..1_000 {
            let (mut a, mut b) = (random.clone(), random.clone());
            assert!(b.positive_uniform() > a.uniform());
            assert!((0.0..1.0).contains(&random.uniform()));
        }
    }

    #[test]
    fn certain_and_impossible_chances() {
        let mut random = stream(7, Component::host(0, 0));
        assert!((0..1_000).all(|_| random.chance(1.0)));
        assert!((0..1_000).all(|_| !random.chance(0.0)));
    }
}
