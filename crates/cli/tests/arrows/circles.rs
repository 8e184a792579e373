//! Finds import cycles between the files of a crate, as far as their text shows them.
//!
//! A name that a module re-exports (`use child::Name;`) counts as the child's. Imports from a module
//! above a file do not count: a parent declares its children, so the two are one unit. Tests within a
//! file do not count either.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Returns the Rust sources in a folder, by their paths in it, with `/` between the parts.
pub fn sources(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    for path in entries.map(|entry| entry.expect("so are its entries").path()) {
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_dir() {
            let inner = sources(&path).into_iter();
            found.extend(inner.map(|(file, text)| (format!("{name}/{file}"), text)));
        } else if name.ends_with(".rs") {
            let text = std::fs::read_to_string(&path).expect("a source is text");
            found.insert(name.into_owned(), text);
        }
    }
    found
}

/// Returns the cycles, each as its files.
pub fn of(sources: &BTreeMap<String, String>) -> Vec<Vec<String>> {
    let house = House::new(sources);
    let arrows = house.arrows();
    let reach: BTreeMap<&Module, BTreeSet<&Module>> = arrows
        .keys()
        .map(|module| (module, reached(module, &arrows)))
        .collect();
    let mut circles = Vec::new();
    let mut seen = BTreeSet::new();
    for (module, reached) in &reach {
        if seen.contains(module) || !reached.contains(module) {
            continue;
        }
        let back = |other: &&&Module| reach[**other].contains(*module);
        let circle: Vec<&Module> = reached.iter().filter(back).copied().collect();
        circles.push(circle.iter().map(|m| house.files[*m].clone()).collect());
        seen.extend(circle);
    }
    circles
}

type Module = Vec<String>;

struct House {
    files: BTreeMap<Module, String>,
    /// For each module, the paths that it names, from the crate's root, and the name of each in the
    /// module.
    names: BTreeMap<Module, Vec<(Module, String)>>,
}

impl House {
    fn new(sources: &BTreeMap<String, String>) -> Self {
        let mut house = Self {
            files: BTreeMap::new(),
            names: BTreeMap::new(),
        };
        for (file, text) in sources {
            let module = module(file);
            let own = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
            // A crate's library and its binary are both its root.
            let names = house.names.entry(module.clone()).or_default();
            names.extend(named(&module, own));
            house.files.insert(module, file.clone());
        }
        house
    }

    fn arrows(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let targets = |module: &Module, named: &[(Module, String)]| -> BTreeSet<Module> {
            let targets = named.iter().filter_map(|(path, _)| self.home(path, 0));
            targets
                .filter(|target| !module.starts_with(target))
                .collect()
        };
        self.names
            .iter()
            .map(|(module, named)| (module.clone(), targets(module, named)))
            .collect()
    }

    /// Resolves a path to the module that defines the name, if another module re-exports it.
    fn home(&self, path: &Module, depth: usize) -> Option<Module> {
        let known = (0..=path.len())
            .rev()
            .find(|n| self.files.contains_key(&path[..*n]))?;
        let module = path[..known].to_vec();
        let Some(name) = path.get(known) else {
            return Some(module);
        };
        let handed = self.names[&module].iter();
        let handed = handed.filter(|(from, known_as)| known_as == name && *from != *path);
        let mut homes = handed
            .filter_map(|(from, _)| (depth < 8).then(|| self.home(from, depth + 1)).flatten());
        Some(homes.next().unwrap_or(module))
    }
}

/// Returns the module of a file.
fn module(file: &str) -> Module {
    let path = file.trim_end_matches(".rs");
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if parts
        .last()
        .is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()))
    {
        parts.pop();
    }
    parts
}

/// Returns the paths of the crate's own modules that a text names.
fn named(module: &Module, text: &str) -> Vec<(Module, String)> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = Vec::new();
    // Imports, including those in braces.
    for (start, _) in code.match_indices("use ") {
        let fresh = code[..start]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace);
        if let (true, Some(end)) = (fresh, code[start..].find(';')) {
            let tree = &code[start + 4..start + end];
            expand(&[], tree.trim(), &mut |path, known_as| {
                if let Some(path) = rooted(module, path, true, &code) {
                    found.push((path, known_as.to_owned()));
                }
            });
        }
    }
    // Paths in the code.
    for word in ["crate::", "super::", "self::"] {
        for (start, _) in code.match_indices(word) {
            let whole =
                !code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            let rest = &code[start..];
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let path: Vec<&str> = rest[..end.unwrap_or(rest.len())].split("::").collect();
            let path: Vec<String> = path
                .into_iter()
                .filter(|p| !p.is_empty())
                .map(str::to_owned)
                .collect();
            if let (true, Some(path)) = (whole, rooted(module, &path, false, &code)) {
                found.push((path, String::new()));
            }
        }
    }
    found
}

