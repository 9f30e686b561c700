//! How fast a file becomes a character: `cargo run --release -p sinew_io --example read_speed --
//! FILE...`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::path::PathBuf;
use std::time::Instant;

/// That of the `sinew` command: it keeps pages from one read to the next.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The best of so many counts: on a shared machine all others measure the neighbours.
const NUM_READS: usize = 25;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        let bytes = std::fs::metadata(&path)?.len() as f64;
        let mut best = f64::INFINITY;
        for _ in 0..NUM_READS {
            let start = Instant::now();
            let loaded = sinew_io::read_character(&path)?;
            best = best.min(start.elapsed().as_secs_f64());
            std::hint::black_box(&loaded);
        }
        let (ms, rate) = (best * 1e3, bytes / best / 1e6);
        println!("{}: {:.1} MB, {ms:.1} ms, {rate:.0} MB/s", path.display(), bytes / 1e6);
    }
    Ok(())
}
