//! Media flows with frames, on networks whose results are worked out by hand or bounded.

use dumbbell_run::outcome::{FlowOutcome, MediaOutcome};
use dumbbell_run::{Reading, Run};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

fn scenario(duration: &str, bottleneck: &str, flow: &str) -> Scenario {
    let text = format!(
        "duration = \"{duration}\"\n[dumbbell]\n\
         access = {{ rate = \"100 Mb/s\", delay = \"0 s\" }}\n\
         bottleneck = {{ {bottleneck} }}\n[[flow]]\n{flow}\n"
    );
    Scenario::parse("frames.toml", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"))
}

fn run(scenario: &Scenario) -> FlowOutcome {
    let done = Run::new(scenario).seed(1).go();
    let mut done = done.expect("nothing interrupts it");
    done.outcome.flows.swap_remove(0)
}

fn frames(flow: &FlowOutcome) -> &MediaOutcome {
    flow.media.as_ref().expect("it has frames")
}

/// Returns whether all frames and all time are accounted for.
fn conserved(media: &MediaOutcome, seconds: f64) {
    let counted = media.shown + media.late + media.undecodable + media.lost;
    assert!(counted <= media.made, "{media:?}");
    let seen = media
        .startup_s
        .map_or(0.0, |startup| startup + media.played_s + media.frozen_s);
    assert!(
        (seen - seconds).abs() < 1e-9,
        "{seen} of {seconds} s: {media:?}"
    );
}

const FAST: &str = "rate = \"10 Mb/s\", delay = \"40 ms\", queue = { droptail = 90 }";

/// By hand: a ceiling of 240 kb/s and a floor of 240 kb/s make frames of 1000 B at 30 frames a second. Over 10 Mb/s and
/// 40 ms all arrive in time once the rate control has got going, which takes less than 2 s; then each is shown 200 ms
/// after it was made.
#[test]
fn frames_that_the_path_carries_are_shown_in_time() {
    let encoder = "encoder = { floor = \"240 kb/s\", ceiling = \"240 kb/s\", key_factor = 1 }";
    let flow = format!("rate_control = \"tfrc\"\n{encoder}\nplayer = {{ late = \"show\" }}");
    let found = run(&scenario("30 s", FAST, &flow));
    let media = frames(&found);
    conserved(media, 30.0);
    // Frames at 0, 1/30, ... 30 s; the last six are not due yet, and the one of 29.8 s is due at the end.
    assert_eq!(media.made, 901);
    assert_eq!((media.lost, media.late, media.undecodable), (0, 0, 0));
    assert_eq!((media.shown, media.shown_late), (895, 0));
    assert_eq!((media.startup_s, media.frozen_s), (Some(0.2), 0.0));
    assert!((media.delay_p50_s.unwrap() / 0.2 - 1.0).abs() < 0.016);
    assert!((media.encoded_bps / 240e3 - 1.0).abs() < 0.002, "{media:?}");
    // Every frame is one packet of 1000 B and 40 B.
    assert_eq!(found.sent, media.made);
}

/// The encoder follows a rate control on a path that is narrower than its ceiling.
#[test]
fn the_encoder_follows_the_rate_control() {
    for control in ["tfrc", "tfrc-veno", "multfrc", "aio-tfrc", "nada", "scream"] {
        let path = "rate = \"800 kb/s\", delay = \"50 ms\", queue = { droptail = 20 }";
        let encoder = "encoder = { sizes = { laplace = 0.1 } }";
        let flow = format!("rate_control = \"{control}\"\n{encoder}");
        let found = run(&scenario("60 s", path, &flow));
        let media = frames(&found);
        conserved(media, 60.0);
        // The path carries 769 kb/s of full segments; frames do not fill them all.
        assert!(
            (350e3..769e3).contains(&media.encoded_bps),
            "{control}: {media:?}"
        );
        assert!(
            media.shown as f64 > 0.8 * media.made as f64,
            "{control}: {media:?}"
        );
        // Goodput is what arrived of what was encoded.
        assert!(
            found.goodput_bps <= media.encoded_bps,
            "{control}: {found:?}"
        );
        assert!(
            found.goodput_bps > 0.9 * media.encoded_bps,
            "{control}: {found:?}"
        );
    }
}

/// A path of 100 kb/s does not carry the floor of 150 kb/s: the sender discards what has waited for a second, and no packet
/// waits for much longer.
#[test]
fn what_the_rate_control_does_not_let_go_is_discarded() {
    let path = "rate = \"100 kb/s\", delay = \"20 ms\", queue = { droptail = 5 }";
    let found = run(&scenario(
        "60 s",
        path,
        "rate_control = \"tfrc\"\nencoder = {}",
    ));
    let media = frames(&found);
    conserved(media, 60.0);
    assert!(media.discarded > 300, "{media:?}");
    assert!(media.discarded <= media.lost + 60, "{media:?}");
    assert!(media.waiting_max_s < 1.5, "{media:?}");
    assert!(media.frozen_s > 10.0, "{media:?}");
}

/// With losses and `freeze`, the picture stands still until a key frame, which comes because the player asks for it.
#[test]
fn a_player_that_cannot_hide_losses_asks_for_key_frames() {
    let path = format!("{FAST}, loss = {{ bernoulli = 0.01 }}");
    let flow = |lost: &str| {
        format!("rate_control = \"tfrc\"\nencoder = {{}}\nplayer = {{ lost = \"{lost}\" }}")
    };
    let (freeze, skip) = (
        run(&scenario("60 s", &path, &flow("freeze"))),
        run(&scenario("60 s", &path, &flow("skip"))),
    );
    let (freeze, skip) = (frames(&freeze), frames(&skip));
    conserved(freeze, 60.0);
    conserved(skip, 60.0);
    assert!(
        freeze.lost > 10 && freeze.requests > 5 && freeze.undecodable > 20,
        "{freeze:?}"
    );
    assert!(
        freeze.shown > freeze.made / 3,
        "key frames come: {freeze:?}"
    );
    assert_eq!((skip.requests, skip.undecodable), (0, 0));
    assert!(skip.frozen_s < freeze.frozen_s, "{skip:?} {freeze:?}");
}

/// Observing a run does not change it, and the same seed gives the same frames.
#[test]
fn samples_change_nothing_and_agree_with_the_outcome() {
    let path = "rate = \"1 Mb/s\", delay = \"30 ms\", queue = { droptail = 20 }, loss = { bernoulli = 0.01 }";
    let flow = "rate_control = \"tfrc-veno\"\nencoder = { sizes = { lognormal = 0.3 }, key_every = 60 }\nplayer = { lost = \"freeze\", delay = { least = \"50 ms\", most = \"500 ms\" } }";
    let scenario = scenario("20 s", path, flow);
    let alone = run(&scenario);
    let probed = Run::new(&scenario).seed(1).probe(&scenario.probe).go();
    let probed = probed.expect("nothing interrupts it");
    assert_eq!(probed.outcome.flows[0], alone);
    let last = |quantity: &str| {
        let series = probed.series.iter().find(|one| one.quantity == quantity);
        let series = series.unwrap_or_else(|| panic!("no {quantity}"));
        match series.points.last() {
            Some((at, Reading::Number(number))) => (*at, *number),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(last("explain.shown"), (20.0, frames(&alone).shown as f64));
    assert_eq!(last("explain.frozen"), (20.0, frames(&alone).frozen_s));
    assert!((0.05..=0.5).contains(&last("explain.playout_delay").1));
    for rate in ["explain.target_rate", "explain.encoded_rate"] {
        assert!(last(rate).1 < 2e6, "{rate}");
    }
    assert!(last("explain.sender_queue").1 < 1e6);
}

/// What a flow without frames does is not changed by their existence: its results and its canonical text name none.
#[test]
fn a_flow_without_frames_has_none() {
    let plain = scenario("5 s", FAST, "rate_control = \"tfrc\"");
    let found = run(&plain);
    assert_eq!(found.media, None);
    let canonical = plain.canonical();
    assert!(
        !canonical.contains("encoder") && !canonical.contains("player"),
        "{canonical}"
    );
}
