//! Reads the recipes from CONTRIBUTING.md. The sentence before a code block says what to do with the block.

use std::mem;

const PAGE: &str = include_str!("../../../../CONTRIBUTING.md");

/// A section of the page, "Add a ...".
pub struct Recipe {
    pub title: String,
    pub steps: Vec<Step>,
}

/// One code block of a recipe. Paths are relative to the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// "Create `path`:"
    Create { path: String, text: String },
    /// "In `path`, add after the line `after`:" Indentation of that line is ignored.
    Insert {
        path: String,
        after: String,
        text: String,
    },
    /// A block of shell commands, one per line.
    Run { commands: Vec<String> },
    /// A block of text: lines that the last of the commands prints.
    Expect { lines: Vec<String> },
}

impl Step {
    /// The file that the step writes.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Create { path, .. } | Self::Insert { path, .. } => Some(path),
            Self::Run { .. } | Self::Expect { .. } => None,
        }
    }

    /// Whether the step writes Rust.
    pub fn is_code(&self) -> bool {
        self.path().is_some_and(|path| path.ends_with(".rs"))
    }
}

/// Returns the recipes of the page.
pub fn recipes() -> Vec<Recipe> {
    parse(PAGE).unwrap_or_else(|wrong| panic!("CONTRIBUTING.md: {wrong}"))
}

fn parse(page: &str) -> Result<Vec<Recipe>, String> {
    let mut recipes: Vec<Recipe> = Vec::new();
    let mut in_recipe = false;
    let mut paragraph = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            in_recipe = title.starts_with("Add a ");
            if in_recipe {
                recipes.push(Recipe {
                    title: title.to_owned(),
                    steps: Vec::new(),
                });
            }
            paragraph.clear();
        } else if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let sentence = mem::take(&mut paragraph);
            if let (true, Some(recipe)) = (in_recipe, recipes.last_mut()) {
                let step = step(language, &sentence, &block)
                    .map_err(|wrong| format!("{}: {wrong}", recipe.title))?;
                recipe.steps.push(step);
            }
        } else if !line.is_empty() {
            // A blank line ends a paragraph unless a code block follows.
            paragraph += line;
            paragraph.push(' ');
        } else if !paragraph.trim_end().ends_with(':') {
            paragraph.clear();
        }
    }
    Ok(recipes)
}

fn step(language: &str, paragraph: &str, block: &[&str]) -> Result<Step, String> {
    let lines = || block.iter().map(|line| (*line).to_owned()).collect();
    match language {
        "sh" => return Ok(Step::Run { commands: lines() }),
        "text" => return Ok(Step::Expect { lines: lines() }),
        _ => {}
    }
    let text: String = block.iter().flat_map(|line| [line, "\n"]).collect();
    let sentence = match (paragraph.rfind("Create `"), paragraph.rfind("In `")) {
        (Some(create), Some(insert)) => &paragraph[create.max(insert)..],
        (at, other) => at.or(other).map_or("", |at| &paragraph[at..]),
    };
    let spans = code_spans(sentence);
    let words = sentence.split_whitespace().next().unwrap_or_default();
    match (words, &spans[..]) {
        ("Create", [path]) => Ok(Step::Create {
            path: path.clone(),
            text,
        }),
        ("In", [path, after]) if sentence.contains("add after the line") => Ok(Step::Insert {
            path: path.clone(),
            after: after.clone(),
            text,
        }),
        _ => Err(format!("no step is described by: {paragraph}")),
    }
}

/// Returns the inline code of a sentence, in single or double backticks.
fn code_spans(sentence: &str) -> Vec<String> {
    let mut spans = Vec::new();
    let mut rest = sentence;
    while let Some(start) = rest.find('`') {
        rest = &rest[start..];
        let fence = if rest.starts_with("``") { "``" } else { "`" };
        rest = &rest[fence.len()..];
        let Some(end) = rest.find(fence) else { break };
        spans.push(rest[..end].trim().to_owned());
        rest = &rest[end + fence.len()..];
    }
    spans
}

#[test]
fn sentences_say_what_to_do_with_blocks() {
    let page = "## Add a thing\n\nWhy.\n\nCreate `a.rs`, in words:\n\n```rust\nfn a() {}\n```\n\n\
                In `b.md`, add after the line ``| `x` | y |``:\n\n```markdown\n| z |\n```\n\n\
                Check:\n\n```sh\ncargo test\n```\n";
    let recipes = parse(page).expect("it is right");
    let insert = Step::Insert {
        path: "b.md".to_owned(),
        after: "| `x` | y |".to_owned(),
        text: "| z |\n".to_owned(),
    };
    assert_eq!(recipes[0].steps[1], insert);
    assert_eq!(recipes[0].steps.len(), 3);
    let wrong = page.replace("Create", "Perhaps write");
    assert!(parse(&wrong).is_err());
}
