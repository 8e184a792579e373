//! Scenario templates, with a comment on every line.

/// A scenario to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: &'static str,
    /// Its subject, in one line.
    pub about: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

macro_rules! templates {
    ($( $name:literal: $about:literal, )+) => {
        /// All templates, the simplest first.
        pub const TEMPLATES: &[Template] = &[ $( Template {
            name: $name,
            about: $about,
            text: include_str!(concat!("template/", $name, ".toml")),
        }, )+ ];
    };
}

templates! {
    "lossy": "One flow over a link that loses packets at random",
    "wireless": "A wireless last hop, where losses come in bursts",
    "satellite": "A geostationary satellite: long delays, a slow way back",
    "cellular": "A cellular link, whose rate comes and goes",
    "power-line": "The power line of a home, disturbed every 10 ms",
    "two-way": "A download and an upload on an asymmetric line",
    "fairness": "Several controls compete for one link",
    "short-transfers": "Many short transfers beside a long one",
    "cross-traffic": "A flow beside UDP traffic that comes and goes",
    "media": "Media at a rate that adapts, beside a download",
    "parking-lot": "One flow over several bottlenecks, others over one each",
    "network": "Any network, of links with names of your own",
}

impl Template {
    /// Finds a template by its name.
    pub fn named(name: &str) -> Option<Self> {
        TEMPLATES.iter().copied().find(|it| it.name == name)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::Scenario;
    use dumbbell_scenario::controls::Controls;

    use super::*;

    #[test]
    fn each_template_is_a_scenario() {
        for template in TEMPLATES {
            let read = Scenario::parse(template.name, template.text, &Controls::builtin());
            assert!(read.is_ok(), "{}", template.name);
            assert_eq!(Template::named(template.name), Some(*template));
        }
        assert_eq!(Template::named("none"), None);
    }
}
