//! Checks of names in a description that refer to its other parts, or to the scenario.

use super::named;
use crate::claim::Claim;
use crate::description::{Keys, Node};
use crate::experiment::curve::{Variant, stand_ins};
use crate::experiment::grid::set_key;
use crate::experiment::measure::Measure;
use crate::experiment::sweep::Sweep;

/// Checks that a claim which judges a sentence again names another claim that judges it first. A
/// claim of another figure is checked by the library, which knows them all.
pub(super) fn check_again(items: &[Node<'_>], claims: &[Option<Claim>]) {
    let first = |id: &str| {
        let mut known = claims.iter().flatten();
        known.any(|claim| claim.id == id && claim.again.is_none())
    };
    for (node, claim) in items.iter().zip(claims) {
        let again = claim.as_ref().and_then(|claim| claim.again.as_deref());
        let Some(again) = again.filter(|again| !again.contains('.') && !first(again)) else {
            continue;
        };
        let key = node.part("again").or(node.part("part_of"));
        key.unwrap_or(node.clone()).wrong(
            format!("no claim `{again}` judges a sentence first"),
            "name a claim of this figure without `again`, or FIGURE.ID of another figure",
        );
    }
}

/// Reports names that are used twice.
pub(super) fn unlike<'a>(items: &[Node<'_>], names: impl Iterator<Item = Option<&'a str>>) {
    let mut seen = Vec::new();
    for (name, node) in names.zip(items) {
        let Some(name) = name else { continue };
        if seen.contains(&name) {
            named(node).wrong(
                format!("`{name}` is there twice"),
                "they become names of files and records",
            );
        }
        seen.push(name);
    }
}

/// Checks the names in the `over` of measures, and the curves that replace them.
pub(super) fn check_over(
    declared: &[Node<'_>],
    series: &[Variant],
    measures: &[Measure],
    keys: &Keys<'_>,
) {
    let curves = || series.iter().map(|variant| variant.name.as_str());
    let mut stood_for: Vec<String> = Vec::new();
    for node in declared.iter().filter(|node| !node.is_text()) {
        let Some(keys) = node.keys("a curve") else {
            continue;
        };
        for (of, stands) in stand_ins(&keys) {
            if !measures
                .iter()
                .any(|measure| measure.over.as_deref() == Some(of.name()))
            {
                let over = measures.iter().filter_map(|measure| measure.over.clone());
                let over: Vec<String> = over.collect();
                let help = match over.as_slice() {
                    [] => "no measure is over anything".to_owned(),
                    over => format!("measures are over {}", over.join(", ")),
                };
                of.wrong(format!("no measure is over `{}`", of.name()), help);
            }
            stands.known("curve", curves());
            stood_for.push(of.name().to_owned());
        }
    }
    for (measure, node) in measures.iter().zip(keys.items("measure")) {
        let Some(over) = measure
            .over
            .as_ref()
            .filter(|over| !stood_for.contains(*over))
        else {
            continue;
        };
        let node = node.part("over");
        if let Some(node) = node.filter(|_| curves().all(|curve| curve != over)) {
            node.known("curve", curves());
        }
    }
}

/// The key of an entry of a table.
fn entry<'d>(node: Option<Node<'d>>, key: &str) -> Option<Node<'d>> {
    let entries = node?.keys("")?.entries();
    entries
        .into_iter()
        .map(|(of, _)| of)
        .find(|of| of.name() == key)
}

/// Checks that the scenario has a table for every key that is set.
pub(super) fn check_settings(
    keys: &Keys<'_>,
    declared: &[Node<'_>],
    series: &[Variant],
    (x, y): (Option<&Sweep>, Option<&Sweep>),
    scenario: &toml::Table,
) {
    let refuse = |node: &Node<'_>, key: &str| {
        node.wrong(
            format!("the scenario has no key `{key}` to set"),
            "a path of the names of its tables and numbers in its lists, with dots between them",
        );
    };
    for variant in series {
        let own = variant.row.as_ref().map_or(&variant.name, |(name, _)| name);
        let own = declared.iter().find(|node| named(node).text() == Some(own));
        let mut table = scenario.clone();
        let mut known = true;
        for (key, value) in &variant.set {
            if set_key(&mut table, key, value.clone()).is_some() {
                continue;
            }
            known = false;
            let set = own.and_then(|node| node.part("set"));
            let of_y = y.filter(|y| y.varies(key)).and_then(|_| keys.find("y"));
            let of_y = of_y.map(|node| node.part("key").unwrap_or(node));
            let node = entry(set, key)
                .or(of_y)
                .or(own.cloned())
                .or(keys.find("factorial"));
            if let Some(node) = node {
                refuse(&node, key);
            }
        }
        let Some((sweep, node)) = x.zip(keys.find("x")).filter(|_| known && !variant.fixed) else {
            continue;
        };
        let place = |at: usize| node.part("places")?.items()?.into_iter().nth(at);
        for at in 0..sweep.values().len() {
            let mut table = table.clone();
            for (key, value) in sweep.settings(at) {
                if set_key(&mut table, &key, value).is_none() {
                    let of_key = node.part("key").unwrap_or(node.clone());
                    refuse(&entry(place(at), &key).unwrap_or(of_key), &key);
                }
            }
        }
    }
}
