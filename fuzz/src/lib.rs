//! What every target does with its bytes: read them, and use what could be read. libFuzzer ends the
//! run on a panic, on a leak of time (`-timeout`) or of memory (`-rss_limit_mb`).

pub mod editing;

use sinew_io::{Format, WriteOptions, character_to_glb, read_character_from_bytes};

/// Reads a character; one that can be read is checked and written, and what is written is read
/// again.
///
/// # Panics
/// On a fault in Sinew: that is how libFuzzer hears of it.
pub fn exercise(format: Format, bytes: &[u8]) {
    let Ok(loaded) = read_character_from_bytes(format, "fuzz", bytes) else { return };
    let _ = sinew::check::check(&loaded.character);
    let Ok(glb) = character_to_glb(&loaded.character, &WriteOptions::default()) else { return };
    if let Err(error) = read_character_from_bytes(Format::Glb, "again", &glb) {
        panic!("what was written cannot be read: {error}");
    }
}
