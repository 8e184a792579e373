//! The paths of the matrix, which are those of the papers.

use dumbbell_lab::experiment::Malformed;
use dumbbell_lab::matrix::Matrix;
use dumbbell_lab::scenario::controls::Controls;

use crate::file;

const PATHS: &str = "matrix/paths.toml";

/// Returns the matrix: every one of these controls on every path of the papers.
///
/// # Errors
/// [`Malformed`] if the paths of this crate are malformed, which a test excludes.
pub fn matrix(controls: &Controls) -> Result<Matrix, Malformed> {
    let scenario = |name: &str| file(&format!("{name}.scenario.toml"));
    let paths = file(PATHS).unwrap_or_default();
    Matrix::parse(PATHS, paths, scenario, controls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PAPERS, STUDIES};
    use dumbbell_lab::matrix::Role;
    use dumbbell_lab::scenario::Traffic;

    #[test]
    fn every_cell_can_be_run() {
        let matrix = matrix(&Controls::builtin()).expect("the paths are right");
        assert!(matrix.paths.len() >= 10);
        let tasks = matrix.tasks(1).expect("every cell is a scenario");
        // A path with one flow has three sorts of runs, the others have two.
        let ones = matrix.paths.iter().filter(|path| path.flows == 1).count();
        let sorts = 2 * matrix.paths.len() + ones;
        for (place, contender) in matrix.contenders.iter().enumerate() {
            let its = tasks.iter().filter(|task| task.contender == place).count();
            assert!(its == sorts || contender.needs_reports && its > 0);
        }
        let quick = matrix.clone().quick();
        assert!(quick.repeat > 1 && quick.repeat < matrix.repeat);
        for task in tasks {
            let contender = &matrix.contenders[task.contender];
            let flows = task.scenario.flows.iter();
            let controls: Vec<(&str, &str, u32)> = flows
                .filter_map(|flow| match &flow.traffic {
                    Traffic::Tcp(tcp) => {
                        let recovery = tcp.recovery.kind().name();
                        Some((tcp.control.name(), recovery, flow.count))
                    }
                    Traffic::Udp(_) | Traffic::Media(_) | Traffic::Workload(_) => None,
                })
                .collect();
            let of = |wanted: (&str, &str)| -> u32 {
                let these = controls.iter().filter(|(c, r, _)| (*c, *r) == wanted);
                these.map(|(.., count)| count).sum()
            };
            let all: u32 = controls.iter().map(|(.., count)| count).sum();
            let own = of((&contender.control, contender.recovery));
            match task.role {
                Role::Mixed if contender.name != "newreno" => {
                    assert_eq!((own * 2, of(("reno", "newreno")) * 2), (all, all));
                }
                _ => assert_eq!(own, all),
            }
        }
    }

    #[test]
    fn every_scenario_and_every_figure_exists() {
        let matrix = matrix(&Controls::builtin()).expect("the paths are right");
        let figures: Vec<String> = PAPERS
            .iter()
            .chain(STUDIES)
            .flat_map(|name| {
                let paper = crate::paper(name, &Controls::builtin());
                paper.expect("right").experiments
            })
            .map(|experiment| experiment.name)
            .collect();
        for path in &matrix.paths {
            assert!(figures.contains(&path.figure), "{}", path.figure);
        }
        let paths = file(PATHS).expect("it is compiled in");
        let own = crate::FILES.iter().filter_map(|(path, _)| {
            let name = path.strip_suffix(".scenario.toml")?;
            name.starts_with("matrix/").then_some(name)
        });
        for name in own {
            assert!(paths.contains(&format!("\"{name}\"")), "{name} is not used");
        }
    }

    /// 2 Mb/s with 1000 of 1040 bytes per packet; 4 and 5 Mb/s; the wired paths.
    #[test]
    fn capacities_do_not_include_headers() {
        let matrix = matrix(&Controls::builtin()).expect("the paths are right");
        let of = |name: &str| {
            let path = matrix.paths.iter().find(|path| path.name == name);
            path.expect("it is there").capacity_bps.round()
        };
        // The parking lot's three links carry 1 Mb/s with 960 of 1000 bytes per packet, and packets
        // wait at each.
        assert_eq!(of("parking-lot"), 960_000.0);
        let hops = matrix.paths.iter().find(|path| path.name == "parking-lot");
        assert_eq!(hops.expect("it is there").links, ["hop1", "hop2", "hop3"]);
        let paths = ["loss-1", "reverse", "five", "friendly", "pair", "four"];
        assert_eq!(
            paths.map(of),
            [
                1_923_077.0,
                1_923_077.0,
                4_807_692.0,
                3_846_154.0,
                1_538_462.0,
                1_730_769.0
            ]
        );
    }
}
