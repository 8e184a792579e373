//! Mixtures as they are written on the command line: `veno,cubic*2,udp:1Mb/s`.

use dumbbell_scenario::quantity::{self, BitRate};

use super::{Kind, MOST_MEMBERS, Member, Mixture};
use crate::compare::Contender;

/// Some connections of one sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Their number.
    pub count: usize,
    /// What they are.
    pub sort: Sort,
}

/// A sort of connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// TCP under a control of this name.
    Tcp(String),
    /// Datagrams at a constant rate.
    Udp(BitRate),
}

const UDP: &str = "udp:";

impl Entry {
    /// Reads `NAME`, `NAME*COUNT`, `udp:RATE` or `udp:RATE*COUNT`.
    ///
    /// # Errors
    /// A message that says what is wrong and what would be right.
    pub fn read(text: &str) -> Result<Self, String> {
        let (what, count) = match text.rsplit_once('*') {
            Some((what, count)) => {
                let count = count.trim().parse().ok();
                let count = count.filter(|count| (1..=MOST_MEMBERS).contains(count));
                let wrong = || {
                    format!(
                        "`{text}`: after `*` comes the number of connections, 1 to {MOST_MEMBERS}"
                    )
                };
                (what, count.ok_or_else(wrong)?)
            }
            None => (text, 1),
        };
        let what = what.trim();
        let sort = match what.strip_prefix(UDP) {
            Some(rate) => {
                let rate = quantity::rate(rate).map_err(|wrong| format!("`{text}`: {wrong}"))?;
                if rate.0 == 0 {
                    return Err(format!(
                        "`{text}`: a stream needs a rate above 0, as in udp:1Mb/s"
                    ));
                }
                Sort::Udp(rate)
            }
            None if what.is_empty() || what == "udp" => {
                return Err(format!(
                    "`{text}` is no connection: give a control such as veno or veno*2, or a stream such as udp:1Mb/s"
                ));
            }
            None => Sort::Tcp(what.to_owned()),
        };
        Ok(Self { count, sort })
    }

    /// Returns the name of its control; `None` for datagrams.
    pub fn control(&self) -> Option<&str> {
        match &self.sort {
            Sort::Tcp(name) => Some(name),
            Sort::Udp(_) => None,
        }
    }

    fn label(&self) -> String {
        match &self.sort {
            Sort::Tcp(name) => name.clone(),
            Sort::Udp(rate) => format!("udp {rate}"),
        }
    }

    /// Returns its connections.
    fn members(&self, contenders: &[Contender]) -> Result<Vec<Member>, String> {
        let kind = match &self.sort {
            Sort::Tcp(name) => {
                let found = contenders.iter().position(|it| it.label == *name);
                Kind::Tcp(found.ok_or_else(|| format!("there is no control `{name}`"))?)
            }
            Sort::Udp(rate) => Kind::Udp(*rate),
        };
        let member = Member {
            label: self.label(),
            kind,
        };
        Ok(vec![member; self.count])
    }
}

/// Returns the connections of several entries as one mixture.
///
/// # Errors
/// If a control is not among `contenders`, or if there are too many connections, or none of TCP.
pub fn mixture(entries: &[Entry], contenders: &[Contender]) -> Result<Mixture, String> {
    let mut members = Vec::new();
    for entry in entries {
        members.extend(entry.members(contenders)?);
    }
    if members.len() > MOST_MEMBERS {
        return Err(format!(
            "{} connections are too many: at most {MOST_MEMBERS} run beside each other",
            members.len()
        ));
    }
    if !members.iter().any(|it| matches!(it.kind, Kind::Tcp(_))) {
        return Err(
            "streams alone compete with nobody: add a control, as in veno,udp:1Mb/s".to_owned(),
        );
    }
    let parts = entries.iter().map(|entry| match entry.count {
        1 => entry.label(),
        count => format!("{} x{count}", entry.label()),
    });
    Ok(Mixture {
        label: parts.collect::<Vec<_>>().join(", "),
        members,
    })
}

