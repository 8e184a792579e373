//! The exports of the module, for a host that can only pass numbers and bytes in memory.
//!
//! A host requests a buffer ([`lab_room`]), writes the text of a scenario into it, and calls a function. The function
//! returns 0 if the answer is what was asked for, 1 if it is a list of mistakes in the text, and 2 if it is a
//! message. [`lab_answer`] returns the address of the answer, which has the form of [`Answer`]. All names begin with `lab_`, so
//! that none takes the place of one of the C library where this crate is linked into a program.

use std::cell::RefCell;

use dumbbell_run::Run;
use dumbbell_scenario::{Duration, Scenario};
use serde_json::json;

use crate::answer::Answer;
use crate::watch::{Wanted, watch};
use crate::{FILE, catalogue, check, film, host, own};

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Why there is no answer.
enum Wrong {
    /// The mistakes in the text, as JSON.
    Text(String),
    /// What happened.
    Run(String),
}

/// Allocates a buffer for a text of this many bytes, and returns its address. The buffer is valid
/// until the next call.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn lab_room(bytes: usize) -> *mut u8 {
    host::tell_panics();
    TEXT.with_borrow_mut(|text| {
        *text = vec![0; bytes];
        text.as_mut_ptr()
    })
}

/// Lists what a scenario can name.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn lab_list() -> u32 {
    keep(Ok(Answer::text(catalogue::catalogue(&own::controls()))))
}

/// Reads the scenario in the buffer without running it. Mistakes are a part of the answer.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn lab_read() -> u32 {
    let checked = text().map(|text| Answer::text(check::check(&text, &own::controls())));
    keep(checked)
}

/// Runs the scenario in the buffer, with this seed if `seeded` is not 0. The answer has only an outcome.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn lab_run(seeded: u32, seed: u64) -> u32 {
    keep(with_scenario(|scenario| {
        let mut run = Run::new(scenario);
        if seeded != 0 {
            run = run.seed(seed);
        }
        let done = run.go().map_err(|stopped| stopped.to_string())?;
        let outcome = serde_json::to_string(&done.outcome).map_err(|error| error.to_string())?;
        Ok(Answer {
            outcome,
            ..Answer::default()
        })
    }))
}

/// Runs the scenario in the buffer with its curves, with its cuts if `cuts` is not 0, and with its
/// losses if `losses` is not 0. `every` is the time
/// between two samples in nanoseconds, or 0.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn lab_observe(seeded: u32, seed: u64, every: u64, cuts: u32, losses: u32) -> u32 {
    let wanted = Wanted {
        seed: (seeded != 0).then_some(seed),
        every: (every > 0).then_some(Duration::from_nanos(every)),
        cuts: cuts != 0,
        losses: losses != 0,
    };
    keep(with_scenario(|scenario| watch(scenario, &wanted)))
}

/// Runs the scenario in the buffer as far as it must to show each packet between two times, in nanoseconds.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn lab_film(seeded: u32, seed: u64, from: u64, to: u64) -> u32 {
    let seed = (seeded != 0).then_some(seed);
    let [from, to] = [from, to].map(Duration::from_nanos);
    keep(with_scenario(|scenario| {
        film::scene(scenario, seed, from, to)
    }))
}

/// Returns the address of the last answer, which is valid until the next call.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn lab_answer() -> *const u8 {
    ANSWER.with_borrow(Vec::as_ptr)
}

/// Returns the number of bytes of the last answer.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn lab_answer_len() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// Takes the text out of the buffer.
fn text() -> Result<String, Wrong> {
    String::from_utf8(TEXT.take())
        .map_err(|wrong| Wrong::Run(format!("the scenario is not UTF-8: {wrong}")))
}

fn with_scenario(go: impl FnOnce(&Scenario) -> Result<Answer, String>) -> Result<Answer, Wrong> {
    let text = text()?;
    let scenario = Scenario::parse(FILE, &text, &own::controls()).map_err(|report| {
        let mistakes = check::mistakes(&text, &report);
        Wrong::Text(json!({ "errors": mistakes, "message": report.render(false) }).to_string())
    })?;
    go(&scenario).map_err(Wrong::Run)
}

fn keep(done: Result<Answer, Wrong>) -> u32 {
    let (code, answer) = match done {
        Ok(answer) => (0, answer),
        Err(Wrong::Text(mistakes)) => (1, Answer::text(mistakes)),
        Err(Wrong::Run(message)) => (2, Answer::text(json!({ "message": message }).to_string())),
    };
    ANSWER.set(answer.bytes());
    code
}
