//! What explanations compare is as they say.

use super::controls;
use super::reasons::lines_of;

/// One or two numbers, such as `0.8 to 2.96`, at the beginning of these words.
fn range(words: &[&str]) -> Option<[f64; 2]> {
    let number = |word: &str| match word {
        "unlimited" => Some(f64::INFINITY),
        word => word.parse().ok(),
    };
    match words {
        [low, "to", high, ..] => Some([number(low)?, number(high)?]),
        [one, ..] => Some([number(one)?; 2]),
        [] => None,
    }
}

/// Comparisons in the text, such as `N = 0.8 to 2.96 < 3`, hold for the numbers as they are shown;
/// if both sides are ranges, they hold for both ends.
#[test]
fn comparisons_hold_as_they_are_shown() {
    let (mut seen, mut ranges) = (0, 0);
    for config in controls() {
        for line in lines_of(config.name(), config.recoveries()[0]) {
            let words: Vec<&str> = line
                .condition
                .split([' ', ','])
                .filter(|word| !word.is_empty())
                .collect();
            for (i, operator) in words.iter().enumerate() {
                let holds: fn(&f64, &f64) -> bool = match *operator {
                    "<" => f64::lt,
                    "<=" => f64::le,
                    ">" => f64::gt,
                    ">=" => f64::ge,
                    _ => continue,
                };
                let equals = words[..i].iter().rposition(|word| *word == "=");
                // dD is shown as a word.
                let left = equals.map(|equals| &words[equals + 1..i]);
                let Some(left) = left.filter(|left| !left.contains(&"dD")).and_then(range) else {
                    continue;
                };
                // The right side is `3` or, for example, `ssthresh = 16.0`.
                let named = words.get(i + 2) == Some(&"=");
                let right = range(&words[if named { i + 3 } else { i + 1 }..]);
                let right = right.unwrap_or_else(|| panic!("{}", line.condition));
                let both = holds(&left[0], &right[0]) && holds(&left[1], &right[1]);
                assert!(both && left[0] <= left[1], "{}", line.condition);
                seen += 1;
                ranges += u32::from(left[0] < left[1]);
            }
        }
    }
    assert!(seen > 10_000 && ranges > 1_000, "{seen} {ranges}");
}
