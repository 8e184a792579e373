//! What the module calls of its host.

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
#[link(wasm_import_module = "lab")]
unsafe extern "C" {
    fn stopped(text: *const u8, length: usize);
    fn own(event: u32, flow: u32, state: *mut f64, length: usize) -> u32;
}

/// Calls the user's function for an event of a flow. It reads the state, and may write the window. Returns false
/// if it failed, or if there is no user's code.
pub(crate) fn call_own(event: u32, flow: u32, state: &mut [f64]) -> bool {
    #[cfg(target_arch = "wasm32")]
    #[allow(unsafe_code)]
    // SAFETY: the host reads and writes within the length, during the call.
    return unsafe { own(event, flow, state.as_mut_ptr(), state.len()) == 0 };
    #[cfg(not(target_arch = "wasm32"))]
    {
        let _ = (event, flow, state);
        false
    }
}

/// Tells the host why the module is about to stop. Elsewhere than in a module, that is the caller's business.
pub(crate) fn tell_panics() {
    #[cfg(target_arch = "wasm32")]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            std::panic::set_hook(Box::new(|panic| {
                let text = panic.to_string();
                #[allow(unsafe_code)]
                // SAFETY: the host reads the text during the call.
                unsafe {
                    stopped(text.as_ptr(), text.len());
                }
            }));
        });
    }
}
