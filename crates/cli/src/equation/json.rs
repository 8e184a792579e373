//! The results as JSON.

use dumbbell_lab::throughput::Model;
use serde_json::{Value, json};

use super::answer;
use super::question::{Asked, Question};
use crate::exit::Exit;

/// Returns one object with the arguments and the results. A number that is not finite is null.
pub fn of(question: &Question, errata: bool) -> Result<String, Exit> {
    let flow = &question.flow;
    let names = Model::ALL;
    let name = names.iter().find(|(_, model)| *model == question.model);
    let mut object = json!({
        "equation": name.map(|(name, _)| name),
        "rtt_s": flow.rtt,
        "base_rtt_s": question.base_rtt,
        "rto_s": flow.rto,
        "packets_per_ack": flow.packets_per_ack,
        "gamma": flow.cut,
        "max_window": flow.max_window,
        "segment_bytes": question.segment,
    });
    let (key, answer) = match &question.asked {
        Asked::Throughput(losses) => {
            let points = losses.iter().map(|p| point(question, *p, errata));
            ("points", points.collect::<Vec<Value>>().into())
        }
        Asked::Loss(rate) => {
            let mut found = json!({ "rate_bps": rate });
            for (form, loss) in answer::reached(question, *rate)? {
                found[form] = json!({ "loss": loss.ok() });
            }
            ("inverse", found)
        }
    };
    object[key] = answer;
    serde_json::to_string_pretty(&object).map_err(|e| Exit::Failed(e.to_string()))
}

fn point(question: &Question, p: f64, errata: bool) -> Value {
    let flow = &question.flow;
    let mut point = if question.model.is_tfrc() {
        let rate = question.of_rate().rate(p);
        json!({ "loss": p, "rate_bytes": rate, "rate_bps": rate * 8.0, "rate_packets": rate / question.segment })
    } else {
        let period = flow.period(p);
        json!({
            "loss": p,
            "window": period.window,
            "rounds": period.rounds,
            "without_timeouts": flow.without_timeouts(p),
            "small_loss": flow.small_loss(p),
            "complete": flow.complete(p),
            "approximate": flow.approximate(p),
            "approximate_bps": question.bits(flow.approximate(p)),
        })
    };
    if errata {
        let all = question.errata(p).into_iter();
        let all = all.map(|e| {
            json!({
                "equation": e.equation,
                "quantity": e.quantity,
                "printed": e.printed,
                "corrected": e.corrected,
                "mistake": e.mistake,
            })
        });
        point["errata"] = all.collect::<Vec<Value>>().into();
    }
    point
}
