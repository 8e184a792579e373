//! The kernel sends at the rate that a control sets. The control is `bpf/host/paced.bpf.c`, which has a fixed
//! window of 64 segments. Without a rate, that fills the path.

use dumbbell_live::transfer::Measured;
use libbpf_rs::{MapCore as _, MapType, ObjectBuilder};

use crate::ground::{name, ready};
use crate::transfer;

const PACED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/paced.bpf.o"));

/// A transfer under a control that sets this rate, in bits of payload per second; 0 means none.
fn paced(rate: u64, suffix: &str, seconds: f64) -> Measured {
    let name = name(suffix);
    let mut open = ObjectBuilder::default()
        .open_memory(PACED)
        .expect("an object");
    for mut map in open.maps_mut() {
        let is_ops = map.map_type() == MapType::StructOps;
        let is_constants = map.name().to_string_lossy().ends_with(".rodata");
        if is_ops {
            rename(map.initial_value_mut().expect("its operations"), &name);
        } else if is_constants {
            let value = map.initial_value_mut().expect("its parameters");
            // The rate is the only parameter.
            value.copy_from_slice(&((rate << 16) / 8).to_ne_bytes());
        }
    }
    let mut object = open.load().expect("the verifier accepts it");
    let mut maps = object.maps_mut();
    let mut ops = maps
        .find(|map| map.map_type() == MapType::StructOps)
        .expect("struct_ops");
    let _link = ops.attach_struct_ops().expect("registered");
    transfer::over(transfer::LONG, &name, seconds)
}

/// Gives the operations a name that no other test uses.
fn rename(ops: &mut [u8], name: &str) {
    let usual = b"db_paced";
    let place = ops.windows(usual.len()).position(|bytes| bytes == usual);
    let place = place.expect("the usual name");
    ops[place..place + 16].fill(0);
    ops[place..place + name.len()].copy_from_slice(name.as_bytes());
}

/// The rate of arrival after the first second, in bits per second. The first second is excluded because the
/// first ten segments are not paced.
fn rate(measured: &Measured) -> f64 {
    let later: Vec<_> = measured.samples.iter().filter(|s| s.at_s >= 1.0).collect();
    let (first, last) = (later[0], later[later.len() - 1]);
    (last.bytes - first.bytes) as f64 * 8.0 / (last.at_s - first.at_s)
}

#[test]
fn the_kernel_sends_at_the_rate_that_a_control_sets() {
    let Some(_log) = ready() else {
        return;
    };
    for wanted in [1_000_000, 4_000_000] {
        let found = rate(&paced(wanted, "pace", 5.0));
        let off = (found / wanted as f64 - 1.0).abs();
        assert!(off <= 0.05, "{found:.0} b/s instead of {wanted} b/s");
    }
    let free = rate(&paced(0, "free", 3.0));
    assert!(free > 8e6, "without a rate: {free:.0} b/s");
}