/// Finds every path of an import, with the name that it has there.
fn expand(before: &[String], tree: &str, found: &mut impl FnMut(&[String], &str)) {
    let (path, rest) = match tree.find('{') {
        Some(open) => (
            &tree[..open],
            Some(&tree[open + 1..tree.rfind('}').unwrap_or(tree.len())]),
        ),
        None => (tree, None),
    };
    let (path, alias) = match path.split_once(" as ") {
        Some((path, alias)) => (path, Some(alias.trim())),
        None => (path, None),
    };
    let mut all = before.to_vec();
    let parts = path.split("::").map(str::trim);
    all.extend(
        parts
            .filter(|part| !part.is_empty() && *part != "*")
            .map(str::to_owned),
    );
    let Some(rest) = rest else {
        if all.last().is_some_and(|last| last == "self") {
            all.pop();
        }
        let name = alias
            .or(all.last().map(String::as_str))
            .unwrap_or_default()
            .to_owned();
        return found(&all, &name);
    };
    let (mut depth, mut start) = (0, 0);
    for (i, c) in rest.char_indices().chain([(rest.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = rest[start..i].trim();
                if !part.is_empty() {
                    expand(&all, part, found);
                }
                start = i + 1;
            }
            _ => {}
        }
    }
}

/// Returns the same path from the crate's root; `None` if it belongs to another crate. In an import, a
/// path may begin with a child.
fn rooted(module: &Module, path: &[String], import: bool, code: &str) -> Option<Module> {
    let first = path.first()?;
    let mut root = match first.as_str() {
        "crate" => Vec::new(),
        "self" => module.clone(),
        "super" => module[..module.len().checked_sub(1)?].to_vec(),
        child if import && code.contains(&format!("mod {child};")) => {
            let mut root = module.clone();
            root.push(child.to_owned());
            root
        }
        _ => return None,
    };
    for part in &path[1..] {
        if part == "super" {
            root.pop()?;
        } else {
            root.push(part.clone());
        }
    }
    Some(root)
}

/// Returns the modules that can be reached from a module.
fn reached<'h>(
    from: &Module,
    arrows: &'h BTreeMap<Module, BTreeSet<Module>>,
) -> BTreeSet<&'h Module> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&Module> = arrows[from].iter().collect();
    while let Some(module) = next.pop() {
        if found.insert(module) {
            next.extend(&arrows[module]);
        }
    }
    found
}

fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let own = |(file, text): &(&str, &str)| ((*file).to_owned(), (*text).to_owned());
    of(&files.iter().map(own).collect())
}

#[test]
fn circles_are_found_through_re_exports() {
    let parent = ("lib.rs", "mod a;\nmod b;\nmod c;\n");
    let circle = [["a.rs", "b.rs"].map(str::to_owned).to_vec()];
    for (a, b) in [
        ("use crate::b::B;", "use crate::a::A;"),
        ("use super::b::{self, B as C};", "fn f(a: crate::a::A) {}"),
        ("use crate::{b::{B}, c};", "pub(super) use super::a::*;"),
    ] {
        assert_eq!(
            found(&[parent, ("a.rs", a), ("b.rs", b), ("c.rs", "")]),
            circle,
            "{a}"
        );
    }
    let handed_on = ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;");
    let (a, b) = (("a.rs", "use super::B;"), ("b.rs", "use crate::A;"));
    assert_eq!(found(&[handed_on, a, b]), circle);
    let three = [
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C;"),
        ("c.rs", "use crate::a::A;"),
    ];
    assert_eq!(found(&three)[0].len(), 3);
}

#[test]
fn a_file_and_its_children_are_no_circle() {
    let parent = ("a/mod.rs", "mod x;\nmod y;\nuse x::X;\nstruct Own;");
    let children = [("a/x.rs", "use super::Own;"), ("a/y.rs", "use super::X;")];
    let files = [("lib.rs", "mod a;"), parent, children[0], children[1]];
    assert!(found(&files).is_empty());
    // A cycle that goes through another file counts.
    let through = [
        ("lib.rs", "mod a;\nmod b;"),
        ("a/mod.rs", "mod x;\nuse x::X;\npub struct Own;"),
        ("a/x.rs", "use crate::b::B;"),
        ("b.rs", "use crate::a::Own;"),
    ];
    assert_eq!(found(&through)[0].len(), 3);
    // Tests, comments and other crates do not count.
    let harmless = [
        ("a.rs", "use crate::b::B;\nuse std::c::D;"),
        (
            "b.rs",
            "// use crate::a::A;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}",
        ),
    ];
    assert!(found(&harmless).is_empty());
}
