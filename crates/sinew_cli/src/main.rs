//! tmp
mod bench; mod console; mod exit; mod joint_spec; mod names; mod numbers; mod pairing; mod pose_file; mod progress; mod text;
#[derive(clap::Parser)] struct C { #[command(flatten)] b: bench::BenchArgs }
fn main() { use clap::Parser; let c = C::parse(); let r = bench::run(&c.b, &console::Console::new(false)); if let Err(e)=r { console::Console::error(&e.to_string()); } }
