//! `dumbbell kernel load`.

#[cfg(target_os = "linux")]
use crate::exit::{Code, Exit};

/// Loads one of Dumbbell's controls into the Linux kernel (as root).
///
/// Loading does not change any connection: a program or a system setting has to select the control. The
/// command prints how to do so. Without --pin the control stays loaded until Ctrl-C.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The control: veno, venodb, vegas, rovegas, westwood, westwood+, sarbe or dctcp.
    control: String,
    /// Keep it in the kernel until it is unloaded or the machine reboots.
    #[arg(long)]
    pin: bool,
    /// Set a parameter to another value than the paper's (`dumbbell list --parameters` lists all of them).
    /// May be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Another name in the kernel, instead of db_ and the control's name: at most 15 letters, digits and `_`.
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// With rovegas: handle its IP option on this network device, for a host with senders (without a ROLE),
    /// for a host with receivers, or for a router whose queue is on the device. May be given several times.
    #[arg(long, value_name = "DEV[:sender|receiver|router]")]
    aqt: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell kernel load veno
  dumbbell kernel load venodb --pin
  dumbbell kernel load veno --set beta=4 --as veno_beta4
  dumbbell kernel load rovegas --aqt eth0                      a host that sends
  dumbbell kernel load rovegas --aqt eth0:receiver --pin       a host that receives
  dumbbell kernel load rovegas --aqt queue0:router             a router (docs/kernel.md)";

#[cfg(all(target_os = "linux", not(feature = "kernel")))]
pub fn run(_: &Args) -> Result<Code, Exit> {
    Err(super::not_built())
}

#[cfg(all(target_os = "linux", feature = "kernel"))]
pub use with_kernel::run;

#[cfg(all(target_os = "linux", feature = "kernel"))]
mod with_kernel {
    use std::io::Write as _;
    use std::os::fd::AsFd as _;
    use std::sync::atomic::Ordering;
    use std::thread;
    use std::time::Duration;

    use dumbbell_live::kernel::aqt::{Aqt, Counts, Role};
    use dumbbell_live::kernel::{self, KernelControl, Loaded, Options, Pins};
    use dumbbell_live::machine;

    use super::{Args, Code, Exit};
    use crate::interrupt;

    /// The interval at which Ctrl-C is checked.
    const PAUSE: Duration = Duration::from_millis(100);

    pub fn run(args: &Args) -> Result<Code, Exit> {
        let control = kernel::find(&args.control)?;
        let places = places(control, &args.aqt)?;
        let options = Options {
            name: args.name.clone(),
            config: Some(kernel::read_settings(control, &settings(&args.set)?)?),
        };
        // From here on Ctrl-C unloads everything that is loaded.
        let interrupted = interrupt::flag();
        let loaded = kernel::load(control.algorithm, &options)?;
        let name = loaded.name().to_owned();
        let aqt = carry(&loaded, &places)?;
        if args.pin {
            let pins = Pins::default();
            match &aqt {
                Some(aqt) => loaded.pin_with(&pins, aqt)?,
                None => loaded.pin(&pins)?,
            }
            tell(
                control,
                &name,
                &places,
                &format!("dumbbell kernel unload {name}"),
            )?;
            return Ok(Code::SUCCESS);
        }
        tell(control, &name, &places, "Ctrl-C")?;
        while !interrupted.load(Ordering::Relaxed) {
            thread::sleep(PAUSE);
        }
        let counts = aqt.as_ref().map(Aqt::counts).transpose()?;
        drop((aqt, loaded));
        let mut out = anstream::stdout();
        writeln!(
            out,
            "\n{name} is unloaded; connections that use it keep it until they end"
        )?;
        if let Some(counts) = counts {
            writeln!(out, "{}", summary(&counts))?;
        }
        Ok(Code::SUCCESS)
    }

    /// Splits settings into names and values.
    fn settings(given: &[String]) -> Result<Vec<(&str, &str)>, Exit> {
        given
            .iter()
            .map(|setting| {
                let (name, value) = setting.split_once('=').ok_or_else(|| {
                    Exit::BadInput(format!(
                        "--set {setting}: a parameter and its value, such as --set beta=4"
                    ))
                })?;
                Ok((name.trim(), value.trim()))
            })
            .collect()
    }

    /// Parses devices and roles.
    fn places(control: &KernelControl, given: &[String]) -> Result<Vec<(String, Role)>, Exit> {
        if !given.is_empty() && control.algorithm != "rovegas" {
            return Err(Exit::BadInput(format!(
                "--aqt is for rovegas: {} does not read AQT",
                control.algorithm
            )));
        }
        let mut places = Vec::new();
        for given in given {
            let place = place(given)?;
            if places.contains(&place) {
                return Err(Exit::BadInput(format!(
                    "--aqt {given}: the same device has that role already"
                )));
            }
            places.push(place);
        }
        Ok(places)
    }

