//! The pages that can be followed: a test runs their commands, and compares the output.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::folder;

/// A block of a page.
enum Block {
    /// A file: the name in the comment of its first line, and its text.
    File(String, String),
    /// Commands, a line each.
    Commands(Vec<String>),
    /// What the last command prints; a line `...` stands for any lines, and `...` at the end of a line
    /// for the rest of it.
    Output(Vec<String>),
}

fn blocks(page: &str) -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(page);
    let text = fs::read_to_string(path).expect("the page is there");
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else {
            continue;
        };
        let block = lines.by_ref().take_while(|line| *line != "```");
        let block: Vec<String> = block.map(str::to_owned).collect();
        match kind {
            "toml" => {
                let name = block[0].strip_prefix("# ");
                if let Some(name) = name.filter(|name| name.ends_with(".toml")) {
                    blocks.push(Block::File(name.to_owned(), block.join("\n")));
                }
            }
            "sh" => blocks.push(Block::Commands(block)),
            "text" => blocks.push(Block::Output(block)),
            other => panic!("a block of {other}"),
        }
    }
    blocks
}

/// Whether lines are as they are shown.
fn agree(shown: &[String], lines: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else {
        return lines.is_empty();
    };
    if first == "..." {
        return (0..=lines.len()).any(|skipped| agree(rest, &lines[skipped..]));
    }
    let Some((line, after)) = lines.split_first() else {
        return false;
    };
    // What is between the dots is in the line, in this order.
    let mut at = 0;
    let parts = first.split("...");
    let fits = parts.into_iter().enumerate().all(|(number, part)| {
        let found = line[at..].find(part);
        let is_there = found.is_some_and(|place| number > 0 || place == 0);
        at += found.map_or(0, |place| place + part.len());
        is_there
    });
    let whole = first.contains("...") || line == first;
    fits && whole && agree(rest, after)
}

/// Follows a page in a folder of its own.
fn follow(page: &str, name: &str) {
    let folder = folder(name);
    let program = Path::new(env!("CARGO_BIN_EXE_dumbbell"));
    let bin = program.parent().expect("a folder").display().to_string();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap_or_default());
    let mut last = String::new();
    let (mut commands, mut outputs) = (0, 0);
    for block in blocks(page) {
        match block {
            Block::File(name, text) => fs::write(folder.join(name), text).expect("ours"),
            Block::Commands(lines) => {
                for line in lines.iter().filter(|line| !line.is_empty()) {
                    let mut shell = Command::new("bash");
                    shell
                        .args(["-c", line])
                        .current_dir(&folder)
                        .env("PATH", &path);
                    let done = shell.output().expect("bash is there");
                    let err = String::from_utf8_lossy(&done.stderr);
                    assert!(done.status.success(), "{line}\n{err}");
                    last = String::from_utf8_lossy(&done.stdout).into_owned();
                    commands += 1;
                }
            }
            Block::Output(shown) => {
                let lines: Vec<&str> = last.lines().collect();
                assert!(
                    agree(&shown, &lines),
                    "shown:\n{}\nfound:\n{last}",
                    shown.join("\n")
                );
                outputs += 1;
            }
        }
    }
    assert!(
        commands > 5 && outputs > 0,
        "{commands} commands, {outputs} outputs"
    );
}

#[test]
fn the_tutorial_is_true() {
    follow("tutorial.md", "tutorial");
}

#[test]
fn an_output_that_differs_is_found() {
    let shown = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    assert!(agree(
        &shown(&["a", "...", "z 3 ..."]),
        &["a", "b", "c", "z 3 4"]
    ));
    assert!(agree(&shown(&["1 in ...: 2"]), &["1 in 5 s: 2"]));
    assert!(!agree(&shown(&["a", "z"]), &["a", "b", "z"]));
    assert!(!agree(&shown(&["a"]), &["ab"]));
    assert!(!agree(&shown(&["a ..."]), &["b c"]));
}
