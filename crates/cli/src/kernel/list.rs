//! `dumbbell kernel list`.

#[cfg(target_os = "linux")]
use crate::exit::{Code, Exit};

/// Lists the congestion controls of the Linux kernel: ours and its own, who holds them, and how many connections of
/// this network namespace use each.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  dumbbell kernel list\n  dumbbell kernel list --json")]
pub struct Args {
    /// One JSON array.
    #[arg(long)]
    json: bool,
}

#[cfg(all(target_os = "linux", not(feature = "kernel")))]
pub fn run(_: &Args) -> Result<Code, Exit> {
    Err(super::not_built())
}

#[cfg(all(target_os = "linux", feature = "kernel"))]
pub use with_kernel::run;

#[cfg(all(target_os = "linux", feature = "kernel"))]
mod with_kernel {
    use std::io::Write as _;

    use dumbbell_live::kernel::{self, Holder, Listed, Pins};
    use dumbbell_live::sockets::{self, Connection};
    use serde_json::json;

    use super::{Args, Code, Exit};
    use crate::table::new_table;

    pub fn run(args: &Args) -> Result<Code, Exit> {
        let listed = kernel::list(&Pins::default())?;
        let connections = sockets::connections().map_err(|e| Exit::Failed(e.to_string()))?;
        let mut out = anstream::stdout();
        if args.json {
            let rows = rows(&listed, &connections).map(|row| row.json());
            let text = serde_json::to_string_pretty(&rows.collect::<Vec<_>>())
                .map_err(|e| Exit::Failed(e.to_string()))?;
            writeln!(out, "{text}")?;
            return Ok(Code::SUCCESS);
        }
        let mut table = new_table(["in the kernel", "control", "held by", "connections"]);
        for row in rows(&listed, &connections) {
            table.add_row([
                row.name.to_owned(),
                row.control.unwrap_or("-").to_owned(),
                row.holder(),
                row.connections.to_string(),
            ]);
        }
        writeln!(out, "{table}")?;
        Ok(Code::SUCCESS)
    }

    /// A control of the kernel, or one of ours that is not there.
    struct Row<'a> {
        name: &'a str,
        control: Option<&'static str>,
        holder: Option<&'a Holder>,
        connections: usize,
    }

    fn rows<'a>(
        listed: &'a [Listed],
        connections: &'a [Connection],
    ) -> impl Iterator<Item = Row<'a>> {
        let using = |name: &str| connections.iter().filter(|c| c.control == name).count();
        let there = listed.iter().map(move |one| Row {
            name: &one.name,
            control: one.control.map(|control| control.algorithm),
            holder: Some(&one.holder),
            connections: using(&one.name),
        });
        let absent = kernel::controls().iter().filter(|control| {
            let mut there = listed.iter().filter_map(|one| one.control);
            there.all(|known| known.algorithm != control.algorithm)
        });
        there.chain(absent.map(move |control| Row {
            name: control.name,
            control: Some(control.algorithm),
            holder: None,
            connections: using(control.name),
        }))
    }

    impl Row<'_> {
        fn holder(&self) -> String {
            match self.holder {
                None => "nobody: not loaded".to_owned(),
                Some(Holder::Kernel) => "the kernel".to_owned(),
                Some(Holder::Pinned(place)) => format!("pin {}", place.display()),
                Some(Holder::Leftover(place)) => format!("leftover {}", place.display()),
                Some(Holder::Process {
                    pid: Some(pid),
                    command,
                }) => format!("process {pid} ({})", command.as_deref().unwrap_or("?")),
                Some(Holder::Process { .. }) => "a process".to_owned(),
                Some(Holder::Unknown) => "unknown: only root may know".to_owned(),
            }
        }

        fn json(&self) -> serde_json::Value {
            let kind = match self.holder {
                None => "nobody",
                Some(Holder::Kernel) => "kernel",
                Some(Holder::Pinned(_)) => "pin",
                Some(Holder::Leftover(_)) => "leftover",
                Some(Holder::Process { .. }) => "process",
                Some(Holder::Unknown) => "unknown",
            };
            let mut row = json!({
                "name": self.name,
                "control": self.control,
                "loaded": !matches!(self.holder, None | Some(Holder::Leftover(_))),
                "held_by": kind,
                "connections": self.connections,
            });
            match self.holder {
                Some(Holder::Pinned(place) | Holder::Leftover(place)) => {
                    row["pin"] = json!(place);
                }
                Some(Holder::Process { pid, .. }) => row["pid"] = json!(pid),
                _ => {}
            }
            row
        }
    }
}
