//! Packet-delivery traces beside a scenario's file.

use std::fs;
use std::path::{Path, PathBuf};

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{LoadError, Place, Rate, Scenario, Topology};

use super::parse;

/// A temporary folder, which is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("dumbbell-traces-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("cells")).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn load(&self) -> Result<Scenario, LoadError> {
        Scenario::load(&self.0.join("cell.toml"), &Controls::builtin())
    }

    /// Returns the mistake in the scenario.
    fn mistake(&self) -> String {
        match self.load() {
            Err(LoadError::Invalid(report)) => {
                assert_eq!(report.problems().len(), 1, "{report}");
                report.to_string()
            }
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A scenario with these rates of the bottleneck in both directions and of the receiver's link.
fn text(rates: [&str; 3]) -> String {
    let [forward, reverse, receiver] = rates;
    format!(
        "duration = \"9 s\"\n[dumbbell]\n\
         access = {{ rate = \"10 Mb/s\", delay = \"1 ms\", receiver = {{ rate = {receiver} }} }}\n\
         bottleneck = {{ delay = \"10 ms\", queue = \"unlimited\", rate = {forward}, reverse = {{ rate = {reverse} }} }}\n\
         [[flow]]\ncontrol = \"reno\"\n"
    )
}

fn times(rate: &Rate) -> Vec<u64> {
    match rate {
        Rate::Recorded(all) => all.milliseconds().collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_trace_becomes_a_part_of_the_scenario() {
    let folder = Folder::new("read");
    let (up, down) = ("{ trace = \"up\" }", "{ trace = \"cells/verizon.down\" }");
    folder.write("cell.toml", text([down, up, up]));
    folder.write("up", "6\n6\n20\n");
    folder.write("cells/verizon.down", "0\r\n3\r\n");
    let scenario = folder.load().unwrap();
    let Topology::Dumbbell { bottleneck } = &scenario.topology else {
        panic!("a dumbbell")
    };
    let Place::Dumbbell { access, .. } = &scenario.flows[0].place else {
        panic!("a dumbbell")
    };
    assert_eq!(times(&bottleneck.forward.rate), [0, 3]);
    assert_eq!(times(&bottleneck.reverse.rate), [6, 6, 20]);
    assert_eq!(times(&access.receiver.forward.rate), [6, 6, 20]);
    assert_eq!(times(&access.receiver.reverse.rate), [6, 6, 20]);
    let written = "{ opportunities = [6, 6, 20] }";
    let same = parse(&text(["{ opportunities = [0, 3] }", written, written]));
    assert_eq!(scenario, same);
    // Also without the files.
    let canonical = scenario.canonical();
    assert!(!canonical.contains("trace"), "{canonical}");
    assert_eq!(parse(&canonical), scenario);
    // Other contents give another scenario.
    folder.write("up", "6\n7\n20\n");
    assert_ne!(folder.load().unwrap().canonical(), canonical);
    // The text may be read relative to a folder that the caller names.
    let read = |folder: &Path| {
        let text = text([down, down, down]);
        Scenario::parse_in(folder, "my.toml", &text, &Controls::builtin())
    };
    assert!(read(&folder.0).is_ok());
    assert!(read(&folder.0.join("cells")).is_err());
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_in_a_trace_name_file_and_line() {
    let folder = Folder::new("wrong");
    folder.write("cell.toml", text(["{ trace = \"cell.up\" }", "\"1 Mb/s\"", "\"1 Mb/s\""]));
    let expect = |words: &[&str]| {
        let wrong = folder.mistake();
        assert!(wrong.contains("cell.toml:4:71"), "{wrong}");
        for word in words {
            assert!(wrong.contains(word), "no `{word}` in\n{wrong}");
        }
    };
    expect(&["cannot read the trace", "cell.up: No such file", "as seen from the folder of the scenario"]);
    fs::create_dir(folder.0.join("cell.up")).unwrap();
    expect(&["cannot read the trace", "cell.up: it is not a file"]);
    fs::remove_dir(folder.0.join("cell.up")).unwrap();
    let wrong = |text: &str, words: &[&str]| {
        folder.write("cell.up", text);
        expect(words);
    };
    wrong("", &["cell.up: there is no delivery opportunity", "give at least one time"]);
    wrong("0\n0\n", &["cell.up: all delivery opportunities are at 0 ms"]);
    wrong("1\ntwo\n", &["cell.up:2: `two` is not a whole number of milliseconds", "such as 17"]);
    wrong("1\n\n2\n", &["cell.up:2: the line is empty"]);
    wrong("5\n9\n8\n", &["cell.up:3: 8 comes after 9: the time goes back"]);
    wrong("2592000001\n", &["cell.up:1: the time is out of range", "0 to 2592000000 ms"]);
    wrong(&"7\n".repeat(1_000_001), &["cell.up: there are too many delivery opportunities", "at most 1000000"]);
    wrong(&"000000000000000000007\n".repeat(1_000_000), &["cell.up is larger than 16000000 bytes"]);
    folder.write("cell.up", b"1\n\xff\n");
    expect(&["cell.up:2: `\u{fffd}` is not a whole number"]);
}
