//! Several real connections beside each other.

mod page;
mod tabular;

use dumbbell_live::compare::contenders;
use dumbbell_live::mixture::{Entry, Mixture, Places, Plan, Sort, entry, own};
use dumbbell_live::real_flow::Pick;
use dumbbell_live::trials::Schedule;
use dumbbell_scenario::Scenario;

use super::Args;
use super::page::NAME;
use crate::exit::{Code, Exit};
use crate::trials::tell;
use crate::{interrupt, progress};

/// The word for all flows of the file.
const FILE: &str = "file";

pub fn run(args: &Args, scenario: &Scenario, schedule: Schedule) -> Result<Code, Exit> {
    let (places, together) = placed(args, scenario)?;
    let folder = args.options.folder(NAME)?;
    let interrupted = interrupt::flag();
    let is_beside = !args.beside.is_empty();
    // What `all` means is known once they have been looked up.
    let wanted = if is_beside { &args.controls[..] } else { &[] };
    let entered = contenders::enter(wanted, scenario)?;
    let first: Vec<String> = entered
        .contenders
        .iter()
        .map(|it| it.label.clone())
        .collect();
    let others = together.iter().chain(&args.beside);
    let others = others.filter_map(Entry::control).map(str::to_owned);
    let others: Vec<String> = others.filter(|it| !first.contains(it)).collect();
    let also_entered = contenders::enter(&others, scenario)?;
    tell(&[entered.notes, also_entered.notes].concat());
    let mut controls = entered.contenders;
    controls.extend(also_entered.contenders);
    let mixtures: Vec<Mixture> = match is_beside {
        true => entry::beside(&first, &args.beside, &controls),
        false => entry::mixture(&together, &controls).map(|it| vec![it]),
    }
    .map_err(Exit::BadInput)?;
    let plan = Plan {
        scenario,
        places,
        contenders: controls,
        mixtures,
        reference: is_beside,
        schedule,
    };
    let bar = progress::of_real_time(plan.runs(), schedule.jobs, schedule.duration);
    let found = plan.run(&interrupted, || bar.over());
    bar.finish();
    let found = page::found(scenario, &found?);
    let report = (folder.as_deref(), NAME);
    args.options
        .hand_over(scenario, found, report, &interrupted)
}

/// Returns where the connections are, and those of `--together`.
fn placed(args: &Args, scenario: &Scenario) -> Result<(Places, Vec<Entry>), Exit> {
    let all = Sort::Tcp(FILE.to_owned());
    if !args
        .together
        .iter()
        .chain(&args.beside)
        .any(|it| it.sort == all)
    {
        let picked = Pick::Tcp.of(scenario, args.options.flow.as_deref())?;
        return Ok((Places::Instead(picked), args.together.clone()));
    }
    if args.together.len() != 1 || args.together[0].count != 1 || args.options.flow.is_some() {
        return Err(Exit::BadInput(
            "`file` means all TCP flows of the scenario: it stands alone in --together, without --flow".to_owned(),
        ));
    }
    let (places, names): (Vec<usize>, Vec<String>) = own(scenario).into_iter().unzip();
    let entries = names.into_iter().map(|name| Entry {
        count: 1,
        sort: Sort::Tcp(name),
    });
    let entries: Vec<Entry> = entries.collect();
    if entries.is_empty() {
        return Err(Exit::BadInput(
            "the scenario has no TCP flow that always has data to send".to_owned(),
        ));
    }
    Ok((Places::Own(places), entries))
}
