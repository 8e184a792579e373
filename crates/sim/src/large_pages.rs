//! Asking the system for large pages, where an event may touch any of many megabytes: the processor then needs fewer
//! entries of its table of pages to find them.
#![allow(unsafe_code)]

/// The bytes of a large page of most systems.
const PAGE: usize = 2 << 20;

/// Memory with fewer whole large pages is left as it is.
const FEW: usize = 4;

/// Asks the system to keep what a vector has reserved in large pages, if that is much. Called before the memory is
/// used, it also saves the time to get it in many small ones. No content changes: a system without large pages, or
/// without any to spare, keeps small ones.
pub fn prefer_large_pages<T>(memory: &Vec<T>) {
    let start = memory.as_ptr().addr();
    let end = (start + memory.capacity() * size_of::<T>()) / PAGE * PAGE;
    let start = start.next_multiple_of(PAGE);
    if end.saturating_sub(start) >= FEW * PAGE {
        advise(memory.as_ptr().with_addr(start).cast(), end - start);
    }
}

#[cfg(target_os = "linux")]
fn advise(start: *const u8, bytes: usize) {
    // SAFETY: the range is within the memory of a vector. The advice changes neither what is there nor who may use it,
    // and if the system does not follow it, nothing happens.
    unsafe { libc::madvise(start.cast_mut().cast(), bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *const u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written before and after the advice is still there, in memory of any size and alignment.
    #[test]
    fn the_advice_changes_no_content() {
        for size in [0, 1, 1_000, PAGE, 5 * PAGE + 12_345, 9 * PAGE] {
            let mut memory: Vec<u32> = Vec::with_capacity(size);
            memory.extend((0..size / 2).map(|number| number as u32));
            prefer_large_pages(&memory);
            memory.extend((size / 2..size).map(|number| number as u32));
            let kept = memory
                .iter()
                .zip(0..)
                .all(|(&found, number)| found == number);
            assert!(kept && memory.len() == size);
        }
    }

    /// The kernel lists the advice with each region of memory, as `hg`.
    #[cfg(target_os = "linux")]
    #[test]
    fn only_much_memory_is_advised() {
        let advised = |bytes: usize| {
            let memory: Vec<u8> = Vec::with_capacity(bytes);
            prefer_large_pages(&memory);
            let place = memory.as_ptr().addr() + bytes / 2;
            let regions = std::fs::read_to_string("/proc/self/smaps").ok()?;
            let mut inside = false;
            for line in regions.lines() {
                let range = line
                    .split(' ')
                    .next()
                    .and_then(|range| range.split_once('-'));
                let ends = range.and_then(|(from, to)| {
                    let hex = |text| usize::from_str_radix(text, 16).ok();
                    Some(hex(from)?..hex(to)?)
                });
                if let Some(ends) = ends {
                    inside = ends.contains(&place);
                } else if let (true, Some(flags)) = (inside, line.strip_prefix("VmFlags:")) {
                    return Some(flags.split(' ').any(|flag| flag == "hg"));
                }
            }
            None
        };
        let has_any = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        assert!(advised(10 * PAGE) != Some(false) || !has_any);
        assert_ne!(advised(4 * PAGE), Some(true));
    }
}
