//! Tustin's filter, compared with its textbook form with the coefficient A = (2 tau - D) / (2 tau + D).

use dumbbell_control::filter::tustin;
use dumbbell_control::units::Rate;

use crate::random::Random;

const TWO_TAU: u32 = 1_000_000_000;

#[test]
fn a_million_steps_stay_within_a_millionth() {
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let (mut bwe, mut previous) = (Rate::ZERO, Rate::ZERO);
        let (mut model, mut model_previous) = (0.0f64, 0.0);
        let mut worst = 0.0f64;
        for step in 0..1_000_000 {
            let d = random.between(50_000.0, 250_000_000.0) as u32;
            let bytes = random.between(40.0, 3_000.0);
            let raw = (bytes * 1e9 * 65_536.0 / f64::from(d)) as u64;
            bwe = tustin::step(bwe, previous, Rate::from_raw(raw), TWO_TAU, d);
            previous = Rate::from_raw(raw);

            let sample = raw as f64;
            let a = f64::from(TWO_TAU - d) / f64::from(TWO_TAU + d);
            model = a * model + (1.0 - a) * (sample + model_previous) / 2.0;
            model_previous = sample;
            if step > 0 {
                worst = worst.max((bwe.raw() as f64 - model).abs() / model);
            }
        }
        assert!(worst < 1e-6, "seed {seed}: {worst:e}");
    }
}
