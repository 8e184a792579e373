//! `dumbbell completions`.

use std::fs;
use std::process::Command;

use crate::{dumbbell, folder, output, success};

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

fn script(shell: &str) -> String {
    success(dumbbell().args(["completions", shell]))
}

#[test]
fn every_shell_has_commands_kinds_and_figures() {
    for shell in SHELLS {
        let script = script(shell);
        for word in ["reproduce", "schema", "--kind", "--samples"] {
            let word = match shell {
                // Fish writes long options without their hyphens.
                "fish" => word.trim_start_matches('-'),
                _ => word,
            };
            assert!(script.contains(word), "no {word} for {shell}");
        }
    }
    // Elvish and PowerShell do not complete values yet.
    for shell in &SHELLS[..3] {
        let script = script(shell);
        for word in ["datacenter", "venodb-fig2", "powershell"] {
            assert!(script.contains(word), "no {word} for {shell}");
        }
    }
}

#[test]
fn help_says_for_each_shell_how_to_install_them() {
    let help = success(dumbbell().args(["completions", "--help"]));
    assert!(help.contains("Examples:\n  dumbbell completions"), "{help}");
    for shell in SHELLS {
        let lines = help.lines().filter(|line| {
            line.trim_start().starts_with(shell)
                && line.contains(&format!("dumbbell completions {shell}"))
        });
        assert_eq!(lines.count(), 1, "{shell}\n{help}");
    }
}

#[test]
fn another_shell_is_refused_with_a_list_of_shells() {
    let (code, out, err) = output(dumbbell().args(["completions", "tcsh"]));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("bash, elvish, fish, powershell, zsh"), "{err}");
}

/// Returns the completions that Bash offers for the last of the words.
fn offered(words: &[&str]) -> Option<Vec<String>> {
    let folder = folder(&format!("completions-{}", words.join("_")));
    let path = folder.join("dumbbell.bash");
    fs::write(&path, script("bash")).expect("ours");
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (&words[words.len() - 1], &words[words.len() - 2]);
    let asked = format!(
        "source \"$0\"; COMP_WORDS=({}); COMP_CWORD={}; \
         _dumbbell dumbbell '{last}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words.len() - 1
    );
    // Skipped on a machine without Bash.
    let out = Command::new("bash")
        .arg("-c")
        .arg(asked)
        .arg(&path)
        .output()
        .ok()?;
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn bash_reads_the_script_and_offers_completions() {
    let cases: [(&[&str], &[&str]); 6] = [
        (&["dumbbell", "re"], &["reproduce"]),
        (&["dumbbell", "new", "--kind", "s"], &["short-transfers"]),
        (&["dumbbell", "reproduce", "venodb-t"], &["venodb-today"]),
        (&["dumbbell", "reproduce", "mat"], &["matrix"]),
        (&["dumbbell", "completions", "z"], &["zsh"]),
        (&["dumbbell", "run", "--js"], &["--json"]),
    ];
    for (words, wanted) in cases {
        if let Some(offered) = offered(words) {
            assert_eq!(offered, wanted, "{words:?}");
        }
    }
}
