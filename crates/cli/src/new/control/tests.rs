//! The files of a new crate. That it builds and works is shown by a long test of the command.

use super::*;

/// The template is compiled with these tests: it is Rust as it stands.
#[path = "../../../templates/control/src/lib.rs"]
mod template;

fn file(name: &str, file: &str) -> String {
    let files = files(name, None).expect("the sources are here");
    let found = files.into_iter().find(|(path, _)| path == Path::new(file));
    found.unwrap_or_else(|| panic!("no {file}")).1
}

#[test]
fn the_template_is_a_control_that_can_be_added() {
    let controls = template::controls().expect("the name is free");
    let added = controls.named(TEMPLATE).expect("it is there");
    assert_eq!(added.parameters().len(), 1);
    let scenario = include_str!("../../../templates/control/my.toml");
    let scenario = dumbbell_scenario::Scenario::parse("my.toml", scenario, &controls);
    assert_eq!(scenario.expect("it is one").flows.len(), 2);
}

#[test]
fn names_stand_everywhere() {
    for (path, text) in files("my-own-2", None).expect("the sources are here") {
        let path = path.display();
        assert!(!text.to_lowercase().contains("mycontrol"), "{path}: {text}");
        assert!(!text.contains("{source}"), "{path}");
    }
    let lib = file("my-own-2", "src/lib.rs");
    assert!(lib.contains("pub struct MyOwn2 {"), "{lib}");
    assert!(
        lib.contains("const NAME: &'static str = \"my-own-2\";"),
        "{lib}"
    );
    assert!(file("my-own-2", "src/main.rs").contains("my_own_2::controls()"));
    assert!(file("my-own-2", "my.toml").contains("name = \"my-own-2\""));
}

#[test]
fn the_manifest_has_the_profiles_of_the_repository_and_paths_into_it() {
    let own: toml::Table = file("mine", "Cargo.toml").parse().expect("TOML");
    let root = fs::read_to_string(Path::new(BUILT_FROM).join("Cargo.toml"));
    let root: toml::Table = root.expect("the manifest").parse().expect("TOML");
    let mut expected = root["profile"].clone();
    let packages = |profile: &mut toml::Value| profile["package"].as_table().cloned();
    for (profile, level) in [("release", 3), ("dev", 1)] {
        let expected = &mut expected[profile];
        let mut all = packages(expected).expect("a table");
        for package in ONLY_TESTS {
            all.remove(package);
        }
        let mut mine = toml::Table::from_iter([("opt-level".to_owned(), level.into())]);
        if profile == "release" {
            mine.insert("codegen-units".to_owned(), 1.into());
        }
        all.insert("mine".to_owned(), mine.into());
        expected["package"] = all.into();
    }
    assert_eq!(own["profile"], expected);
    for (package, folder) in CRATES {
        let path = own["dependencies"][package]["path"]
            .as_str()
            .expect("a path");
        let manifest = Path::new(path).join("Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("it exists");
        assert!(text.contains(&format!("name = \"{package}\"")), "{folder}");
    }
    let lock = fs::read_to_string(Path::new(BUILT_FROM).join("Cargo.lock"));
    assert_eq!(file("mine", "Cargo.lock"), lock.expect("the lock file"));
}

#[test]
fn a_name_that_is_taken_or_no_name_of_a_crate_is_refused() {
    for (name, why) in [
        ("veno", "there already is a control"),
        ("newreno", "there already is a control"),
        ("match", "a crate cannot have this name"),
        ("dumbbell-run", "a crate cannot have this name"),
        ("2fast", "begin it with a letter"),
    ] {
        match files(name, None) {
            Err(Exit::BadInput(what)) => assert!(what.contains(why), "{what}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn sources_that_are_elsewhere_are_refused() {
    let refused = |folder: &Path| match files("mine", Some(folder)) {
        Err(Exit::BadInput(what)) => what,
        other => panic!("{other:?}"),
    };
    let nowhere = refused(Path::new("/nowhere"));
    assert!(
        nowhere.starts_with("--source /nowhere: it is not the folder"),
        "{nowhere}"
    );
    assert!(nowhere.contains("Cargo.toml"), "{nowhere}");
    let part = refused(&Path::new(BUILT_FROM).join("crates/cli"));
    assert!(part.contains("crates/cli/Cargo.toml"), "{part}");
}

#[test]
fn a_path_without_dots_is_shown() {
    assert_eq!(plain(Path::new("/a/b/../../c")), Path::new("/c"));
}
