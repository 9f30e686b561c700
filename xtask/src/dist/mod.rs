//! `cargo xtask dist`: what a Linux machine without Rust installs, in `target/dist`: an archive
//! with an installer, and a package for Debian and its children where `dpkg-deb` is there.
//!
//! Both have the command, its manual pages and completions, a desktop entry, an icon and the type
//! of `.sinew` files. `tools/dist` has the scripts for the other systems, which run on them.

use std::path::{Path, PathBuf};

use crate::Failure;
use crate::run::{cargo, command, expect_success, standard_output, succeeds, workspace_root};

/// Of this version, as all crates.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where a file of the project goes below the prefix.
const SHARED: [(&str, &str); 7] = [
    ("tools/dist/sinew.desktop", "share/applications/sinew.desktop"),
    ("tools/dist/sinew.svg", "share/icons/hicolor/scalable/apps/sinew.svg"),
    ("tools/dist/sinew-mime.xml", "share/mime/packages/sinew.xml"),
    ("README.md", "share/doc/sinew/README.md"),
    ("CHANGELOG.md", "share/doc/sinew/CHANGELOG.md"),
    ("LICENSE-MIT", "share/doc/sinew/LICENSE-MIT"),
    ("LICENSE-APACHE", "share/doc/sinew/LICENSE-APACHE"),
];

/// Shells whose completions have a known place.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/sinew"),
    ("zsh", "share/zsh/site-functions/_sinew"),
    ("fish", "share/fish/vendor_completions.d/sinew.fish"),
];

/// Builds for release and packs. With a `binary`, packs that one.
pub(crate) fn run(binary: Option<&str>) -> Result<(), Failure> {
    let root = workspace_root();
    let binary = match binary {
        Some(path) => PathBuf::from(path),
        None => {
            expect_success(cargo(&["build", "--release", "--locked", "--package", "sinew_cli"]))?;
            root.join("target/release/sinew")
        }
    };
    let output = root.join("target/dist");
    let name = format!("sinew-{VERSION}-{}-linux", std::env::consts::ARCH);
    let staged = output.join(&name);
    stage(&root, &binary, &staged)?;
    copy(&root.join("tools/dist/install.sh"), &staged.join("install.sh"))?;
    let archive = output.join(format!("{name}.tar.gz"));
    let mut tar = command("tar");
    // The same owner whoever packs; the same order of files on every machine.
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-czf"]);
    expect_success({
        tar.arg(&archive).arg("-C").arg(&output).arg(&name);
        tar
    })?;
    println!("wrote {}", archive.display());
    let mut asks = command("dpkg-deb");
    asks.arg("--version");
    if succeeds(asks) {
        let package = debian(&root, &binary, &output)?;
        println!("wrote {}", package.display());
    } else {
        println!("no dpkg-deb: no .deb");
    }
    Ok(())
}

/// Puts everything below `prefix`, as it lies below `/usr`.
fn stage(root: &Path, binary: &Path, prefix: &Path) -> Result<(), Failure> {
    if prefix.exists() {
        std::fs::remove_dir_all(prefix)
            .map_err(|error| format!("cannot empty {}: {error}", prefix.display()))?;
    }
    let installed = prefix.join("bin/sinew");
    copy(binary, &installed)?;
    let mut strip = command("strip");
    strip.arg(&installed);
    if !succeeds(strip) {
        println!("no strip: the binary keeps its symbols");
    }
    for (from, to) in SHARED {
        copy(&root.join(from), &prefix.join(to))?;
    }
    for (shell, to) in COMPLETIONS {
        let mut asked = command(&installed);
        asked.args(["completions", shell]);
        write(&prefix.join(to), &standard_output(asked)?)?;
    }
    let pages = prefix.join("share/man/man1");
    make_folder(&pages)?;
    let mut asked = command(&installed);
    asked.args(["man", "--quiet", "-o"]).arg(&pages);
    expect_success(asked)
}

/// The Debian package; returns where it is.
fn debian(root: &Path, binary: &Path, output: &Path) -> Result<PathBuf, Failure> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let folder = output.join("deb");
    stage(root, binary, &folder.join("usr"))?;
    let control = format!(
        "Package: sinew\nVersion: {VERSION}\nArchitecture: {architecture}\n\
         Maintainer: The Sinew developers <noreply@localhost>\nSection: graphics\nPriority: optional\n\
         Depends: libc6, libgcc-s1\n\
         Recommends: libvulkan1, libxkbcommon0, libxkbcommon-x11-0, libwayland-client0\n\
         Description: character skinning and deformation\n \
         Poses characters and keeps the shape of their skin: springs, cages, weights,\n \
         drivers and motion, in a window and at the command line.\n"
    );
    write(&folder.join("DEBIAN/control"), control.as_bytes())?;
    let package = output.join(format!("sinew_{VERSION}_{architecture}.deb"));
    let mut build = command("dpkg-deb");
    build.args(["--root-owner-group", "--build"]).arg(&folder).arg(&package);
    standard_output(build)?;
    Ok(package)
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    make_folder(to.parent().unwrap_or(to))?;
    std::fs::copy(from, to)
        .map(drop)
        .map_err(|error| format!("cannot copy {} to {}: {error}", from.display(), to.display()))
}

#[expect(clippy::disallowed_methods, reason = "what is packed can be packed again")]
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    make_folder(path.parent().unwrap_or(path))?;
    std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_there_and_the_desktop_entry_names_it() {
        let root = workspace_root();
        for (from, _) in SHARED {
            assert!(root.join(from).is_file(), "{from}");
        }
        let entry = crate::files::read(&root.join("tools/dist/sinew.desktop")).unwrap();
        assert!(entry.contains("\nExec=sinew studio %f\n") && entry.contains("\nIcon=sinew\n"));
    }
}
