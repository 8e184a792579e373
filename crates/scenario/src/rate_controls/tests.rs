use super::group::ratio;
use super::*;
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
