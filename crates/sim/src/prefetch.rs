//! Asking the processor for memory before it is needed. This is the only `unsafe` code of the crate.
#![allow(unsafe_code)]

/// The bytes that a processor fetches at once.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Asks the processor to bring a value into its cache, all of it, wherever it begins and ends. It does not wait, and
/// nothing changes: on a processor without such an instruction, this does nothing.
#[inline(always)]
pub fn fetch<T: ?Sized>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        let size = size_of_val(value);
        let mut offset = 0;
        while offset < size {
            // SAFETY: a prefetch reads nothing and never faults, and the address is within the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
            offset += LINE;
        }
        // A value that is not at the start of a line may end in one more.
        if size > 1 && align_of_val(value) < LINE {
            // SAFETY: as above.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(size - 1)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
