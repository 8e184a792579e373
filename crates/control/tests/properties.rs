//! Properties of every control of the registry, under any events in any order with any numbers, and
//! with any parameters within their ranges.

#[path = "properties/checks.rs"]
mod checks;
#[path = "properties/configurations.rs"]
mod configurations;
#[path = "properties/events.rs"]
mod events;
#[path = "twin/extremes.rs"]
mod extremes;
#[path = "twin/range.rs"]
mod range;

use dumbbell_control::controller::{Controller, Value};
use dumbbell_control::event::{Loss, LossSignal, Marks, Timeout};
use dumbbell_control::units::{Instant, Rate, Segments};
use proptest::prelude::*;

use checks::{check, check_cuts};
use configurations::{config, marking, path};
use events::{Event, apply, event, mark, sample};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn windows_stay_within_their_bounds(
        config in config(true),
        path in path(),
        events in prop::collection::vec(event(), 1..300),
    ) {
        let mut control = config.build(&path);
        for event in &events {
            let before = control.window();
            apply(&mut control, event);
            check(&config, event, before, control.window())?;
            prop_assert!(control.pacing().unwrap_or_default() <= Rate::CAP);
            let mut finite = true;
            control.explain(&mut |_, value| match value {
                Value::State(state) => finite &= !state.is_empty(),
                value => finite &= value.number().is_none_or(f64::is_finite),
            });
            prop_assert!(finite);
        }
    }

    /// With its default parameters, a control cuts as its facts say.
    #[test]
    fn losses_and_timeouts_cut_as_the_facts_say(
        config in config(false),
        path in path(),
        events in prop::collection::vec(event(), 1..300),
    ) {
        let mut control = config.build(&path);
        for event in &events {
            let before = control.window();
            apply(&mut control, event);
            check_cuts(config.facts(), event, before, control.window())?;
        }
    }

    /// After a spurious loss is undone, the control behaves as if the loss had not been reported,
    /// whatever was measured in between.
    #[test]
    fn an_undone_loss_leaves_no_trace(
        config in config(true),
        path in path(),
        events in prop::collection::vec(event(), 1..100),
        during in prop::collection::vec(sample(), 0..20),
    ) {
        let (mut told, mut untold) = (config.build(&path), config.build(&path));
        for event in &events {
            apply(&mut told, event);
            apply(&mut untold, event);
        }
        let mut kept = told.checkpoint();
        told.on_loss(&Loss::new(Instant::ZERO, Segments::whole(3)));
        for sample in &during {
            told.on_sample(sample);
            kept.on_sample(sample);
            untold.on_sample(sample);
        }
        told.undo(kept);
        for event in &events {
            apply(&mut told, event);
            apply(&mut untold, event);
            prop_assert_eq!(told.window(), untold.window());
        }
    }

    /// Whatever a receiver reports of marks, a control is no faster than without any report: it may be above by the
    /// segment that slow start adds below the least threshold. (A mark moves the threshold to the window, as a loss
    /// does. So not if a host then lowers the window alone, or begins with the second timeout of a segment. And in
    /// segments of another size a segment is more.)
    #[test]
    fn reports_of_marks_never_help(
        config in marking(),
        path in path(),
        events in prop::collection::vec(prop_oneof![3 => event(), 1 => mark()], 1..300),
    ) {
        let (mut told, mut untold) = (config.build(&path), config.build(&path));
        for event in &events {
            match event {
                Event::Restrict(_) | Event::Mss(_) => continue,
                Event::Timeout(timeout) if timeout.consecutive >= 2 => continue,
                _ => {}
            }
            apply(&mut told, event);
            match event {
                Event::Sample(sample) => untold.on_sample(&sample.with_marks(Marks::None)),
                Event::Loss(loss) if loss.by == LossSignal::Ecn => {}
                other => apply(&mut untold, other),
            }
            let [told, untold] = [told.window().cwnd, untold.window().cwnd];
            prop_assert!(told <= untold + Segments::ONE, "{:?} {:?}", told, untold);
        }
    }

    /// A host that keeps no copy gives the window and the threshold back, at most what they were or what
    /// they have grown to since.
    #[test]
    fn a_restored_window_is_that_before_the_cut(
        config in config(true),
        path in path(),
        events in prop::collection::vec(event(), 1..100),
        timeout in any::<bool>(),
    ) {
        let mut control = config.build(&path);
        for event in &events {
            apply(&mut control, event);
        }
        let before = control.window();
        if timeout {
            control.on_timeout(&Timeout::new(Instant::ZERO, Segments::whole(3)).with_consecutive(1));
        } else {
            control.on_loss(&Loss::new(Instant::ZERO, Segments::whole(3)));
        }
        let cut = control.window();
        control.restore(&before);
        let after = control.window();
        prop_assert_eq!(after.ssthresh, cut.ssthresh.max(before.ssthresh));
        if config.needs().delivery {
            // BBR has kept a window of its own, perhaps one from before that.
            prop_assert!(after.cwnd >= cut.cwnd.max(before.cwnd));
            return Ok(());
        }
        prop_assert_eq!(after.cwnd, cut.cwnd.max(before.cwnd));
        control.restore(&before);
        prop_assert_eq!(after, control.window());
    }

    /// The same events give the same windows.
    #[test]
    fn a_control_is_a_function_of_its_events(
        config in config(true),
        path in path(),
        events in prop::collection::vec(event(), 1..100),
    ) {
        let (mut one, mut other) = (config.build(&path), config.build(&path));
        for event in &events {
            apply(&mut one, event);
        }
        let mut halfway = None;
        for (i, event) in events.iter().enumerate() {
            if i == events.len() / 2 {
                halfway = Some(other.clone());
            }
            apply(&mut other, event);
        }
        // A copy taken halfway continues as the original did.
        let mut copy = halfway.expect("halfway comes");
        for event in &events[events.len() / 2..] {
            apply(&mut copy, event);
        }
        prop_assert_eq!(one.window(), other.window());
        prop_assert_eq!(one.window(), copy.window());
    }
}
