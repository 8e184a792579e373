use super::*;
use dumbbell_control::algorithm::reno::Reno;
use dumbbell_control::controller::Algorithm;
use dumbbell_control::parameter::Kind;
use dumbbell_control::units::{Bytes, Instant, Ratio, Segments};

fn path() -> Path {
    Path::new(Bytes(1000)).with_initial_window(Segments::whole(2))
}

fn reno(path: &Path) -> Box<dyn Controller + Send> {
    Box::new(Reno::new(&Default::default(), path))
}

#[test]
fn a_program_can_add_a_control() {
    let mut controls = Controls::builtin();
    controls
        .register("mine", "my own", &[RecoveryKind::NewReno], reno)
        .unwrap();
    let Some(Control::Custom(mine)) = controls.named("mine") else {
        panic!("not found")
    };
    assert_eq!(
        mine.build(&path(), &Alarm::new()).window().cwnd,
        Segments::whole(2)
    );
    assert_eq!(
        controls.all().last().map(|c| c.name().to_owned()),
        Some("mine".to_owned())
    );
}

#[test]
fn parameters_stay_in_their_ranges_and_reach_the_factory() {
    let gain = Parameter {
        name: "gain",
        kind: Kind::Ratio(Ratio::ZERO, Ratio::ONE),
        doc: "A gain.",
    };
    let half = Setting::Ratio(Ratio::from_millionths(500_000));
    let mut controls = Controls::builtin();
    let factory = |settings: &Settings, path: &Path| {
        let Some(Setting::Ratio(gain)) = settings.get("gain") else {
            panic!("no gain")
        };
        reno(&path.with_initial_window(Segments::whole(10).scaled(gain)))
    };
    controls
        .register_with(
            "mine",
            "",
            &[RecoveryKind::Reno],
            &[(gain, Setting::Ratio(Ratio::ONE))],
            factory,
        )
        .unwrap();
    let mut mine = controls.named("mine").unwrap();
    assert_eq!(mine.set("gane", half), Err(Refused::Unknown));
    let three = Setting::Ratio(Ratio::from_millionths(3_000_000));
    assert_eq!(mine.set("gain", three), Err(Refused::Impossible(gain.kind)));
    assert_eq!(mine.set("gain", half), Ok(()));
    assert_ne!(Some(&mine), controls.named("mine").as_ref());
    let Control::Custom(mine) = mine else {
        panic!("not custom")
    };
    assert_eq!(
        mine.build(&path(), &Alarm::new()).window().cwnd,
        Segments::whole(5)
    );
}

#[test]
fn names_are_taken_once() {
    let mut controls = Controls::builtin();
    let add = |controls: &mut Controls, name: &str, recoveries: &[RecoveryKind]| {
        controls.register(name, "", recoveries, reno)
    };
    let usual = [RecoveryKind::Reno];
    assert_eq!(
        add(&mut controls, "veno", &usual),
        Err(Refusal::Taken("veno".into()))
    );
    assert_eq!(add(&mut controls, "mine", &usual), Ok(()));
    assert_eq!(
        add(&mut controls, "mine", &usual),
        Err(Refusal::Taken("mine".into()))
    );
    assert_eq!(
        add(&mut controls, "My Own", &usual),
        Err(Refusal::BadName("My Own".into()))
    );
    assert_eq!(
        add(&mut controls, "other", &[]),
        Err(Refusal::NoRecovery("other".into()))
    );
    let gain = Parameter {
        name: "gain",
        kind: Kind::Count(1, 3),
        doc: "A gain.",
    };
    let bad = controls.register_with(
        "other",
        "",
        &usual,
        &[(gain, Setting::Count(4))],
        |_, path| reno(path),
    );
    assert_eq!(bad, Err(Refusal::BadParameter("gain")));
}

