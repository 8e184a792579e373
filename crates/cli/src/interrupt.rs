//! Ctrl-C: runs stop at once, and finished work is kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Returns a flag that Ctrl-C sets. A second Ctrl-C ends the process at once.
pub fn flag() -> Arc<AtomicBool> {
    INTERRUPTED
        .get_or_init(|| {
            let flag = Arc::new(AtomicBool::new(false));
            let set = Arc::clone(&flag);
            // Without a handler Ctrl-C still ends the process, but without cleaning up.
            let _ = ctrlc::set_handler(move || {
                if set.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            });
            flag
        })
        .clone()
}
