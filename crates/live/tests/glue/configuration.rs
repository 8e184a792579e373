//! The configuration that the loader writes into an object is that of the C twin that is compared
//! with Rust.

use dumbbell_live::kernel::{configure, controls, read_settings};

use crate::program::configuration;

#[test]
fn an_objects_configuration_equals_the_twins() {
    for control in controls() {
        let config = control.config();
        let Some(twin) = configuration(control.algorithm, config.parameters(), |name| {
            config.get(name).expect("listed")
        }) else {
            return;
        };
        let object = configure(control, &config).expect(control.algorithm);
        let twin: Vec<u8> = twin.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(object, twin[..object.len()], "{}", control.algorithm);
        assert!(twin[object.len()..].iter().all(|byte| *byte == 0));
    }
}

/// tau / m and the values derived from it: none is a number of the paper, so that a default cannot
/// hide a mistake.
#[test]
fn settings_reach_the_values_derived_from_them() {
    for name in ["westwood", "venodb"] {
        let control = dumbbell_live::kernel::find(name).unwrap();
        let settings = [("tau", "333 ms"), ("m", "3"), ("merge", "7 ms")];
        let config = read_settings(control, &settings).unwrap();
        let value = |name: &str| config.get(name).expect("listed");
        let Some(twin) = configuration(name, config.parameters(), value) else {
            return;
        };
        let object = configure(control, &config).expect(name);
        let twin: Vec<u8> = twin.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(object, twin[..object.len()], "{name}");
        // 333 ms / 3 = 111 ms: the spacing of the zero samples, in nanoseconds.
        let step = 111_000_000u32.to_ne_bytes();
        assert!(object.windows(4).any(|bytes| bytes == step), "{name}");
    }
}