/// Returns the mixtures in which each control runs beside the same others, after the one in which one more of the
/// first others does.
///
/// # Errors
/// As [`mixture`], and if the others begin with a stream.
pub fn beside(
    controls: &[String],
    others: &[Entry],
    contenders: &[Contender],
) -> Result<Vec<Mixture>, String> {
    let first = others.iter().find_map(Entry::control);
    let first = first.ok_or("streams alone are no competitors: give a control, as in reno*3")?;
    let controls = controls
        .iter()
        .map(String::as_str)
        .filter(|it| *it != first);
    let mut mixtures = Vec::new();
    for control in std::iter::once(first).chain(controls) {
        let one = Entry {
            count: 1,
            sort: Sort::Tcp(control.to_owned()),
        };
        let mut entries = vec![one];
        entries.extend_from_slice(others);
        let rest = mixture(others, contenders)?.label;
        mixtures.push(Mixture {
            label: format!("{control} beside {rest}"),
            ..mixture(&entries, contenders)?
        });
    }
    Ok(mixtures)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contenders(names: &[&str]) -> Vec<Contender> {
        let contender = |name: &&str| Contender {
            label: (*name).to_owned(),
            kernel_name: (*name).to_owned(),
            simulated: None,
            preparation: None,
        };
        names.iter().map(contender).collect()
    }

    fn read(text: &str) -> Vec<Entry> {
        text.split(',').map(|it| Entry::read(it).unwrap()).collect()
    }

    #[test]
    fn a_mixture_is_read_from_names_counts_and_rates() {
        let contenders = contenders(&["westwood+", "reno"]);
        let found = mixture(&read("westwood+*2,reno,udp:500 kb/s"), &contenders).unwrap();
        assert_eq!(found.label, "westwood+ x2, reno, udp 500 kb/s");
        let kinds: Vec<Kind> = found.members.iter().map(|it| it.kind).collect();
        let expected = [
            Kind::Tcp(0),
            Kind::Tcp(0),
            Kind::Tcp(1),
            Kind::Udp(BitRate(500_000)),
        ];
        assert_eq!(kinds, expected);
        let unknown = mixture(&read("bbr"), &contenders).unwrap_err();
        assert!(unknown.contains("no control `bbr`"), "{unknown}");
        assert!(mixture(&read("udp:1Mb/s"), &contenders).is_err());
        assert!(
            mixture(&read("reno*64,reno"), &contenders)
                .unwrap_err()
                .contains("65")
        );
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        for (text, part) in [
            ("reno*0", "1 to 64"),
            ("reno*many", "1 to 64"),
            ("", "veno*2"),
            ("udp", "udp:1Mb/s"),
            ("udp:0 b/s", "above 0"),
            ("udp:fast", "`udp:fast`"),
        ] {
            let said = Entry::read(text).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
    }

    /// The others are at the same places in each mixture, and the first is of their own kind.
    #[test]
    fn each_control_runs_beside_the_same_others() {
        let contenders = contenders(&["veno", "reno"]);
        let controls = ["veno".to_owned(), "reno".to_owned()];
        let found = beside(&controls, &read("reno*2,udp:1Mb/s"), &contenders).unwrap();
        let labels: Vec<&str> = found.iter().map(|it| it.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "reno beside reno x2, udp 1 Mb/s",
                "veno beside reno x2, udp 1 Mb/s"
            ]
        );
        let firsts: Vec<Kind> = found.iter().map(|it| it.members[0].kind).collect();
        assert_eq!(firsts, [Kind::Tcp(1), Kind::Tcp(0)]);
        assert_eq!(found[0].members[1..], found[1].members[1..]);
        assert!(beside(&controls, &read("udp:1Mb/s"), &contenders).is_err());
    }
}
