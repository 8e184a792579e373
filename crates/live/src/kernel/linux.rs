//! The congestion controls of Linux itself.

/// Returns whether a name is that of one of them, whether or not this machine has it.
pub(super) fn is_linuxs(name: &str) -> bool {
    OWN.contains(&name)
}

const OWN: [&str; 18] = [
    "bbr",
    "bic",
    "cdg",
    "cubic",
    "dctcp",
    "dctcp-reno",
    "highspeed",
    "htcp",
    "hybla",
    "illinois",
    "lp",
    "nv",
    "reno",
    "scalable",
    "vegas",
    "veno",
    "westwood",
    "yeah",
];
