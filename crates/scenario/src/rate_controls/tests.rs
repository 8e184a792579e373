use super::group::ratio;
use super::*;
use crate::controls::Controls;
use dumbbell_control::units::Ratio;

#[test]
fn every_default_is_within_its_range_and_every_name_occurs_once() {
    for control in RateControl::all() {
        let mut names = Vec::new();
        for parameter in control.parameters() {
            let default = control.get(parameter.name);
            assert!(
                default.is_some_and(|value| parameter.kind.admits(value)),
                "{} {}",
                control.name(),
                parameter.name
            );
            assert!(!names.contains(&parameter.name), "{}", parameter.name);
            names.push(parameter.name);
        }
    }
}

#[test]
fn parameters_of_another_scheme_are_rejected() {
    let mut plain = RateControl::named("tfrc").unwrap();
    let high = Setting::Ratio(ratio(900_000));
    assert_eq!(plain.set("theta1", high), Err(Refused::Unknown));
    let mut veno = RateControl::named("tfrc-veno").unwrap();
    assert_eq!(veno.set("theta1", high), Ok(()));
    assert_eq!(veno.get("theta1"), Some(high));
    let out = Setting::Ratio(Ratio::ONE);
    assert!(matches!(
        veno.set("theta1", out),
        Err(Refused::Impossible(_))
    ));
}

struct Constant;

impl dumbbell_tfrc::steered::RateControl for Constant {
    fn on_feedback(&mut self, _: &dumbbell_tfrc::steered::Report) {}
    fn on_expiry(&mut self, _: &dumbbell_tfrc::steered::Expiry) {}
    fn rate(&self) -> f64 {
        1e4
    }
}

fn gain(default: u32) -> (Parameter, Setting) {
    let parameter = Parameter {
        name: "gain",
        kind: dumbbell_control::parameter::Kind::Ratio(ratio(0), Ratio::ONE),
        doc: "A gain.",
    };
    (parameter, Setting::Ratio(ratio(default)))
}

fn with_mine() -> Controls {
    let mut controls = Controls::builtin();
    let (parameter, default) = gain(250_000);
    let mine = AddedRate::new("mine", |_, _, _| Box::new(Constant));
    let mine = mine.summary("my own").parameter(parameter, default);
    controls.add_rate(mine).unwrap();
    controls
}

const FILE: &str = r#"
    duration = "10 s"
    [dumbbell]
    access     = { rate = "10 Mb/s", delay = "1 ms" }
    bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 } }
    [[flow]]
    rate_control = { name = "mine", gain = 0.5, discounting = "off" }
"#;

#[test]
fn an_added_rate_control_is_read_and_written() {
    let controls = with_mine();
    let scenario = crate::Scenario::parse("test", FILE, &controls).unwrap();
    let text = scenario.canonical();
    let line = "rate_control = { name = \"mine\", discounting = \"off\", discount_mean = \"closed\", causes = \"ignored\", gain = 0.5 }";
    assert!(text.contains(line), "{text}");
    let again = crate::Scenario::parse("test", &text, &controls).unwrap();
    assert_eq!(again.flows, scenario.flows);
}

#[test]
fn mistakes_in_an_added_rate_control_are_shown() {
    let controls = with_mine();
    let wrong = |from: &str, to: &str| {
        let text = FILE.replace(from, to);
        let report = crate::Scenario::parse("test", &text, &controls).unwrap_err();
        report.to_string()
    };
    assert!(wrong("\"mine\"", "\"mien\"").contains("did you mean `mine`"));
    assert!(wrong("0.5", "2").contains("a number from 0 to 1"));
    // A parameter of the sender, which an added rate control does not have.
    assert!(wrong("gain", "smoothing").contains("has no parameter `smoothing`"));
}

#[test]
fn an_added_rate_control_is_listed_and_in_the_schema() {
    let controls = with_mine();
    let sections = crate::catalogue::sections(&controls);
    let entries = sections.iter().flat_map(|section| &section.entries);
    let mine = entries.clone().find(|entry| entry.name == "mine").unwrap();
    assert_eq!(mine.summary, "my own");
    let names: Vec<&str> = mine.parameters.iter().map(|p| p.name).collect();
    assert_eq!(names, ["discounting", "discount_mean", "causes", "gain"]);
    let schema = crate::schema::of(&controls).to_string();
    assert!(schema.contains("my own") && schema.contains("A gain."));
}

#[test]
fn rate_controls_that_cannot_be_added_are_refused() {
    use crate::controls::Refusal;
    let add = |name: &str, parameter: Parameter, default| {
        let added = AddedRate::new(name, |_, _, _| Box::new(Constant));
        with_mine().add_rate(added.parameter(parameter, default))
    };
    let (parameter, default) = gain(0);
    let taken = |name: &str| Err(Refusal::Taken(name.to_owned()));
    assert_eq!(add("tfrc", parameter, default), taken("tfrc"));
    assert_eq!(add("mine", parameter, default), taken("mine"));
    assert_eq!(add("other", parameter, default), Ok(()));
    let (_, large) = gain(1_000_001);
    let bad = Err(Refusal::BadParameter("gain"));
    assert_eq!(add("other", parameter, large), bad);
    let receiving = Parameter {
        name: "causes",
        ..parameter
    };
    let bad = Err(Refusal::BadParameter("causes"));
    assert_eq!(add("other", receiving, default), bad);
}
