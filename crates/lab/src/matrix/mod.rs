//! The matrix: every control, with its default recovery, on every path.
//!
//! A path is a scenario in which all flows use the control, and one in which half of them use
//! NewReno. Paths are data; the controls are those of a catalogue, and NewReno, with which they are
//! compared. [`Matrix::tasks`] creates the runs, [`Results`] collects their results, and [`Table`]s
//! and [`Matrix::picture`] present them.

mod contender;
#[cfg(test)]
pub(crate) mod example;
mod flows;
mod mark;
mod measure;
mod own;
mod path;
mod picture;
mod results;
mod route;
mod table;
mod task;

use dumbbell_control::controller::Origin;
use dumbbell_scenario::controls::Controls;

use crate::description::{self, Malformed};

pub use contender::Contender;
pub use mark::Mark;
pub use measure::Measure;
pub use path::Path;
pub use results::Results;
pub use table::{Cell, Row, Table};
pub use task::{Role, Task};

/// Paths, and the controls that are tried on them.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Runs of each scenario, with consecutive seeds.
    pub repeat: u64,
    /// Runs of each scenario in a quick reproduction.
    quick: u64,
    /// The columns.
    pub paths: Vec<Path>,
    /// The rows. The first is NewReno.
    pub contenders: Vec<Contender>,
    /// The controls that the description leaves out, and those that it adds.
    without: Vec<String>,
    with: Vec<Contender>,
    /// Whether paths or controls were chosen, instead of the papers' paths and all controls.
    pub own: bool,
    controls: Controls,
}

/// The position of NewReno among the contenders.
const NEWRENO: usize = 0;

impl Matrix {
    /// Reads a description of paths. `file` is the name under which its mistakes are reported;
    /// `scenario` returns the text of a scenario by its name.
    ///
    /// # Errors
    /// [`Malformed`] if the description has mistakes, each with its position, or if a scenario is
    /// invalid.
    pub fn parse<T: AsRef<str>>(
        file: &str,
        description: &str,
        scenario: impl Fn(&str) -> Option<T>,
        controls: &Controls,
    ) -> Result<Self, Malformed> {
        Self::parse_in(None, file, description, scenario, controls)
    }

    /// Reads a description of paths whose scenarios may name traces in a folder.
    fn parse_in<T: AsRef<str>>(
        folder: Option<&std::path::Path>,
        file: &str,
        description: &str,
        scenario: impl Fn(&str) -> Option<T>,
        controls: &Controls,
    ) -> Result<Self, Malformed> {
        let (repeat, quick, chosen, paths) = description::read(file, description, |keys| {
            let repeat = keys.count("repeat", "10");
            let quick = keys.count("quick", "5");
            let without = contender::left_out(&keys.items("without"), controls);
            let with = contender::added(&keys.items("with"), controls);
            let nodes = keys
                .need("path", "[{ name = \"single\" }]")
                .and_then(|node| node.items());
            let nodes = nodes.unwrap_or_default();
            let read: Vec<Option<Path>> = (nodes.iter())
                .map(|node| path::read(node, &scenario, folder))
                .collect();
            for (at, path) in read.iter().enumerate() {
                let Some(path) = path else { continue };
                let twice = read[..at]
                    .iter()
                    .flatten()
                    .any(|other| other.name == path.name);
                if let Some(node) = nodes[at].part("name").filter(|_| twice) {
                    let what = format!("the path {} is there twice", path.name);
                    node.wrong(what, "they become names of files");
                }
            }
            keys.done();
            let paths: Vec<Path> = read.into_iter().collect::<Option<_>>()?;
            Some((repeat?, quick?, (without?, with?), paths))
        })?;
        Ok(Self::of((repeat, quick), chosen, paths, controls))
    }

