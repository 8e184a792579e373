//! The recipes of CONTRIBUTING.md, carried out as the page says.

mod all;
mod page;
mod tree;

use std::io::Write as _;
use std::process::{Command, Stdio};

use page::{Recipe, Step};
use tree::Tree;

/// The recipes, in the order of the page.
const TITLES: [&str; 5] = [
    "Add a control",
    "Add a loss model",
    "Add a queue",
    "Add a claim",
    "Add a figure",
];

/// Returns the tree with these recipes applied.
fn applied(recipes: &[Recipe]) -> Tree {
    let mut tree = Tree::of_the_workspace();
    for recipe in recipes {
        let applied = recipe.steps.iter().try_for_each(|step| tree.apply(step));
        applied.unwrap_or_else(|wrong| panic!("{}: {wrong}", recipe.title));
    }
    tree
}

/// Returns the text as rustfmt formats it, or its messages.
fn formatted(text: &str) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--color", "never"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("rustfmt is installed");
    let mut stdin = rustfmt.stdin.take().expect("piped");
    stdin.write_all(text.as_bytes()).expect("it reads");
    drop(stdin);
    let output = rustfmt.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn the_page_has_these_recipes() {
    let recipes = page::recipes();
    let titles: Vec<&str> = recipes.iter().map(|recipe| &*recipe.title).collect();
    assert_eq!(titles, TITLES);
    for Recipe { title, steps } in &recipes {
        let has = |wanted: fn(&Step) -> bool| steps.iter().any(wanted);
        assert!(has(|step| matches!(step, Step::Create { .. })), "{title}");
        assert!(has(|step| matches!(step, Step::Insert { .. })), "{title}");
        assert!(has(|step| matches!(step, Step::Run { .. })), "{title}");
    }
}

#[test]
fn every_recipe_applies_and_leaves_formatted_files() {
    let recipes = page::recipes();
    let tree = applied(&recipes);
    let touched = recipes.iter().flat_map(|recipe| &recipe.steps);
    for path in touched.filter_map(Step::path) {
        let text = tree.text(path).expect("a step wrote it");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{path}");
        if path.ends_with(".rs") {
            assert!(formatted(text) == text, "{path}:\n{}", formatted(text));
        }
        if path.ends_with(".toml") {
            let parsed = text.parse::<toml::Table>();
            assert!(parsed.is_ok(), "{path}: {parsed:?}");
        }
    }
}

/// A control takes one file and one line.
#[test]
fn a_control_is_one_file_and_one_line() {
    let steps = &page::recipes()[0].steps;
    let code: Vec<_> = steps.iter().filter(|step| step.is_code()).collect();
    let [Step::Create { .. }, Step::Insert { text, .. }] = code[..] else {
        panic!("{code:?}");
    };
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn steps_that_do_not_fit_the_workspace_are_refused() {
    let mut tree = Tree::of_the_workspace();
    let file = "crates/control/src/registry.rs";
    let create = |path: &str| Step::Create {
        path: path.to_owned(),
        text: "//! Text.\n".to_owned(),
    };
    let insert = |path: &str, after: &str| Step::Insert {
        path: path.to_owned(),
        after: after.to_owned(),
        text: "            Mine: mine,\n".to_owned(),
    };
    for (step, message) in [
        (create(file), "crates/control/src/registry.rs exists"),
        (insert("crates/none.rs", "x"), "there is no crates/none.rs"),
        (insert(file, "Reno: rno,"), "0 lines are `Reno: rno,`"),
        (insert(file, "}"), "lines are `}`"),
    ] {
        let wrong = tree.apply(&step).expect_err(message);
        assert!(wrong.contains(message), "{wrong}");
    }
    assert_eq!(tree.apply(&insert(file, "Reno: reno,")), Ok(()));
    let text = tree.text(file).expect("it is there");
    assert!(text.contains("            Reno: reno,\n            Mine: mine,\n"));
    assert_eq!(formatted("fn  f() {}\n"), "fn f() {}\n");
    assert_ne!(formatted("fn f( {}\n"), "fn f( {}\n");
}
