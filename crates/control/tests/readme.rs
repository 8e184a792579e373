//! Checks that the README's table of controls agrees with the registry.

use dumbbell_control::controller::{Origin, Signals};
use dumbbell_control::registry;

/// Returns these signals in the words of [`Signals::lacking`].
fn words(mut needs: Signals) -> String {
    let mut words = Vec::new();
    while let Some(word) = needs.lacking(Signals::NONE) {
        words.push(word);
        let first = [
            &mut needs.rtt,
            &mut needs.receiver_time,
            &mut needs.queueing,
            &mut needs.pacing,
            &mut needs.delivery,
            &mut needs.marks,
            &mut needs.l4s,
        ]
        .into_iter()
        .find(|signal| **signal);
        *first.expect("something is lacking") = false;
    }
    match words[..] {
        [] => "nothing".to_owned(),
        _ => words.join(", "),
    }
}

#[test]
fn the_readme_lists_what_each_control_needs() {
    let readme = include_str!("../README.md");
    let (_, section) = readme
        .split_once("## Which control needs what")
        .expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<Vec<&str>> = rows
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    // The table of modules, which follows, has two columns.
    let rows = rows.iter().take_while(|cells| cells.len() == 4);
    let listed: Vec<_> = rows
        .map(|cells| {
            let origin = match cells[3].starts_with("reconstructed") {
                true => Origin::Reconstruction,
                false => Origin::Published,
            };
            let [name, recovery] = [cells[0], cells[2]].map(|cell| cell.trim_matches('`'));
            (name, cells[1].to_owned(), recovery, origin)
        })
        .collect();
    // A new control needs only a file and a line in the registry, so it may lack a row here.
    let known: Vec<_> = registry::all()
        .filter(|control| listed.iter().any(|row| row.0 == control.name()))
        .map(|control| {
            let recovery = control.recoveries()[0];
            (
                control.name(),
                words(control.needs()),
                recovery,
                control.origin(),
            )
        })
        .collect();
    assert_eq!(listed, known);
    assert!(listed.len() >= 15, "the table is not found");
}
