//! Tests the adapter directly, and between two endpoints in virtual time.

mod by_hand;
mod examples;
mod pair;
mod stack;
mod transfer;

use dumbbell_control::controller::{Controller as _, Value};
use dumbbell_control::parameter::Setting;
use dumbbell_control::registry::AnyConfig;
use dumbbell_quinn::Adapter;
use quinn_proto::congestion::Controller;

#[test]
fn the_example_programs_transfer() {
    examples::transfer("server", "client");
}

/// The parameters of a control by its name; growth counts all segments that an ACK covers.
fn named(name: &str) -> AnyConfig {
    let mut config = AnyConfig::named(name).expect(name);
    config.set("counting", Setting::Choice("abc")).expect(name);
    config.set("abc_limit", Setting::Count(255)).expect(name);
    config
}

/// The parameters of VenoDB with the arrival times of ACKs.
fn venodb_by_acks() -> AnyConfig {
    let mut config = named("venodb");
    let source = Setting::Choice("ack");
    config.set("stamp_source", source).expect("a parameter");
    config
}

/// A copy of the adapter behind quinn's trait object.
fn adapter(controller: &dyn Controller) -> Adapter {
    let any = controller.clone_box().into_any();
    *any.downcast().expect("it is an adapter")
}

/// The branch of the rule that was applied last.
fn branch(adapter: &Adapter) -> &'static str {
    let mut branch = "";
    adapter.path().control().explain(&mut |name, value| {
        if let ("rule", Value::Rule(rule)) = (name, value) {
            branch = rule.branch;
        }
    });
    branch
}
