//! Memory that cannot be had: one line and exit code 3, as for any input that is too much, where
//! the language would abort.
#![expect(unsafe_code, reason = "an allocator can be written in no other way")]

use std::alloc::{GlobalAlloc, Layout};
use std::io::Write as _;

use mimalloc::MiMalloc;

/// The allocator, with words for when there is no more.
pub(crate) struct Allocator;

// SAFETY: every call is passed on as it is; a null pointer is never returned.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        there(unsafe { MiMalloc.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { MiMalloc.dealloc(place, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        there(unsafe { MiMalloc.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are passed on.
        there(unsafe { MiMalloc.realloc(place, layout, size) }, size)
    }
}

fn there(place: *mut u8, size: usize) -> *mut u8 {
    if place.is_null() {
        end(size);
    }
    place
}

/// Says so with no memory of its own, and ends.
#[cold]
fn end(size: usize) -> ! {
    let mut digits = [b'0'; 20];
    let mut rest = size;
    let mut first = digits.len();
    while first > 0 && (rest > 0 || first == digits.len()) {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let mut stderr = std::io::stderr();
    for words in [
        &b"error: there is not enough memory: "[..],
        &digits[first..],
        b" bytes more were needed; the input is too large for this machine\n",
    ] {
        // Nobody is left to tell if stderr is gone.
        let _ = stderr.write_all(words);
    }
    std::process::exit(3)
}
