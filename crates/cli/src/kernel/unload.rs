//! `dumbbell kernel unload`.

#[cfg(target_os = "linux")]
use crate::exit::{Code, Exit};

/// Unloads pinned controls (as root). Connections that use a control keep it until they end.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  dumbbell kernel unload veno\n  dumbbell kernel unload veno_beta4\n  dumbbell kernel unload --all"
)]
pub struct Args {
    /// The control, or its name in the kernel.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    control: Option<String>,
    /// Unload everything that was pinned, and what killed loaders left behind.
    #[arg(long)]
    all: bool,
}

#[cfg(all(target_os = "linux", not(feature = "kernel")))]
pub fn run(_: &Args) -> Result<Code, Exit> {
    Err(super::not_built())
}

#[cfg(all(target_os = "linux", feature = "kernel"))]
pub fn run(args: &Args) -> Result<Code, Exit> {
    use std::io::Write as _;

    use dumbbell_live::kernel::{self, Holder, Pins};
    use dumbbell_live::machine;

    let pins = Pins::default();
    let mut out = anstream::stdout();
    let Some(given) = &args.control else {
        let mut names: Vec<_> = kernel::list(&pins)?
            .into_iter()
            .filter(|one| matches!(one.holder, Holder::Pinned(_) | Holder::Leftover(_)))
            .map(|one| one.name)
            .collect();
        names.sort();
        names.dedup();
        let mut done = Ok(Code::SUCCESS);
        for name in &names {
            // A control that cannot be unloaded does not prevent the others from being unloaded.
            match pins.unpin(name) {
                Ok(()) => writeln!(out, "{name} is unloaded")?,
                Err(error) => done = done.and(Err(error.into())),
            }
        }
        if names.is_empty() {
            writeln!(out, "nothing is pinned")?;
        }
        return done;
    };
    let name = match pins.directory(given).exists() {
        true => given.as_str(),
        false => kernel::find(given).map_or(given.as_str(), |control| control.name),
    };
    pins.unpin(name)?;
    writeln!(
        out,
        "{name} is unloaded; connections that use it keep it until they end"
    )?;
    if machine::default_control().is_some_and(|control| control == name) {
        writeln!(
            out,
            "It is still the control of new connections, which cannot have it: \
             sysctl net.ipv4.tcp_congestion_control=cubic"
        )?;
    }
    Ok(Code::SUCCESS)
}
