//! How wide a source line may be: as wide as rustfmt makes code. It leaves comments, macros and
//! shaders alone, and this does not.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream, TokenTree};

/// Characters in a line at the most: `max_width` of rustfmt.toml.
pub(super) const MAX_WIDTH: usize = 100;

/// Numbers, from 1, of the lines that are too wide.
///
/// What cannot be broken is let through: lines of a string, a line with an address, rows of a
/// table, and what is fenced in a comment, where formulas stand in columns.
pub(super) fn wide_lines(source: &str) -> Vec<usize> {
    let is_wide = |line: &str| line.chars().count() > MAX_WIDTH && !line.contains("://");
    if !source.lines().any(is_wide) {
        return Vec::new();
    }
    // A shader has no strings, and is no Rust.
    let tokens = source.parse::<TokenStream>().ok();
    let of_strings = tokens.map(|tokens| lines_of_strings(source, tokens)).unwrap_or_default();
    let mut is_fenced = false;
    let mut wide = Vec::new();
    for (number, line) in (1..).zip(source.lines()) {
        let comment = line.trim_start().strip_prefix("//");
        let comment = comment.map(|rest| rest.trim_start_matches(['/', '!']).trim());
        is_fenced = match comment {
            Some(text) if text.starts_with("```") => !is_fenced,
            Some(_) => is_fenced,
            None => false,
        };
        let is_row = comment.is_some_and(|text| text.starts_with('|') && text.ends_with('|'));
        if is_wide(line) && !is_fenced && !is_row && !of_strings.contains(&number) {
            wide.push(number);
        }
    }
    wide
}

/// Lines that a string lies in. To the parser a documenting comment is one too, but not to a
/// reader.
fn lines_of_strings(source: &str, tokens: TokenStream) -> BTreeSet<usize> {
    let lines: Vec<&str> = source.lines().collect();
    let mut found = BTreeSet::new();
    let mut streams = vec![tokens];
    while let Some(stream) = streams.pop() {
        for token in stream {
            match token {
                TokenTree::Group(group) => streams.push(group.stream()),
                TokenTree::Literal(literal) if is_string(&literal) => {
                    let (start, end) = (literal.span().start(), literal.span().end());
                    let from_start = lines[start.line - 1].chars().skip(start.column);
                    let text: String = from_start.take(2).collect();
                    if text != "//" && text != "/*" {
                        found.extend(start.line..=end.line);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    found
}

fn is_string(literal: &Literal) -> bool {
    literal.to_string().contains('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(source: &str) -> bool {
        wide_lines(source).is_empty()
    }

    fn long(words: &str) -> String {
        words.repeat(MAX_WIDTH / words.len() + 1)
    }

    #[test]
    fn a_line_of_the_limit_is_let_through_and_one_more_is_not() {
        let line = format!("// {}", "é".repeat(MAX_WIDTH - 3));
        assert!(fits(&line));
        assert_eq!(wide_lines(&format!("\n{line}é\n")), [2]);
    }

    #[test]
    fn comments_code_and_shaders_are_looked_at() {
        let words = long("word ");
        for start in ["// ", "/// ", "//! ", "let a = b; // "] {
            let source = format!("{start}{words}\nfn main() {{}}");
            assert_eq!(wide_lines(&source), [1], "{start}");
        }
        let sum = long("+ 1");
        assert_eq!(wide_lines(&format!("const A: u32 = 1 {sum};")), [1]);
        assert_eq!(wide_lines(&format!("@compute fn a() {{ return 1u {sum}; }}")), [1]);
    }

    #[test]
    fn strings_addresses_tables_and_fences_are_let_through() {
        let words = long("word ");
        assert!(fits(&format!("const A: &str = \"{words}\";")));
        assert!(fits(&format!("const A: &str = r#\"\n{words}\n\"#;")));
        assert!(fits(&format!("// https://example.org/{}", long("word"))));
        assert!(fits(&format!("//! | {words}|")));
        assert_eq!(wide_lines(&format!("//! ```text\n//! {words}\n//! ```\n//! {words}")), [4]);
    }
}
