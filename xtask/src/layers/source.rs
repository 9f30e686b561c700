//! The library's source touches neither files nor the environment.
//!
//! Looks for `std::fs`, `std::env`, `File::` and `OpenOptions::` in the tokens of each file:
//! comments and strings are no tokens, and items under `#[cfg(test)]` or `#[test]` are skipped.
//! Limit: a path built by a macro goes unseen.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::Failure;
use crate::files::files_below;

/// Modules of the standard library that reach outside of the process.
const FORBIDDEN_MODULES: &[&str] = &["fs", "env"];

/// Types of `std::fs` that may have been imported by other ways.
const FORBIDDEN_TYPES: &[&str] = &["File", "OpenOptions"];

/// Every use of files or the environment in the source files of a folder, as a sentence with file
/// and line.
pub(super) fn violations_below(root: &Path, folder: &str) -> Result<Vec<String>, Failure> {
    let mut violations = Vec::new();
    let mut test_files = Vec::new();
    for path in files_below(&root.join(folder), &["rs"])? {
        let source = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let scan = Scan::of(&source)
            .map_err(|error| format!("cannot parse {}: {error}", path.display()))?;
        test_files.extend(scan.test_modules.iter().map(|name| module_folder(&path).join(name)));
        let shown = path.strip_prefix(root).unwrap_or(&path).display();
        let sentences = scan.uses.into_iter().map(|(line, what)| {
            format!(
                "{shown}:{line}: uses {what}: no file system in sinew, read and write in sinew_io"
            )
        });
        violations.extend(sentences.map(|sentence| (path.clone(), sentence)));
    }
    // A module declared `#[cfg(test)] mod name;` is test code in a file of its own.
    let is_test = |path: &Path| {
        let stem = path.with_extension("");
        test_files.iter().any(|test| stem.starts_with(test))
    };
    violations.retain(|(path, _)| !is_test(path));
    Ok(violations.into_iter().map(|(_, sentence)| sentence).collect())
}

/// Where the modules that `path` declares have their files.
fn module_folder(path: &Path) -> PathBuf {
    let is_root = path.file_stem().is_some_and(|s| s == "mod" || s == "lib" || s == "main");
    if is_root {
        path.parent().map_or_else(PathBuf::new, PathBuf::from)
    } else {
        path.with_extension("")
    }
}

/// What one file has.
#[derive(Default)]
struct Scan {
    /// Line, and what is used there.
    uses: Vec<(usize, String)>,
    /// Names of modules declared `#[cfg(test)] mod name;`.
    test_modules: Vec<String>,
}

impl Scan {
    fn of(source: &str) -> Result<Self, proc_macro2::LexError> {
        let mut scan = Self::default();
        scan.visit(source.parse()?);
        Ok(scan)
    }

    fn visit(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            if let Some(group) = attribute(&tokens[at..])
                && is_test_attribute(group)
            {
                let len = item_len(&tokens[at..]);
                self.note_test_module(&tokens[at..at + len]);
                at += len;
                continue;
            }
            if inner_attribute(&tokens[at..]).is_some_and(is_test_attribute) {
                return;
            }
            self.note_use(&tokens[at..]);
            if let TokenTree::Group(group) = &tokens[at] {
                self.visit(group.stream());
            }
            at += 1;
        }
    }

    /// `#[cfg(test)] mod name;`
    fn note_test_module(&mut self, item: &[TokenTree]) {
        if let [.., TokenTree::Ident(keyword), TokenTree::Ident(name), TokenTree::Punct(end)] = item
            && *keyword == "mod"
            && end.as_char() == ';'
        {
            self.test_modules.push(name.to_string());
        }
    }

    fn note_use(&mut self, tokens: &[TokenTree]) {
        let TokenTree::Ident(first) = &tokens[0] else { return };
        if !is_path_separator(&tokens[1..]) {
            return;
        }
        if FORBIDDEN_TYPES.iter().any(|name| first == name) {
            self.uses.push((first.span().start().line, format!("{first}::")));
        }
        if first != "std" {
            return;
        }
        match tokens.get(3) {
            Some(TokenTree::Ident(module)) => self.note_module(module),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                // `use std::{fs, io::Read}`: the first word of each entry.
                let mut is_first = true;
                for token in group.stream() {
                    if let TokenTree::Ident(module) = &token
                        && is_first
                    {
                        self.note_module(module);
                    }
                    is_first = matches!(&token, TokenTree::Punct(p) if p.as_char() == ',');
                }
            }
            _ => {}
        }
    }

    fn note_module(&mut self, module: &proc_macro2::Ident) {
        if FORBIDDEN_MODULES.iter().any(|name| module == name) {
            self.uses.push((module.span().start().line, format!("std::{module}")));
        }
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == wanted)
}

