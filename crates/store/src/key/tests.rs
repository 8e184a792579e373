//! Tests which runs have the same key and which have different ones.

use dumbbell_scenario::ProbeValue;
use dumbbell_scenario::controls::Controls;

use super::*;

const PLAIN: &str = "
    name = \"first\"
    description = \"[probe]\\nseed = 1\\n\"
    duration = \"10 s\"
    seed = 7
    [dumbbell]
    access = { rate = \"10 Mbit/s\", delay = \"1 ms\" }
    bottleneck = { rate = \"1 Mbit/s\", delay = \"20 ms\", queue = { droptail = 9 } }
    [[flow]]
    control = \"veno\"
";

fn scenario(text: &str) -> Scenario {
    Scenario::parse("test", text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{}", report.render(false)))
}

fn key(text: &str) -> Key {
    Key::of(&scenario(text), 1, None).unwrap()
}

#[test]
fn the_key_leaves_out_what_cannot_change_a_run() {
    let plain = key(PLAIN);
    for (from, to) in [
        ("name = \"first\"", "name = \"second\""),
        ("name = \"first\"", ""),
        ("seed = 7", "seed = 8"),
        ("seed = 7", ""),
        ("    [dumb", "probe = { interval = \"1 s\" }\n[dumb"),
        ("\"10 s\"", "\"10000 ms\""),
        ("[probe]\\n", ""),
    ] {
        assert!(PLAIN.contains(from));
        assert_eq!(key(&PLAIN.replacen(from, to, 1)), plain, "{from} -> {to}");
    }
}

#[test]
fn the_key_contains_what_can_change_a_run() {
    let plain = key(PLAIN);
    for (from, to) in [
        ("\"10 s\"", "\"10.000000001 s\""),
        ("1 Mbit/s", "1001 kbit/s"),
        ("droptail = 9", "droptail = 8"),
        ("\"veno\"", "\"reno\""),
        ("\"veno\"", "{ name = \"veno\", beta = 4 }"),
        ("control", "name = \"a\"\ncontrol"),
        ("control", "count = 2\ncontrol"),
    ] {
        assert!(PLAIN.contains(from));
        assert_ne!(key(&PLAIN.replacen(from, to, 1)), plain, "{from} -> {to}");
    }
    assert_ne!(plain.with_seed(2), plain);
    assert_eq!(plain.with_seed(2).with_seed(1), plain);
}

#[test]
fn a_sampled_run_has_another_key() {
    let scenario = scenario(PLAIN);
    let probe = Probe {
        values: vec![ProbeValue::Cwnd],
        ..Probe::default()
    };
    let keys = [None, Some(&scenario.probe), Some(&probe)]
        .map(|probe| Key::of(&scenario, 1, probe).unwrap());
    assert_ne!(keys[0], keys[1]);
    assert_ne!(keys[0], keys[2]);
    assert_ne!(keys[1], keys[2]);
    assert_eq!(keys.map(|key| key.is_sampled()), [false, true, true]);
}

#[test]
fn the_text_is_the_scenario() {
    let whole = scenario(PLAIN);
    let text = key(PLAIN).scenario().to_owned();
    for word in ["first", "description", "seed", "[probe]"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let expected = Scenario {
        name: None,
        description: None,
        seed: 1,
        ..whole.clone()
    };
    assert_eq!(scenario(&text), expected);
    let sampled = Key::of(&whole, 1, Some(&whole.probe)).unwrap();
    assert_eq!(scenario(sampled.scenario()), expected);
}

/// A scenario with the control `mine`, whose code has this hash.
fn with_mine(code: Option<[u8; 32]>) -> Scenario {
    let mut controls = Controls::builtin();
    let reno = controls.named("reno").unwrap();
    controls
        .register("mine", "", &reno.recoveries(), |_| unreachable!("no run"))
        .unwrap();
    controls.identify(move || code);
    let text =
        format!("{PLAIN}\n[[flow]]\ncontrol = \"mine\"\ncount = 2\n[[flow]]\ncontrol = \"mine\"");
    Scenario::parse("test", &text, &controls).unwrap()
}

#[test]
fn a_custom_control_of_unknown_code_has_no_key() {
    let scenario = with_mine(None);
    assert_eq!(Key::of(&scenario, 1, None), None);
    assert_eq!(Key::of(&scenario, 1, Some(&scenario.probe)), None);
}

#[test]
fn a_custom_control_has_the_key_of_its_code() {
    let key = |code| Key::of(&with_mine(Some(code)), 1, None).unwrap();
    let one = key([0x1f; 32]);
    assert_eq!(one, key([0x1f; 32]));
    assert_ne!(one, key([0x20; 32]));
    assert_ne!(one.hash(), key([0x20; 32]).hash());
    // One line, however many flows have the control; the rest is the scenario.
    let line = format!("# code of mine: {}\n", "1f".repeat(32));
    let rest = one.scenario().strip_prefix(&line).expect("the first line");
    assert!(!rest.contains('#'), "{rest}");
    assert!(rest.contains("mine"), "{rest}");
    let plain = scenario(PLAIN);
    assert!(!Key::of(&plain, 1, None).unwrap().scenario().contains('#'));
}
