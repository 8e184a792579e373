//! A parity as tables for the terminal and the page.

use dumbbell_lab::comparison::Titled;
use dumbbell_live::compare::Measure;
use dumbbell_live::parity::{Agreement, Host, Parity, Row};
use dumbbell_scenario::Scenario;

use crate::trials::text::{Cells, lines, over, ratio, shown, switches, titled};

/// Returns the results: one row per control and host.
pub fn cells(found: &Parity) -> Cells {
    let doubtful = found.is_doubtful();
    let mut heads = vec!["control".to_owned(), "host".to_owned()];
    heads.extend(Measure::ALL.map(|it| it.title().to_owned()));
    heads.extend(["real / simulated", "agrees"].map(str::to_owned));
    heads.extend(doubtful.then(|| "doubtful runs".to_owned()));
    let rows = found.rows.iter().flat_map(|row| {
        let pairs = row.pairs();
        let sides = row.sides.iter().enumerate();
        let rows = sides.map(|(place, side)| {
            let label = if place == 0 { row.label.as_str() } else { "" };
            let mut cells = vec![label.to_owned(), side.host.name().to_owned()];
            cells.extend(Measure::ALL.map(|it| shown(it, side.value(it))));
            let goodput = pairs
                .iter()
                .find(|it| it.host == side.host && it.quantity == Measure::Goodput);
            cells.push(goodput.map_or_else(String::new, |it| ratio(it.ratio())));
            cells.push(goodput.map_or_else(String::new, |it| it.agreement.word().to_owned()));
            cells.extend(doubtful.then(|| match side.runs.len() {
                0 => String::new(),
                runs => format!("{} of {runs}", side.doubtful()),
            }));
            cells
        });
        rows.collect::<Vec<_>>()
    });
    Cells {
        heads,
        rows: rows.collect(),
    }
}

/// Returns the further tables: what does not agree, which control is faster than which, and what makes hosts differ.
pub fn compared(found: &Parity) -> Vec<Titled> {
    let mut tables = Vec::new();
    tables.extend(disagreements(&found.rows));
    tables.extend(orders(found));
    for reason in &found.reasons {
        let hosts = (reason.real.name(), reason.simulated.name());
        let gaps = reason.gaps.iter();
        tables.extend(gaps.map(|gap| switches(&reason.label, hosts, reason.runs, gap)));
    }
    tables
}

/// Returns the quantities that are not within their bounds; `None` if all are.
fn disagreements(rows: &[Row]) -> Option<Titled> {
    let pairs: Vec<_> = rows.iter().flat_map(Row::pairs).collect();
    let apart = pairs
        .iter()
        .filter(|it| it.agreement != Agreement::Within)
        .map(|it| {
            vec![
                it.label.clone(),
                it.quantity.title().to_owned(),
                it.host.name().to_owned(),
                shown(it.quantity, Some(it.real)),
                shown(it.quantity, Some(it.simulated)),
                ratio(it.ratio()),
                it.agreement.word().to_owned(),
            ]
        });
    let rows: Vec<_> = apart.collect();
    let heads = [
        "control",
        "quantity",
        "host",
        "real",
        "simulated",
        "real / simulated",
        "agrees",
    ];
    (!rows.is_empty()).then(|| Titled {
        title: format!(
            "{} of {} quantities are not within their bounds",
            rows.len(),
            pairs.len()
        ),
        heads: heads.map(str::to_owned).to_vec(),
        rows,
    })
}

/// Returns which control has more goodput than which, and where; `None` if no host tells any two apart.
fn orders(found: &Parity) -> Option<Titled> {
    let names = |hosts: &[Host]| {
        let names = hosts.iter().map(|host| host.name());
        names.collect::<Vec<_>>().join(", ")
    };
    let orders = found.orders();
    let against = orders.iter().filter(|it| !it.against.is_empty()).count();
    let rows = orders.iter().map(|it| {
        vec![
            format!("{} > {}", it.faster, it.slower),
            names(&it.hosts),
            names(&it.against),
        ]
    });
    let heads = [
        "goodput",
        "by more than both intervals",
        "the other way round",
    ];
    (!orders.is_empty()).then(|| Titled {
        title: match against {
            0 => "Hosts that tell two controls apart agree on which is faster".to_owned(),
            _ => format!("Hosts disagree on which control is faster, {against} times"),
        },
        heads: heads.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    })
}

/// Returns the tables, with their heading and warnings.
pub fn of(scenario: &Scenario, found: &Parity) -> String {
    let mut text = heading(scenario, found);
    text.push('\n');
    text += &cells(found).table();
    for table in compared(found) {
        text += &titled(table);
    }
    text += &lines(&found.warnings());
    text
}

/// Returns a line that says what was compared.
pub fn heading(scenario: &Scenario, found: &Parity) -> String {
    let what = format!("each control on each host, packets of {} bytes", found.mtu);
    over(
        scenario,
        &what,
        found.repeat(),
        found.duration_s,
        found.first_seed,
    )
}