    /// Every control on these paths, without those that are left out, and with those that are added.
    fn of(
        (repeat, quick): (u64, u64),
        (without, with): (Vec<String>, Vec<Contender>),
        paths: Vec<Path>,
        controls: &Controls,
    ) -> Self {
        let mut contenders = contender::all(controls);
        contenders.retain(|contender| !without.contains(&contender.name));
        contenders.extend(with.iter().cloned());
        contenders.retain(|contender| paths.iter().any(|path| path.takes(contender, controls)));
        Self {
            repeat,
            quick,
            paths,
            contenders,
            without,
            with,
            own: false,
            controls: controls.clone(),
        }
    }

    /// Whether some controls are not the published algorithms of their names.
    pub fn has_reconstructions(&self) -> bool {
        let published = |contender: &Contender| contender.origin == Origin::Published;
        !self.contenders.iter().all(published)
    }

    /// Reduces the matrix to that of a quick reproduction, with fewer seeds.
    pub fn quick(mut self) -> Self {
        self.repeat = self.quick;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_control::controller::{Algorithm, Controller, Signals, Window};
    use dumbbell_control::event::{Ack, Loss, Sample, Timeout};
    use dumbbell_control::units::Segments;

    const PATH: &str = "
        repeat = 2
        quick = 1
        [[path]]
        name = \"a\"
        label = \"A\"
        about = \"It.\"
        figure = \"f\"
        flows = \"file\"
    ";
    const SCENARIO: &str = "
        duration = \"10 s\"
        [dumbbell]
        access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
        bottleneck = { rate = \"1 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 } }
        [tcp]
        payload = \"1000 B\"
        [[flow]]
        name = \"A\"
        [[flow]]
        name = \"B\"
    ";

    fn parse(description: &str, scenario: &str) -> Result<Matrix, String> {
        let text = |name: &str| (name == "file").then_some(scenario);
        let parsed = Matrix::parse("p.toml", description, text, &Controls::builtin());
        parsed.map_err(|error| error.to_string())
    }

    #[test]
    fn mistakes_are_found_before_anything_runs() {
        assert!(parse(PATH, SCENARIO).is_ok());
        for (from, to, what) in [
            ("repeat = 2", "repeat = 0", "--> p.toml:2:18"),
            ("repeat = 2", "repeat = 0", "`repeat` is at least 1"),
            ("label", "lable", "did you mean `label`?"),
            ("quick = 1", "quick = 1\nslow = 2", "slow"),
            (
                "quick = 1",
                "quick = 1\nwithout = [\"veno\", \"venodp\"]",
                "there is no control `venodp`",
            ),
            (
                "quick = 1",
                "quick = 1\nwith = [\"veno:stack=linus\"]",
                "there is no stack `linus`",
            ),
            (
                "quick = 1",
                "quick = 1\nwith = [\"veno:stack=linux\", \"veno:stack=linux\"]",
                "the control veno-stack-linux is there twice",
            ),
            (
                "quick = 1",
                "quick = 1\nwithout = [\"veno\", \"veno\"]",
                "the control veno is there twice",
            ),
            ("\"a\"", "\"overall\"", "a name has"),
            ("\"a\"", "\"a b\"", "a name has"),
            ("\"file\"", "\"other\"", "no scenario `other`"),
            (
                "\"file\"",
                "\"file\"\nset = { \"a.b\" = 1 }",
                "no key `a.b`",
            ),
            ("\"file\"", "\"file\"\nset = { duration = 1 }", "duration"),
            (
                "\"file\"",
                "\"file\"\nlinks = [\"middle\"]",
                "the path a: there is no link `middle`; there are bottleneck, bottleneck.reverse",
            ),
        ] {
            let error = parse(&PATH.replacen(from, to, 1), SCENARIO).expect_err(to);
            assert!(error.contains(what), "{what}: {error}");
        }
        for (from, to, what) in [
            ("name = \"B\"", "name = \"B\"\ncount = 2", "no pairs"),
            (
                "name = \"B\"",
                "name = \"B\"\ncontrol = \"veno\"",
                "of its own",
            ),
            ("[tcp]\n        payload = \"1000 B\"", "", "no [tcp]"),
            ("name = \"B\"", "source = { cbr = \"1 kb/s\" }", "no pairs"),
        ] {
            assert!(SCENARIO.contains(from));
            let error = parse(PATH, &SCENARIO.replacen(from, to, 1)).expect_err(to);
            assert!(error.contains(what), "{what}: {error}");
        }
        let (_, path) = PATH.split_once("quick = 1").expect("it has it");
        let error = parse(&format!("{PATH}{path}"), SCENARIO).expect_err("twice");
        assert!(error.contains("the path a is there twice"), "{error}");
    }

    #[test]
    fn only_a_path_with_one_flow_is_shared_for_fairness() {
        let matrix = example::matrix();
        let roles: Vec<(usize, Role)> = matrix
            .tasks(1)
            .expect("they are scenarios")
            .into_iter()
            .filter(|task| task.contender == 1)
            .map(|task| (task.path, task.role))
            .collect();
        assert_eq!(
            roles,
            [
                (0, Role::Flows),
                (0, Role::Pairs),
                (0, Role::Mixed),
                (1, Role::Flows),
                (1, Role::Mixed)
            ]
        );
        let path = &matrix.paths[0];
        assert_eq!((path.flows, path.pairs), (1, 4));
        assert!((path.capacity_bps - 1e6).abs() < 1e-6);
        assert_eq!((matrix.repeat, matrix.quick().repeat), (2, 1));
    }

    #[test]
    fn a_description_may_leave_controls_out() {
        let all = parse(PATH, SCENARIO).expect("right").contenders;
        let fewer = PATH.replacen("quick = 1", "quick = 1\nwithout = [\"bbr1\", \"veno\"]", 1);
        let left = parse(&fewer, SCENARIO).expect("right").contenders;
        let names = |all: &[Contender]| all.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        let expected = names(&all)
            .into_iter()
            .filter(|name| name != "bbr1" && name != "veno");
        assert_eq!(names(&left), expected.collect::<Vec<_>>());
        assert_eq!(left.len() + 2, all.len());
    }

    /// Beside a control with the stack of Linux, NewReno keeps its own.
    #[test]
    fn a_description_may_add_controls_with_another_stack() {
        let more = PATH.replacen(
            "quick = 1",
            "quick = 1\nwith = [\"bbr:stack=linux\", \"tahoe:stack=linux\"]",
            1,
        );
        let matrix = parse(&more, SCENARIO).expect("right");
        let added = |name: &str| matrix.contenders.iter().position(|it| it.name == name);
        let bbr = added("bbr-stack-linux").expect("it is added");
        assert_eq!(matrix.contenders[bbr].recovery, "sack");
        let tahoe = added("tahoe-stack-linux").expect("it is added");
        assert_eq!(matrix.contenders[tahoe].recovery, "tahoe");
        let tasks = matrix.tasks(1).expect("they are scenarios");
        let windows = |contender, role| {
            let task = tasks
                .iter()
                .find(|it| (it.contender, it.role) == (contender, role));
            let flows = task.expect("it is run").scenario.flows.clone();
            let windows = flows.into_iter().map(|flow| match flow.traffic {
                dumbbell_scenario::Traffic::Tcp(tcp) => {
                    tcp.initial_window.segments(tcp.payload).floor()
                }
                _ => 0,
            });
            windows.collect::<Vec<u64>>()
        };
        // Linux begins with ten segments, NewReno with two.
        let plain = windows(NEWRENO, Role::Flows)[0];
        assert_eq!(windows(bbr, Role::Flows), [10, 10]);
        assert_eq!(windows(bbr, Role::Mixed), [plain, 10]);
        assert!(plain < 10);
    }

    /// DCTCP and Prague bring the `ecn` that they need, and have a row only if a queue marks. NewReno beside them keeps
    /// that of the path. `ecn` may also be given.
    #[test]
    fn controls_that_count_marks_bring_their_ecn() {
        use dumbbell_tcp::config::EcnMode::{self, Accurate, Classic, Dctcp, L4s, Off};
        let more = PATH.replacen(
            "quick = 1",
            "quick = 1\nwith = [\"dctcp:ecn=dctcp\", \"cubic:ecn=true\"]",
            1,
        );
        let names = |matrix: &Matrix| -> Vec<String> {
            let named = matrix.contenders.iter().map(|it| it.name.clone());
            let these = ["dctcp", "prague", "dctcp-ecn-dctcp", "cubic-ecn-true"];
            named.filter(|name| these.contains(&&**name)).collect()
        };
        let without = parse(&more, SCENARIO).expect("right");
        assert_eq!(names(&without), ["cubic-ecn-true"], "no queue marks");
        let queue = SCENARIO.replace("{ droptail = 9 }", "{ codel = { ecn = true } }");
        let classic = queue.replace("payload", "ecn = true\n        payload");
        for (text, its) in [(&queue, Off), (&classic, Classic)] {
            let matrix = parse(&more, text).expect("right");
            assert_eq!(names(&matrix).len(), 4);
            let tasks = matrix.tasks(1).expect("they are scenarios");
            let modes = |name: &str, role| -> Vec<EcnMode> {
                let at = matrix.contenders.iter().position(|it| it.name == name);
                let at = at.expect("it has a row");
                let task = tasks
                    .iter()
                    .find(|it| (it.contender, it.role) == (at, role));
                let flows = &task.expect("it is run").scenario.flows;
                let modes = flows.iter().filter_map(|flow| match &flow.traffic {
                    dumbbell_scenario::Traffic::Tcp(tcp) => Some(tcp.ecn),
                    _ => None,
                });
                modes.collect()
            };
            assert_eq!(modes("newreno", Role::Flows), [its, its]);
            for (name, own) in [
                ("dctcp", Accurate),
                ("prague", L4s),
                ("dctcp-ecn-dctcp", Dctcp),
                ("cubic-ecn-true", Classic),
            ] {
                assert_eq!(modes(name, Role::Flows), [own, own], "{name}");
                assert_eq!(modes(name, Role::Mixed), [its, own], "{name}");
            }
        }
        let wrong = more.replace("cubic:ecn=true", "dctcp:ecn=true");
        let error = parse(&wrong, SCENARIO).expect_err("it needs counts");
        assert!(
            error.contains("needs to know how many segments are marked"),
            "{error}"
        );
    }

    /// A control that needs the reports of routers.
    struct Informed;

    impl Controller for Informed {
        fn on_sample(&mut self, _: &Sample) {}
        fn on_ack(&mut self, _: &Ack) {}
        fn on_loss(&mut self, _: &Loss) {}
        fn on_timeout(&mut self, _: &Timeout) {}
        fn restrict(&mut self, _: Segments) {}
        fn window(&self) -> Window {
            Window {
                cwnd: Segments::ONE,
                ssthresh: Segments::ONE,
            }
        }
    }

    impl Algorithm for Informed {
        const NAME: &'static str = "informed";
        const SUMMARY: &'static str = "for a test";
        const NEEDS: Signals = Signals::RTT.with_queueing();
        const RECOVERIES: &'static [&'static str] = &["reno"];
        type Config = dumbbell_control::algorithm::reno::Config;
        fn create(_: &Self::Config, _: &dumbbell_control::event::Path) -> Self {
            Self
        }
    }

    #[test]
    fn a_control_that_runs_on_no_path_has_no_row() {
        let mut controls = Controls::builtin();
        controls
            .register_algorithm::<Informed>()
            .expect("the name is free");
        let text = |_: &str| Some(SCENARIO);
        let matrix = Matrix::parse("p.toml", PATH, text, &controls).expect("right");
        assert!(
            contender::all(&controls)
                .iter()
                .any(|c| c.name == "informed")
        );
        assert!(matrix.contenders.iter().all(|c| c.name != "informed"));
        assert!(matrix.tasks(1).is_ok());
    }
}
