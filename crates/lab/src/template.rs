//! Templates: scenarios and folders to start from, with a comment on every line.

use std::borrow::Cow;

/// Something to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: &'static str,
    /// Its earlier name, which still is one.
    pub alias: Option<&'static str>,
    /// Its subject, in one line.
    pub about: &'static str,
    /// What it writes.
    pub contents: Contents,
}

/// What a template writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// A scenario file.
    Scenario(&'static str),
    /// A folder of files.
    Folder(Folder),
}

/// A folder of files. In their texts, [`NAME`](Folder::NAME) stands for the name of what is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The files: paths within the folder, and texts.
    pub files: &'static [(&'static str, &'static str)],
    /// The command to try next; [`PATH`](Folder::PATH) stands for the folder, quoted for a shell.
    pub next: &'static str,
}

macro_rules! templates {
    (@alias) => { None };
    (@alias $alias:literal) => { Some($alias) };
    (
        scenarios { $( $name:literal $( | $alias:literal )?: $about:literal, )+ }
        folders { $( $folder:literal: $subject:literal { $( $file:literal, )+ } next $next:literal, )* }
    ) => {
        /// All templates, the simplest first.
        pub const TEMPLATES: &[Template] = &[
            $( Template {
                name: $name,
                alias: templates!(@alias $( $alias )?),
                about: $about,
                contents: Contents::Scenario(include_str!(concat!("template/", $name, ".toml"))),
            }, )+
            $( Template {
                name: $folder,
                alias: None,
                about: $subject,
                contents: Contents::Folder(Folder {
                    files: &[ $(
                        ($file, include_str!(concat!("template/", $folder, "/", $file))),
                    )+ ],
                    next: $next,
                }),
            }, )*
        ];
    };
}

templates! {
    scenarios {
        "lossy": "One flow over a link that loses packets at random",
        "wireless": "A wireless last hop, where losses come in bursts",
        "cellular": "A cellular link, whose rate comes and goes",
        "dsl": "A DSL line: a queue of 50 ms, a slower way back",
        "lte": "LTE: retransmissions, an uplink that sends in turns",
        "5g": "5G: faster and nearer than LTE, a queue of 80 ms",
        "wifi": "The Wi-Fi of a home: bursts, retransmissions",
        "leo": "Low-orbit satellites: another one every 15 s",
        "geo" | "satellite": "A geostationary satellite: long delays, a slow way back",
        "plc" | "power-line": "The power line of a home, disturbed every 10 ms",
        "datacenter": "A data centre: short delays, shallow queues, one receiver",
        "two-way": "A download and an upload on an asymmetric line",
        "fairness": "Several controls compete for one link",
        "short-transfers": "Many short transfers beside a long one",
        "cross-traffic": "A flow beside UDP traffic that comes and goes",
        "media": "Media at a rate that adapts, beside a download",
        "parking-lot": "One flow over several bottlenecks, others over one each",
        "network": "Any network, of links with names of your own",
    }
    folders {
        "paper": "A folder with a figure and its claims, for `dumbbell reproduce`" {
            "paper.toml",
            "loss.scenario.toml",
            "fig1.toml",
            "explored.toml",
            "NOTES.md",
        } next "dumbbell reproduce {path}",
    }
}

impl Template {
    /// Finds a template by its name, or by an earlier one.
    pub fn named(name: &str) -> Option<Self> {
        let is_it = |it: &Self| it.name == name || it.alias == Some(name);
        TEMPLATES.iter().copied().find(is_it)
    }
}

impl Folder {
    /// Stands for the name of what is made, in the texts of the files.
    pub const NAME: &str = "{name}";

    /// Stands for the path of the folder, in the command to try next.
    pub const PATH: &str = "{path}";

    /// The files of something with this name: paths within the folder, and texts.
    pub fn files(&self, name: &str) -> impl Iterator<Item = (&'static str, String)> {
        let files = self.files.iter();
        files.map(move |(path, text)| (*path, text.replace(Self::NAME, name)))
    }
}

/// The name of what is made in a folder: the letters a to z and digits of the folder's name, with
/// hyphens between its words. `None` if it has none of them.
pub fn name_of(folder: &str) -> Option<Cow<'_, str>> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if !folder.is_empty() && folder.chars().all(is_plain) {
        return Some(folder.into());
    }
    let lower = folder.to_ascii_lowercase();
    let words = lower.split(|c: char| !is_plain(c));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join("-").into())
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::Scenario;
    use dumbbell_scenario::controls::Controls;

    use super::*;

    #[test]
    fn each_scenario_can_be_read() {
        for template in TEMPLATES {
            assert_eq!(Template::named(template.name), Some(*template));
            let Contents::Scenario(text) = template.contents else {
                continue;
            };
            let read = Scenario::parse(template.name, text, &Controls::builtin());
            assert!(read.is_ok(), "{}", template.name);
        }
        assert_eq!(Template::named("none"), None);
        assert_eq!(Template::named("satellite"), Template::named("geo"));
        assert_eq!(Template::named("power-line"), Template::named("plc"));
    }

    #[test]
    fn the_name_is_put_into_the_files_of_a_folder() {
        let folder = Folder {
            files: &[("a.toml", "name = \"{name}-fig1\""), ("b/c", "plain")],
            next: "",
        };
        let files: Vec<_> = folder.files("mine").collect();
        let expected = [("a.toml", "name = \"mine-fig1\""), ("b/c", "plain")];
        assert_eq!(files, expected.map(|(path, text)| (path, text.to_owned())));
    }

    #[test]
    fn the_name_of_a_folder_is_a_word() {
        for (folder, name) in [
            ("mine", Some("mine")),
            ("My Paper, 2", Some("my-paper-2")),
            ("my_paper", Some("my-paper")),
            ("..", None),
            ("", None),
        ] {
            assert_eq!(name_of(folder).as_deref(), name, "{folder}");
        }
    }
}