    /// Parses a device and its role.
    fn place(given: &str) -> Result<(String, Role), Exit> {
        let (device, role) = given.split_once(':').unwrap_or((given, "sender"));
        match role.parse() {
            Ok(role) if !device.is_empty() => Ok((device.to_owned(), role)),
            _ => Err(Exit::BadInput(format!(
                "--aqt {given}: a device and a role, such as {}:receiver; the roles are sender, receiver and \
                 router",
                if device.is_empty() { "eth0" } else { device }
            ))),
        }
    }

    /// Attaches the AQT programs, either all of them or none.
    fn carry(loaded: &Loaded, places: &[(String, Role)]) -> Result<Option<Aqt>, Exit> {
        if places.is_empty() {
            return Ok(None);
        }
        let reports = loaded.map("aqt_sk")?;
        let mut aqt = Aqt::load(loaded.name(), Some(reports.as_fd()))?;
        for (device, role) in places {
            aqt.attach(device, *role)?;
        }
        Ok(Some(aqt))
    }

    /// Returns how to use a control of this name, if these controls are allowed to programs without root.
    pub(super) fn uses(name: &str, algorithm: &str, allowed: &[String]) -> String {
        let mut text = format!(
            "  all new connections   sysctl net.ipv4.tcp_congestion_control={name}\n  \
             those of a route      ip route change ROUTE congctl {name}\n"
        );
        let program = format!("setsockopt(IPPROTO_TCP, TCP_CONGESTION, \"{name}\")");
        // The option needs room in all segments, so the control must be chosen when the MSS is.
        text += &match algorithm {
            "rovegas" => format!(
                "  those of a program    {program} before connect and listen; by iperf3 -C it is too late for\n  \
                 {:22}the option of its packets: take the route\n",
                ""
            ),
            _ => format!("  those of a program    {program}, or iperf3 -C {name}\n"),
        };
        let mut allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
        if !allowed.contains(&name) {
            allowed.push(name);
        }
        text += &format!(
            "  over an emulated path dumbbell emulate FILE --control {name} -- COMMAND\n  \
             without root, too     sysctl net.ipv4.tcp_allowed_congestion_control=\"{}\"\n\
             In another network namespace, the first of these is \"not permitted\" before the last.\n",
            allowed.join(" ")
        );
        text
    }

    /// Returns a summary of the AQT programs' counters.
    pub(super) fn summary(counts: &Counts) -> String {
        let mut text = format!(
            "AQT packets: {} data sent with the option, {} ACKs read; {} data read, {} ACKs sent with the echo; {} stamped by the router",
            counts.marked, counts.reported, counts.heard, counts.echoed, counts.stamped
        );
        if counts.no_room > 0 {
            text += &format!(
                "\n{} data packets had no space for the option: choose the control before connect and listen (docs/kernel.md)",
                counts.no_room
            );
        }
        text
    }

    /// Prints what to do next.
    fn tell(
        control: &KernelControl,
        name: &str,
        places: &[(String, Role)],
        end: &str,
    ) -> Result<(), Exit> {
        let mut out = anstream::stdout();
        writeln!(
            out,
            "{} is in the kernel as {name}. To use it:",
            control.algorithm
        )?;
        write!(
            out,
            "{}",
            uses(name, control.algorithm, &machine::allowed())
        )?;
        for (device, role) in places {
            writeln!(out, "AQT: {device} is a {role}'s")?;
        }
        writeln!(
            out,
            "To watch it: dumbbell kernel trace {name}\nTo unload it: {end}"
        )?;
        out.flush()?;
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux", feature = "kernel"))]
mod tests {
    use super::with_kernel::{summary, uses};
    use dumbbell_live::kernel::aqt::Counts;

    #[test]
    fn advice_is_given_if_data_has_no_space_for_the_option() {
        let mut counts = Counts {
            marked: 5,
            reported: 3,
            ..Counts::default()
        };
        let said = summary(&counts);
        assert!(
            said.contains("5 data sent with the option, 3 ACKs read"),
            "{said}"
        );
        assert!(!said.contains("no space"), "{said}");
        counts.no_room = 2;
        let said = summary(&counts);
        assert!(
            said.contains("2 data packets had no space") && said.contains("before connect"),
            "{said}"
        );
    }

    #[test]
    fn the_hint_keeps_the_controls_that_are_allowed() {
        let allowed = ["reno", "bbr"].map(str::to_owned);
        let said = uses("db_veno", "veno", &allowed);
        assert!(
            said.contains("tcp_allowed_congestion_control=\"reno bbr db_veno\""),
            "{said}"
        );
        assert!(said.contains("iperf3 -C db_veno"), "{said}");
        let again = uses("bbr", "veno", &allowed);
        assert!(again.contains("=\"reno bbr\""), "{again}");
    }

    /// `iperf3 -C` chooses a control after connect.
    #[test]
    fn rovegas_is_to_be_chosen_before_connect() {
        let said = uses("db_rovegas", "rovegas", &[]);
        assert!(said.contains("congctl db_rovegas"), "{said}");
        assert!(said.contains("before connect and listen"), "{said}");
        assert!(!said.contains("iperf3 -C db_rovegas"), "{said}");
    }
}