#[test]
fn a_reconstruction_is_marked() {
    let controls = Controls::builtin();
    let named = |name| controls.named(name).unwrap();
    assert_eq!(named("veno").origin(), Origin::Published);
    assert_eq!(named("veno").description(), named("veno").summary());
    assert_eq!(named("new-veno").origin(), Origin::Reconstruction);
    assert!(
        named("new-veno")
            .description()
            .ends_with(" (reconstructed)")
    );
}

#[test]
fn an_algorithm_can_be_added_by_its_type() {
    let mut controls = Controls::builtin();
    // Its name is in the registry already.
    assert_eq!(
        controls.register_algorithm::<Reno>(),
        Err(Refusal::Taken("reno".into()))
    );
}

#[test]
fn the_identity_of_code_is_computed_once_and_never_replaced() {
    use std::sync::atomic::{AtomicU8, Ordering};
    let calls = Arc::new(AtomicU8::new(0));
    let mut controls = Controls::builtin();
    let add = |controls: &mut Controls, name: &str| {
        let added = controls.register(name, "", &[RecoveryKind::Reno], reno);
        added.unwrap();
    };
    let code = |controls: &Controls, name: &str| match controls.named(name) {
        Some(Control::Custom(custom)) => custom.code(),
        _ => panic!("not custom"),
    };
    assert!(!controls.has_added());
    add(&mut controls, "first");
    assert!(controls.has_added());
    assert_eq!(code(&controls, "first"), None);
    let counted = calls.clone();
    controls.identify(move || Some([counted.fetch_add(1, Ordering::Relaxed); 32]));
    add(&mut controls, "second");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    controls.identify(|| None);
    for _ in 0..2 {
        assert_eq!(code(&controls, "first"), Some([0; 32]));
        assert_eq!(code(&controls.clone(), "second"), None);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn an_added_control_says_what_it_needs() {
    let mut controls = Controls::builtin();
    let mine = Added::new("mine", |_, path, _| reno(path))
        .origin(Origin::Reconstruction)
        .needs(Signals::RTT.with_queueing());
    controls.add(mine).unwrap();
    let mine = controls.named("mine").unwrap();
    assert!(mine.needs().queueing && mine.needs().rtt);
    assert_eq!(mine.origin(), Origin::Reconstruction);
    let usual = [
        RecoveryKind::Reno,
        RecoveryKind::NewReno,
        RecoveryKind::Sack,
    ];
    assert_eq!(mine.recoveries(), usual);
}

#[test]
fn controls_of_one_name_and_different_code_differ() {
    let with = |code: Option<u8>| {
        let mut controls = Controls::builtin();
        let mine = Added::new("mine", |_, path, _| reno(path));
        let mine = mine.identified(move || code.map(|code| [code; 32]));
        controls.add(mine).unwrap();
        controls.named("mine").unwrap()
    };
    assert_eq!(with(Some(1)), with(Some(1)));
    assert_ne!(with(Some(1)), with(Some(2)));
    assert_ne!(with(Some(1)), with(None));
}

#[test]
fn an_identity_of_its_own_is_kept() {
    let mut controls = Controls::builtin();
    let add = |controls: &mut Controls, mine: Added| controls.add(mine).unwrap();
    let mine = |name| Added::new(name, |_, path, _| reno(path));
    add(&mut controls, mine("own").identified(|| Some([1; 32])));
    add(&mut controls, mine("other"));
    controls.identify(|| Some([2; 32]));
    let code = |name| match controls.named(name) {
        Some(Control::Custom(custom)) => custom.code(),
        _ => panic!("not custom"),
    };
    assert_eq!((code("own"), code("other")), (Some([1; 32]), Some([2; 32])));
}

#[test]
fn the_first_alarm_counts() {
    let run = Alarm::new();
    let (first, second) = (run.of_flow(3), run.of_flow(4));
    assert!(!run.is_raised());
    first.raise(Instant::from_nanos(5), "too bad");
    second.raise(Instant::from_nanos(4), "also bad");
    let raised = run.raised().unwrap();
    assert_eq!((raised.flow, raised.at), (3, Instant::from_nanos(5)));
    assert_eq!(raised.to_string(), "at 0.000000005 s: too bad");
}
