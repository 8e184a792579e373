//! The entries of flows in the scenario of a path.

use std::mem;

use toml::{Table, Value};

/// Leaves out of a scenario what the matrix replaces, and what only some controls have.
pub(super) fn prepare(table: &mut Table) {
    // Samples may be of what only some controls have.
    table.remove("probe");
    table.entry("tcp").or_insert_with(|| Table::new().into());
    for flow in transfers(table) {
        flow.remove("control");
        flow.remove("recovery");
    }
}

/// The scenario in which NewReno shares a path with a control; `None` if that is the path's own,
/// because its TCP flows come in pairs.
pub(super) fn shared(own: &Table) -> Option<Table> {
    check_pairs(own).is_err().then(|| with_twins(own))
}

/// The same scenario, with a twin after each TCP flow.
fn with_twins(own: &Table) -> Table {
    let mut table = own.clone();
    let flows = table.get_mut("flow").and_then(Value::as_array_mut);
    if let Some(flows) = flows {
        let mut all: Vec<Value> = Vec::new();
        for (number, entry) in (1..).zip(mem::take(flows)) {
            let twin = entry.as_table().filter(|flow| is_transfer(flow)).cloned();
            all.push(entry);
            if let Some(mut twin) = twin {
                let name = twin.get("name").and_then(Value::as_str);
                let name = name.map_or_else(|| format!("flow {number}"), str::to_owned);
                twin.insert("name".to_owned(), format!("{name}, its twin").into());
                all.push(twin.into());
            }
        }
        *flows = all;
    }
    table
}

/// The tables of the TCP flows.
pub(super) fn transfers(table: &mut Table) -> impl Iterator<Item = &mut Table> {
    let flows = table.get_mut("flow").and_then(Value::as_array_mut);
    let entries = flows.into_iter().flatten().filter_map(Value::as_table_mut);
    entries.filter(|flow| is_transfer(flow))
}

/// Whether an entry of flows is TCP.
fn is_transfer(flow: &Table) -> bool {
    !flow.contains_key("source") && !flow.contains_key("rate_control")
}

pub(super) fn check(table: &Table) -> Result<(), &'static str> {
    let mut table = table.clone();
    if !table.get("tcp").is_some_and(Value::is_table) {
        return Err("there is no [tcp] whose control could be set");
    }
    let own = |flow: &mut Table| flow.contains_key("control") || flow.contains_key("recovery");
    match transfers(&mut table).any(own) {
        true => Err("a flow has a control or a recovery of its own"),
        false => Ok(()),
    }
}

pub(super) fn check_pairs(table: &Table) -> Result<(), &'static str> {
    let mut table = table.clone();
    let count = |flow: &mut Table| flow.get("count").and_then(Value::as_integer).unwrap_or(1);
    let counts: Vec<i64> = transfers(&mut table).map(count).collect();
    match counts
        .chunks(2)
        .all(|pair| matches!(pair, [a, b] if a == b))
    {
        true => Ok(()),
        false => Err("its entries of flows are no pairs"),
    }
}
