//! What the tests need and a Debian machine with only Rust may lack. Nothing is touched that is
//! already there.

use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::run::{cargo, command, expect_success, shown, succeeds, workspace_root};

/// How to tell that a package is already there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Probe {
    /// One of these files exists.
    AnyFile(&'static [&'static str]),
    /// This program starts and ends well: its name and arguments.
    Program(&'static [&'static str]),
}

impl Probe {
    fn is_present(self) -> bool {
        match self {
            Self::AnyFile(paths) => paths.iter().any(|path| Path::new(path).exists()),
            Self::Program([program, arguments @ ..]) => {
                let mut probe = command(*program);
                probe.args(arguments);
                succeeds(probe)
            }
            Self::Program([]) => false,
        }
    }
}

/// Debian packages that the tests need: name, how to tell that it is there, why it is needed.
///
/// The rest of the tests needs Rust alone.
pub(crate) const SYSTEM_PACKAGES: &[(&str, Probe, &str)] = &[
    ("libvulkan1", Probe::AnyFile(VULKAN_LOADERS), "the tests of sinew_gpu need Vulkan"),
    (
        "mesa-vulkan-drivers",
        Probe::AnyFile(VULKAN_DRIVERS),
        "a driver in software, where there is no graphics card",
    ),
    ("xvfb", Probe::Program(&["Xvfb", "-help"]), "the studio's window opens on it"),
    ("libxkbcommon-x11-0", Probe::AnyFile(XKB_LIBRARIES), "the studio's window reads keys by it"),
    ("libxcursor1", Probe::AnyFile(CURSOR_LIBRARIES), "the studio's window has a pointer"),
    ("libxi6", Probe::AnyFile(INPUT_LIBRARIES), "the studio's window hears the mouse by it"),
    ("libxrandr2", Probe::AnyFile(SCREEN_LIBRARIES), "the studio's window knows its screen by it"),
    ("nodejs", Probe::Program(&["node", "--version"]), "the Khronos glTF validator runs in it"),
    ("npm", Probe::Program(&["npm", "--version"]), "installs the Khronos glTF validator"),
];

/// Where the validator's pinned version is stated, and where it is installed to: from the
/// workspace's root.
const VALIDATOR_SOURCE: &str = "crates/sinew_io/tests/validator";
const VALIDATOR_FOLDER: &str = "target/validator";

const VULKAN_LOADERS: &[&str] =
    &["/usr/lib/x86_64-linux-gnu/libvulkan.so.1", "/usr/lib/aarch64-linux-gnu/libvulkan.so.1"];

const XKB_LIBRARIES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/libxkbcommon-x11.so.0",
    "/usr/lib/aarch64-linux-gnu/libxkbcommon-x11.so.0",
];
const CURSOR_LIBRARIES: &[&str] =
    &["/usr/lib/x86_64-linux-gnu/libXcursor.so.1", "/usr/lib/aarch64-linux-gnu/libXcursor.so.1"];
const INPUT_LIBRARIES: &[&str] =
    &["/usr/lib/x86_64-linux-gnu/libXi.so.6", "/usr/lib/aarch64-linux-gnu/libXi.so.6"];
const SCREEN_LIBRARIES: &[&str] =
    &["/usr/lib/x86_64-linux-gnu/libXrandr.so.2", "/usr/lib/aarch64-linux-gnu/libXrandr.so.2"];

const VULKAN_DRIVERS: &[&str] = &[
    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.json",
];

/// Parts of the Rust toolchain that the tests need: the component, and the cargo verb that it
/// brings.
const COMPONENTS: &[(&str, &str)] = &[("rustfmt", "fmt"), ("clippy", "clippy")];

/// Installs what is missing.
pub(crate) fn run() -> Result<(), Failure> {
    install_components()?;
    install_packages(&missing(SYSTEM_PACKAGES))?;
    install_validator()
}

