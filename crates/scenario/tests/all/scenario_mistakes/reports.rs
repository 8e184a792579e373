//! Whole reports: their order and their length.

use dumbbell_scenario::Report;

use super::report;

#[test]
fn all_mistakes_of_a_file_are_reported_in_its_order() {
    let text = "durration = \"1 s\"\n[dumbbell]\naccess = { rate = 10, delay = \"1 Mb\" }\n\
                bottleneck = { rate = \"2 Mb/s\" }\n[[flow]]\ncontrol = \"veno\"\ncount = 0\npayload = \"1 s\"\n";
    let report = report(text);
    let places: Vec<(usize, usize)> = report
        .problems()
        .iter()
        .map(|p| (p.line, p.column))
        .collect();
    // `durration`; rate; delay; missing delay and queue; count; payload.
    assert_eq!(
        places,
        [(1, 1), (3, 19), (3, 31), (4, 14), (4, 14), (7, 9), (8, 11)]
    );
}

#[test]
fn a_report_of_very_many_mistakes_is_cut_short() {
    let text = format!("duration = \"1 s\"\n{}", "[[flow]]\nx = 1\n".repeat(2000));
    assert_eq!(report(&text).problems().len(), Report::MOST);
}
