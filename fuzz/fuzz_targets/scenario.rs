//! Scenario files: for any bytes, the parser does not panic. It either reports mistakes with places
//! inside the file, or returns a scenario that survives being written and parsed again.
#![no_main]

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let controls = Controls::builtin();
    match Scenario::parse("fuzz.toml", text, &controls) {
        Ok(scenario) => {
            let canonical = scenario.canonical();
            let again = Scenario::parse("canonical.toml", &canonical, &controls);
            assert_eq!(again.as_ref(), Ok(&scenario), "{canonical}");
        }
        Err(report) => {
            assert!(!report.problems().is_empty());
            for problem in report.problems() {
                assert!(problem.span.start <= problem.span.end && problem.span.end <= text.len());
                assert!(text.get(problem.span.clone()).is_some());
            }
            assert!(!report.render(true).is_empty());
        }
    }
});
