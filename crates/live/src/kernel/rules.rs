//! The names of the rules that a control's trace gives by number: those of the enums in C.

use super::KernelControl;

/// A header, and the text before the enum in it.
type Place = (&'static str, &'static str);

const LAST: &str = "/* The rule that was applied last. */";
const STEP: Place = (
    include_str!("../../../../bpf/growth.h"),
    "/* How a window was cut last. */",
);

fn place(control: &KernelControl) -> Place {
    match control.twin {
        "dctcp" => (include_str!("../../../../bpf/dctcp.h"), LAST),
        "veno" => (include_str!("../../../../bpf/veno.h"), LAST),
        "venodb" => (include_str!("../../../../bpf/venodb.h"), LAST),
        "sarbe" => (include_str!("../../../../bpf/sarbe.h"), LAST),
        "vegas" | "rovegas" => (
            include_str!("../../../../bpf/vegas.h"),
            "/* The rule of the present round. */",
        ),
        _ => STEP,
    }
}

impl KernelControl {
    /// Returns the rules by their numbers in a trace: "none", "slow start", "free", ... For
    /// Westwood and Westwood+, they are the kinds of the last cut.
    pub fn rules(&self) -> Vec<String> {
        let (header, words) = place(self);
        let behind = header.split_once(words).map_or("", |(_, behind)| behind);
        let body = behind.split_once('{').map_or("", |(_, body)| body);
        let body = body.split_once('}').map_or("", |(body, _)| body);
        body.lines().filter_map(name).collect()
    }
}

/// Converts `DB_VENO_BUSY_GROW,`, with or without a comment, to "busy grow".
fn name(line: &str) -> Option<String> {
    let word = line.trim().split(',').next()?;
    let mut parts = word.strip_prefix("DB_")?.split('_');
    parts.next()?;
    Some(parts.collect::<Vec<_>>().join(" ").to_lowercase())
}

#[cfg(test)]
mod tests {
    use crate::kernel::find;

    #[test]
    fn rules_are_named_as_in_c() {
        let rules = |name| find(name).unwrap().rules();
        assert_eq!(rules("veno").len(), 9);
        assert_eq!(rules("veno")[3], "busy grow");
        assert_eq!(rules("veno")[8], "timeout");
        assert_eq!(rules("venodb").len(), 14);
        assert_eq!(rules("venodb")[11], "easing");
        assert_eq!(rules("rovegas").len(), 8);
        assert_eq!(rules("rovegas")[4], "exit");
        assert_eq!(rules("sarbe")[5], "random");
        assert_eq!(rules("dctcp").len(), 7);
        assert_eq!(rules("dctcp")[4], "loss after mark");
        assert_eq!(
            rules("westwood+"),
            ["none", "cut", "restart", "timeout", "repeated timeout"]
        );
    }
}