/// The Khronos glTF validator, at the version and with the checksum that its lock file states. What
/// is already there at that version stays, so that a machine without network can go on.
fn install_validator() -> Result<(), Failure> {
    let root = workspace_root();
    let (source, folder) = (root.join(VALIDATOR_SOURCE), root.join(VALIDATOR_FOLDER));
    let read = |path: &Path| std::fs::read(path).ok();
    let lock = "package-lock.json";
    let is_there = folder.join("node_modules/gltf-validator/package.json").is_file()
        && read(&source.join(lock)) == read(&folder.join(lock));
    if is_there {
        println!("the glTF validator is there");
        return Ok(());
    }
    println!("installing the glTF validator into {VALIDATOR_FOLDER}");
    let failed = |error: std::io::Error| format!("cannot write into {VALIDATOR_FOLDER}: {error}");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::copy(source.join("package.json"), folder.join("package.json")).map_err(failed)?;
    std::fs::copy(source.join(lock), folder.join(lock)).map_err(failed)?;
    let mut npm = command("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder);
    expect_success(npm).map_err(|failure| {
        format!("{failure}\nthe tests validate what is written with it; is there a network?")
    })
}

fn install_components() -> Result<(), Failure> {
    let missing: Vec<&str> = COMPONENTS
        .iter()
        .filter(|(_, verb)| !succeeds(cargo(&[verb, "--version"])))
        .map(|&(component, _)| component)
        .collect();
    if missing.is_empty() {
        println!("rustfmt and clippy are there");
        return Ok(());
    }
    let mut rustup = command("rustup");
    rustup.args(["component", "add"]).args(&missing);
    println!("installing {}", missing.join(", "));
    expect_success(rustup).map_err(|failure| {
        let names = missing.join(" and ");
        format!("{failure}\n{names} are needed; install them beside cargo and try again")
    })
}

/// The packages whose probe finds nothing, and why each is needed.
fn missing(packages: &[(&'static str, Probe, &'static str)]) -> Vec<(&'static str, &'static str)> {
    packages
        .iter()
        .filter(|(_, probe, _)| !probe.is_present())
        .map(|&(package, _, why)| (package, why))
        .collect()
}

fn install_packages(missing: &[(&str, &str)]) -> Result<(), Failure> {
    if missing.is_empty() {
        println!("no system package is missing");
        return Ok(());
    }
    let reasons: Vec<String> =
        missing.iter().map(|(package, why)| format!("  {package}: {why}")).collect();
    println!("installing system packages:\n{}", reasons.join("\n"));
    let packages: Vec<&str> = missing.iter().map(|&(package, _)| package).collect();
    let way = Way::of_this_machine();
    for command in apt_commands(way, &packages) {
        let line = shown(&command);
        expect_success(command).map_err(|failure| {
            format!(
                "{failure}\nthe tests need these packages:\n{}\n`{line}` could not install them; \
                 install them by hand (as root) and try again",
                reasons.join("\n")
            )
        })?;
    }
    Ok(())
}

/// Who may install.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    AsRoot,
    /// Without ever asking for a password: there may be nobody to type it.
    WithSudo,
}

impl Way {
    fn of_this_machine() -> Self {
        let mut id = command("id");
        id.arg("-u");
        match crate::run::standard_output(id) {
            Ok(user) if user.trim_ascii() == b"0" => Self::AsRoot,
            _ => Self::WithSudo,
        }
    }
}

/// `apt-get update`, then `apt-get install`, only of `packages`.
fn apt_commands(way: Way, packages: &[&str]) -> [Command; 2] {
    let apt = |arguments: &[&str]| {
        let mut apt = match way {
            Way::AsRoot => command("apt-get"),
            Way::WithSudo => {
                let mut sudo = command("sudo");
                sudo.args(["--non-interactive", "--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
                sudo
            }
        };
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    let mut install = apt(&["install", "-y", "--no-install-recommends"]);
    install.args(packages);
    [apt(&["update"]), install]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_its_probe_does_not_find_is_missing() {
        let packages = [
            ("there", Probe::AnyFile(&["/no/such/file", "/"]), "a root folder"),
            ("cargo", Probe::Program(&["cargo", "--version"]), "it runs this test"),
            ("no-file", Probe::AnyFile(&["/no/such/file/of/sinew"]), "a test"),
            ("no-program", Probe::Program(&["sinew-no-such-program"]), "a test"),
        ];
        let names: Vec<_> = missing(&packages).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["no-file", "no-program"]);
    }

    #[test]
    fn packages_are_installed_without_recommendations_and_without_questions() {
        let [update, install] = apt_commands(Way::AsRoot, &["libfoo", "bar"]).map(|c| shown(&c));
        assert_eq!(update, "apt-get update");
        assert_eq!(install, "apt-get install -y --no-install-recommends libfoo bar");
    }

    #[test]
    fn who_is_not_root_goes_through_sudo_that_never_asks() {
        let [_, install] = apt_commands(Way::WithSudo, &["bar"]).map(|c| shown(&c));
        assert!(install.starts_with("sudo --non-interactive "), "{install}");
        assert!(install.ends_with("apt-get install -y --no-install-recommends bar"), "{install}");
    }
}
