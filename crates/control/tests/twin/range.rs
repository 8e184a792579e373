//! Values within the ranges of parameters.

use dumbbell_control::parameter::{Kind, Setting};
use dumbbell_control::units::{Duration, Ratio, Segments};

/// One of the ends of the range, or a value between them.
pub fn within(kind: Kind, choice: u64) -> Setting {
    let between = |least: u64, most: u64| match choice % 4 {
        0 => least,
        1 => most,
        _ => least + (choice >> 2) % (most - least).max(1),
    };
    let between32 = |least: u32, most: u32| between(least.into(), most.into()) as u32;
    match kind {
        Kind::Segments(least, most) if choice % 4 == 2 => {
            // A few segments, and halves.
            let few = ((choice >> 2) % 16) << 31;
            Setting::Segments(Segments::from_raw(few.clamp(least.raw(), most.raw())))
        }
        Kind::Segments(least, most) => {
            Setting::Segments(Segments::from_raw(between(least.raw(), most.raw())))
        }
        Kind::Duration(least, most) => {
            let [least, most] = [least, most].map(Duration::as_nanos);
            Setting::Duration(Duration::from_nanos(between(least, most)))
        }
        Kind::Count(least, most) | Kind::Rate(least, most) => {
            Setting::Count(between32(least, most))
        }
        Kind::Ratio(least, most) => {
            let parts = between32(least.millionths(), most.millionths());
            Setting::Ratio(Ratio::from_millionths(parts))
        }
        Kind::Flag => Setting::Flag(choice.is_multiple_of(2)),
        Kind::Choice(words) => Setting::Choice(words[(choice % words.len() as u64) as usize]),
    }
}
