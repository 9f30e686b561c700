//! Every shader of the crate parses and validates with no optional capability, and keeps to
//! WebGPU's default limits. Needs no GPU.
//!
//! Shaders are put together from several files: a line `// prelude: a.wgsl, b.wgsl` (paths from
//! `src`) says what comes in front of a file.

use std::path::{Path, PathBuf};

use naga::valid::{Capabilities, GlobalUse, ValidationFlags, Validator};

/// WebGPU's default limits.
const MAX_STORAGE_BUFFERS: usize = 8;
const MAX_UNIFORM_BUFFERS: usize = 12;
const MAX_INVOCATIONS: u32 = 256;

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All WGSL files below a folder.
fn wgsl_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the crate's sources can be read") {
        let path = entry.expect("the crate's sources can be read").path();
        if path.is_dir() {
            wgsl_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            found.push(path);
        }
    }
}

/// The text of a file with its preludes in front.
fn whole_text(path: &Path) -> String {
    let read = |path: &Path| {
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let own = read(path);
    let preludes = own.lines().filter_map(|line| line.strip_prefix("// prelude:"));
    let mut text = String::new();
    for prelude in preludes.flat_map(|names| names.split(',')) {
        text += &read(&source_folder().join(prelude.trim()));
    }
    text + &own
}

fn validated(text: &str) -> Result<(naga::Module, naga::valid::ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&module).map_err(|error| error.emit_to_string(text))?;
    Ok((module, info))
}

/// Bindings of an address space that an entry point uses.
fn num_used(
    module: &naga::Module,
    info: &naga::valid::FunctionInfo,
    is_counted: fn(naga::AddressSpace) -> bool,
) -> usize {
    let is_used = |handle| info[handle] != GlobalUse::empty();
    let globals = module.global_variables.iter();
    globals.filter(|(handle, global)| is_counted(global.space) && is_used(*handle)).count()
}

#[test]
fn every_shader_validates_and_keeps_to_the_default_limits() {
    let mut files = Vec::new();
    wgsl_files(&source_folder(), &mut files);
    assert!(files.len() >= 8, "the search finds the shaders: {files:?}");
    let mut num_entries = 0;
    for path in files {
        let text = whole_text(&path);
        let (module, info) =
            validated(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (index, entry) in module.entry_points.iter().enumerate() {
            num_entries += 1;
            let case = format!("{} of {}", entry.name, path.display());
            let info = info.get_entry_point(index);
            let is_storage = |space| matches!(space, naga::AddressSpace::Storage { .. });
            let num_storage = num_used(&module, info, is_storage);
            assert!(num_storage <= MAX_STORAGE_BUFFERS, "{case}: {num_storage} storage buffers");
            let is_uniform = |space| matches!(space, naga::AddressSpace::Uniform);
            assert!(num_used(&module, info, is_uniform) <= MAX_UNIFORM_BUFFERS, "{case}");
            if entry.stage == naga::ShaderStage::Compute {
                let invocations: u32 = entry.workgroup_size.iter().product();
                assert!(invocations <= MAX_INVOCATIONS, "{case}: {invocations} invocations");
            }
        }
    }
    assert!(num_entries >= 8, "the shaders have entry points");
}

#[test]
fn a_shader_with_a_fault_is_caught() {
    let text = whole_text(&source_folder().join("skin/linear.wgsl"));
    assert!(validated(&text).is_ok());
    assert!(validated(&text.replace("palette[pivot]", "palette[base_x]")).is_err());
    assert!(validated(&text.replace("invocation_index(id, groups)", "missing(id)")).is_err());
}
