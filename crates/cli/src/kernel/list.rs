//! `dumbbell kernel list`.

#[cfg(target_os = "linux")]
use crate::exit::{Code, Exit};

/// Lists the congestion controls of the Linux kernel, Dumbbell's and its own, who holds them, and how many
/// connections of this network namespace use each.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  dumbbell kernel list\n  dumbbell kernel list --json")]
pub struct Args {
    /// Print one JSON array.
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

    use dumbbell_live::kernel::{self, Entry, Holder, Pins};
    use dumbbell_live::sockets;
    use serde_json::json;

    use super::{Args, Code, Exit};
    use crate::table::new_table;

    pub fn run(args: &Args) -> Result<Code, Exit> {
        let listed = kernel::list(&Pins::default())?;
        let connections = sockets::connections().map_err(|e| Exit::Failed(e.to_string()))?;
        let mut out = anstream::stdout();
        if args.json {
            let rows = kernel::entries(&listed, &connections).map(|row| object(&row));
            let text = serde_json::to_string_pretty(&rows.collect::<Vec<_>>())
                .map_err(|e| Exit::Failed(e.to_string()))?;
            writeln!(out, "{text}")?;
            return Ok(Code::SUCCESS);
        }
        let mut table = new_table(["in the kernel", "control", "held by", "connections"]);
        for row in kernel::entries(&listed, &connections) {
            table.add_row([
                row.name.to_owned(),
                row.control.unwrap_or("-").to_owned(),
                holder(&row),
                row.connections.to_string(),
            ]);
        }
        writeln!(out, "{table}")?;
        Ok(Code::SUCCESS)
    }

    /// Returns who keeps a control in the kernel.
    fn holder(row: &Entry<'_>) -> String {
        match row.holder {
            None => "nobody: not loaded".to_owned(),
            Some(Holder::Kernel) => "the kernel".to_owned(),
            Some(Holder::Pinned(place)) => format!("pin {}", place.display()),
            Some(Holder::Leftover(place)) => format!("leftover {}", place.display()),
            Some(Holder::Process {
                pid: Some(pid),
                command,
            }) => format!("process {pid} ({})", command.as_deref().unwrap_or("?")),
            Some(Holder::Process { .. }) => "a process".to_owned(),
            Some(Holder::Unknown) => "unknown: only root can see it".to_owned(),
        }
    }

    fn object(row: &Entry<'_>) -> serde_json::Value {
        let kind = match row.holder {
            None => "nobody",
            Some(Holder::Kernel) => "kernel",
            Some(Holder::Pinned(_)) => "pin",
            Some(Holder::Leftover(_)) => "leftover",
            Some(Holder::Process { .. }) => "process",
            Some(Holder::Unknown) => "unknown",
        };
        let mut object = json!({
            "name": row.name,
            "control": row.control,
            "loaded": !matches!(row.holder, None | Some(Holder::Leftover(_))),
            "held_by": kind,
            "connections": row.connections,
        });
        match row.holder {
            Some(Holder::Pinned(place) | Holder::Leftover(place)) => {
                object["pin"] = json!(place);
            }
            Some(Holder::Process { pid, .. }) => object["pid"] = json!(pid),
            _ => {}
        }
        object
    }
}
