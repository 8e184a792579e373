//! What the module calls of its host.

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
#[link(wasm_import_module = "lab")]
unsafe extern "C" {
    fn stopped(text: *const u8, length: usize);
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
