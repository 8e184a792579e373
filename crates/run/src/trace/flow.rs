//! Selects the flows to trace.

use dumbbell_scenario::named_flows;
use dumbbell_scenario::{Flow, Scenario, Traffic};

use super::TraceError;

/// A traced flow of a run.
#[derive(Clone, Debug)]
pub(super) struct Traced<'s> {
    /// Its position among all flows.
    pub index: usize,
    /// Its name, numbered if it is one of several copies.
    pub name: String,
    /// What it sends.
    pub traffic: &'s Traffic,
}

/// Selects the flows with these names or numbers, in their order; all flows if none are given. A
/// name may be that of one flow or of all flows of a table; numbers count from 1.
pub(super) fn choose<'s>(
    scenario: &'s Scenario,
    wanted: &[String],
) -> Result<Vec<Traced<'s>>, TraceError> {
    let all: Vec<_> = named_flows(scenario).collect();
    let mut chosen = vec![wanted.is_empty(); all.len()];
    for word in wanted {
        let mut found = false;
        for (chosen, (flow, name)) in chosen.iter_mut().zip(&all) {
            if word == name || *word == flow.name {
                *chosen = true;
                found = true;
            }
        }
        let number = word.parse().ok().and_then(|n: usize| n.checked_sub(1));
        if !found && let Some(chosen) = number.and_then(|n| chosen.get_mut(n)) {
            *chosen = true;
            found = true;
        }
        if !found {
            return Err(TraceError::UnknownFlow {
                wanted: word.clone(),
                known: known(scenario, all.len()),
            });
        }
    }
    // A packet of a workload belongs to one of many connections, which traces cannot tell apart. If no flow is
    // named, the others are traced.
    let connects = |flow: &Flow| matches!(flow.traffic, Traffic::Workload(_));
    for (chosen, (flow, name)) in chosen.iter_mut().zip(&all) {
        if *chosen && connects(flow) {
            if !wanted.is_empty() {
                return Err(TraceError::Workload(name.clone()));
            }
            *chosen = false;
        }
    }
    if let (false, Some((_, name))) = (chosen.contains(&true), all.first()) {
        return Err(TraceError::Workload(name.clone()));
    }
    Ok(all
        .into_iter()
        .enumerate()
        .filter(|(index, _)| chosen[*index])
        .map(|(index, (flow, name))| Traced {
            index,
            name,
            traffic: &flow.traffic,
        })
        .collect())
}

/// The names of the flows, in words.
fn known(scenario: &Scenario, count: usize) -> String {
    const MOST_NAMES: usize = 8;
    let mut names: Vec<_> = scenario
        .flows
        .iter()
        .take(MOST_NAMES)
        .map(|flow| match flow.count {
            1 => format!("`{}`", flow.name),
            count => format!("`{0}.1` to `{0}.{count}`", flow.name),
        })
        .collect();
    if scenario.flows.len() > MOST_NAMES {
        names.push("others".to_owned());
    }
    let numbers = match count {
        1 => "number 1".to_owned(),
        count => format!("numbers 1 to {count}"),
    };
    format!("{} ({numbers})", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_scenario::controls::Controls;

    fn scenario() -> Scenario {
        let text = r#"
            duration = "1 s"
            [dumbbell]
            access = { rate = "10 Mb/s", delay = "1 ms" }
            bottleneck = { rate = "2 Mb/s", delay = "1 ms", queue = { droptail = 9 } }
            [[flow]]
            control = "reno"
            count = 3
            [[flow]]
            name = "2"
            control = "veno"
            [[flow]]
            source = { cbr = "1 Mb/s" }
        "#;
        Scenario::parse("test.toml", text, &Controls::builtin()).expect("it is right")
    }

    fn chosen(words: &[&str]) -> Result<Vec<usize>, String> {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        choose(&scenario(), &words)
            .map(|flows| flows.iter().map(|flow| flow.index).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn flows_are_chosen_by_name_and_by_number() {
        assert_eq!(chosen(&[]), Ok(vec![0, 1, 2, 3, 4]));
        assert_eq!(chosen(&["reno"]), Ok(vec![0, 1, 2]));
        assert_eq!(chosen(&["cbr", "reno.2"]), Ok(vec![1, 4]));
        assert_eq!(chosen(&["1", "5", "1"]), Ok(vec![0, 4]));
        assert_eq!(chosen(&["2"]), Ok(vec![3]), "a name stands above a number");
    }

    #[test]
    fn an_error_about_an_unknown_flow_lists_the_known_flows() {
        for word in ["vegas", "0", "6", "reno.4", "-1", ""] {
            assert_eq!(
                chosen(&["1", word]),
                Err(format!(
                    "there is no flow `{word}`; there is `reno.1` to `reno.3`, `2`, `cbr` (numbers 1 to 5)"
                ))
            );
        }
    }
}
