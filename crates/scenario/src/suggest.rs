//! "Did you mean ...?"

/// Returns the candidate that a misspelt word most likely means; `None` if none is similar.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let plain = fold(word);
    let allowed = 1 + plain.len() / 4;
    candidates
        .into_iter()
        .map(|candidate| (distance(&plain, &fold(candidate)), candidate))
        .filter(|(far, candidate)| *far <= allowed && *far < candidate.chars().count())
        .min_by_key(|(far, _)| *far)
        .map(|(_, candidate)| candidate)
}

/// Returns a hint that names the most similar candidate, or else all of them.
pub fn help(word: &str, what: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("{what}: {}", list(candidates)),
    }
}

/// Formats a list as `a`, `b` and `c`, each in backticks.
pub fn list(words: &[&str]) -> String {
    joined(words, "and")
}

/// Formats a list as `a`, `b` or `c`, each in backticks.
pub fn either(words: &[&str]) -> String {
    joined(words, "or")
}

fn joined(words: &[&str], conjunction: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => "none".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} {conjunction} {last}", rest.join(", ")),
    }
}

/// Removes differences of case, hyphens and underscores.
fn fold(word: &str) -> Vec<char> {
    word.chars()
        .take(64)
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns how many letters must be inserted, deleted, replaced or swapped with their neighbour (the
/// restricted edit distance of Damerau, 1964).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_found() {
        let words = ["duration", "delay", "rate", "queue", "initial_window"];
        assert_eq!(nearest("durration", words), Some("duration"));
        assert_eq!(nearest("dealy", words), Some("delay"));
        assert_eq!(nearest("Rate", words), Some("rate"));
        assert_eq!(nearest("initial-window", words), Some("initial_window"));
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("", words), None);
    }

    #[test]
    fn a_hint_lists_all_candidates_if_none_is_similar() {
        assert_eq!(
            help("zzz", "known", &["a", "bb", "ccc"]),
            "known: `a`, `bb` and `ccc`"
        );
        assert_eq!(
            help("bandwith", "known", &["bandwidth"]),
            "did you mean `bandwidth`?"
        );
        assert_eq!(list(&["x"]), "`x`");
    }
}