fn is_path_separator(tokens: &[TokenTree]) -> bool {
    is_punct(tokens.first(), ':') && is_punct(tokens.get(1), ':')
}

/// `#[…]` at the start of `tokens`.
fn attribute(tokens: &[TokenTree]) -> Option<&Group> {
    match tokens {
        [TokenTree::Punct(p), TokenTree::Group(group), ..]
            if p.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
        {
            Some(group)
        }
        _ => None,
    }
}

/// `#![…]` at the start of `tokens`.
fn inner_attribute(tokens: &[TokenTree]) -> Option<&Group> {
    match tokens {
        [TokenTree::Punct(hash), TokenTree::Punct(bang), TokenTree::Group(group), ..]
            if hash.as_char() == '#' && bang.as_char() == '!' =>
        {
            Some(group)
        }
        _ => None,
    }
}

/// `test`, `cfg(test)` and `cfg(all(test, …))`; not `cfg(not(test))` nor `cfg(any(test, …))`, which
/// ship.
fn is_test_attribute(attribute: &Group) -> bool {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match &tokens[..] {
        [TokenTree::Ident(name)] => name == "test",
        [TokenTree::Ident(name), TokenTree::Group(condition)] if name == "cfg" => {
            requires_test(condition.stream())
        }
        _ => false,
    }
}

fn requires_test(condition: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = condition.into_iter().collect();
    match &tokens[..] {
        [TokenTree::Ident(name)] => name == "test",
        [TokenTree::Ident(name), TokenTree::Group(all)] if name == "all" => {
            let entries: Vec<TokenTree> = all.stream().into_iter().collect();
            entries
                .split(|token| is_punct(Some(token), ','))
                .any(|entry| requires_test(entry.iter().cloned().collect()))
        }
        _ => false,
    }
}

/// The number of tokens of the item at the start of `tokens`, attributes and all: to its braces or
/// its semicolon.
fn item_len(tokens: &[TokenTree]) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(source: &str) -> Vec<(usize, String)> {
        Scan::of(source).unwrap().uses
    }

    #[test]
    fn files_and_environment_are_found_however_they_are_named() {
        for (source, what) in [
            ("use std::fs;", "std::fs"),
            ("use std::{collections::HashMap, env};", "std::env"),
            ("use std::{io::Read, fs::File};", "std::fs"),
            ("fn f() { let _ = ::std::fs::read(p); }", "std::fs"),
            ("fn f() { File::open(p); }", "File::"),
            ("fn f() { if x { g(&[std::env::var(n)]) } }", "std::env"),
            ("#[cfg(not(test))] use std::fs;", "std::fs"),
            ("#[cfg(any(test, unix))] use std::fs;", "std::fs"),
        ] {
            assert_eq!(uses(source), [(1, what.to_owned())], "{source}");
        }
    }

    #[test]
    fn the_line_is_the_files() {
        assert_eq!(uses("//! A header.\n\nuse std::env;\n")[0].0, 3);
    }

    #[test]
    fn comments_strings_and_namesakes_are_no_use() {
        for source in [
            "// std::fs\n/* std::fs */ /// `std::env`\nfn f() {}",
            "const TEXT: &str = \"std::fs::read\";",
            "use std::{collections::{env, fs}};",
            "use crate::fs; struct File; fn f(file: File) {}",
        ] {
            assert_eq!(uses(source), [], "{source}");
        }
    }

    #[test]
    fn test_code_may_read_files_and_what_follows_it_may_not() {
        let source = "#[cfg(test)]\n#[allow(x)]\nmod tests { use std::fs; }\n\
                      #[cfg(all(test, unix))] use std::env;\n\
                      #[test] fn t() { File::open(p); }\n\
                      use std::fs;";
        assert_eq!(uses(source), [(6, "std::fs".to_owned())]);
    }

    #[test]
    fn a_whole_file_under_test_may_read_files() {
        assert_eq!(uses("#![cfg(test)]\nuse std::fs;"), []);
    }

    #[test]
    fn a_test_module_in_a_file_of_its_own_may_read_files_and_its_neighbour_may_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[expect(clippy::disallowed_methods, reason = "a throw-away file")]
            std::fs::write(path, text).unwrap();
        };
        write("lib.rs", "mod mesh;\n#[cfg(test)] mod fixtures;");
        write("fixtures.rs", "use std::fs;");
        write("fixtures/more.rs", "use std::fs;");
        write("mesh.rs", "#[cfg(test)]\nmod tests;");
        write("mesh/tests.rs", "use std::env;");
        write("mesh/load.rs", "\nuse std::fs;");
        let found = violations_below(folder.path(), "").unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("mesh/load.rs:2: uses std::fs: no file system in sinew"),
            "{found:?}"
        );
    }
}
