//! Figures for people: aligned columns, grouped digits, times in the unit that fits.

use std::fmt;

/// Rows of text under a header: the first column to the left, the others to the right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    words_column: Option<usize>,
}

impl Table {
    pub(crate) fn new(header: &[&str]) -> Self {
        let header = header.iter().map(|&cell| cell.to_owned()).collect();
        Self { rows: vec![header], words_column: None }
    }

    /// One more column at the end, for words: to the left.
    #[must_use]
    pub(crate) fn with_words(mut self, header: &str) -> Self {
        self.words_column = Some(self.rows[0].len());
        self.rows[0].push(header.to_owned());
        self
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

/// Longer names are wrapped: one of 1,500 characters would push all figures out of sight.
const MAX_NAME_CHARS: usize = 48;

/// A row as the lines that it takes: the first column is wrapped, the others stand on the first.
fn wrapped(row: &[String]) -> Vec<Vec<String>> {
    let Some((name, others)) = row.split_first() else { return vec![Vec::new()] };
    let letters: Vec<char> = name.chars().collect();
    let mut pieces = letters.chunks(MAX_NAME_CHARS).map(|piece| piece.iter().collect::<String>());
    let mut first = vec![pieces.next().unwrap_or_default()];
    first.extend_from_slice(others);
    std::iter::once(first).chain(pieces.map(|piece| vec![piece])).collect()
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<Vec<String>> = self.rows.iter().flat_map(|row| wrapped(row)).collect();
        let num_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; num_columns];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in &rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if column > 0 {
                    line.push_str("  ");
                }
                if column == 0 || Some(column) == self.words_column {
                    line.push_str(&format!("{cell:<width$}"));
                } else {
                    line.push_str(&format!("{cell:>width$}"));
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// `1234567` as `1,234,567`.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 joint`, `2 joints`, `3 meshes`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = match number {
        1 => "",
        _ if noun.ends_with("sh") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", count(number))
}

/// Five significant digits, as far as they say something: figures for people, `--json` has them
/// all.
pub(crate) fn rounded(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    let decimals = (4 - size.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Three significant digits in ns, µs, ms or s.
pub(crate) fn duration_ns(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["name", "points"]);
        table.row(["a".into(), "1".into()]);
        table.row(["longer".into(), "1,000".into()]);
        assert_eq!(table.to_string(), "name    points\na            1\nlonger   1,000\n");
    }

    #[test]
    fn figures_have_five_digits_that_say_something() {
        let found = [0.999_999_895_64, 1.279_912_284, 0.0, 554.154_19, 8.632_7e-8, 3e9, 12.5, -0.5];
        let words = ["1", "1.2799", "0", "554.15", "8.633e-8", "3.000e9", "12.5", "-0.5"];
        assert_eq!(found.map(rounded), words);
    }

    #[test]
    fn a_name_of_1500_letters_wraps_and_its_figures_stay_in_sight() {
        let mut table = Table::new(&["name", "points"]);
        table.row(["ä".repeat(1500), "7".into()]);
        let text = table.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 1500_usize.div_ceil(MAX_NAME_CHARS));
        assert!(lines.iter().all(|line| line.chars().count() <= MAX_NAME_CHARS + 8));
        assert!(lines[1].ends_with('7') && !lines[2].contains('7'));
        assert_eq!(text.matches('ä').count(), 1500);
    }

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!(
            [0, 12, 123, 1234, 1234567].map(count),
            ["0", "12", "123", "1,234", "1,234,567"]
        );
    }

    #[test]
    fn times_have_three_digits_and_a_fitting_unit() {
        assert_eq!(
            [5.0, 1234.0, 56_700.0, 1.5e6, 2e9].map(duration_ns),
            ["5.00 ns", "1.23 µs", "56.7 µs", "1.50 ms", "2.00 s"]
        );
    }
}
