//! Formulas: numbers, names, `+ - * /`, and a few functions, read once and run often.
//!
//! ```
//! use sinew::driver::Formula;
//!
//! let formula = Formula::parse("clamp((bend - 30) / 90, 0, 1) * puff")?;
//! assert_eq!(formula.names(), ["bend", "puff"]);
//! assert_eq!(formula.value(&[75.0, 2.0]), 1.0);
//! # Ok::<(), sinew::driver::FormulaError>(())
//! ```
//!
//! Angles are degrees, `sin` and `cos` take degrees. A division by zero is not finite, and what is
//! not finite drives nothing.

/// How deep parentheses and functions may be nested, and how many numbers may wait at once.
const MAX_DEPTH: usize = 32;
/// No formula is longer.
const MAX_BYTES: usize = 4096;

/// Why a text is no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {what}")]
pub struct FormulaError {
    /// Where, from 1, in characters.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

/// A formula that was understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    names: Vec<String>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Number(f64),
    Name(u16),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Call(Function),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Min,
    Max,
    Clamp,
    Sin,
    Cos,
    Abs,
    Sqrt,
    SmoothStep,
}

impl Function {
    const ALL: [(&'static str, Self, usize); 8] = [
        ("min", Self::Min, 2),
        ("max", Self::Max, 2),
        ("clamp", Self::Clamp, 3),
        ("sin", Self::Sin, 1),
        ("cos", Self::Cos, 1),
        ("abs", Self::Abs, 1),
        ("sqrt", Self::Sqrt, 1),
        ("smoothstep", Self::SmoothStep, 3),
    ];

    fn num_arguments(self) -> usize {
        Self::ALL.iter().find(|known| known.1 == self).map_or(0, |known| known.2)
    }

    fn value(self, [a, b, c]: [f64; 3]) -> f64 {
        match self {
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Clamp => a.max(b).min(c),
            Self::Sin => a.to_radians().sin(),
            Self::Cos => a.to_radians().cos(),
            Self::Abs => a.abs(),
            Self::Sqrt => a.max(0.0).sqrt(),
            Self::SmoothStep => {
                // smoothstep(edge0, edge1, x), as shaders have it.
                let share = ((c - a) / (b - a)).clamp(0.0, 1.0);
                share * share * (3.0 - 2.0 * share)
            }
        }
    }
}

/// True of a name as formulas can read it.
pub(super) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
        && !Function::ALL.iter().any(|known| known.0 == text)
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// Says at which column, and what was expected.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let mut reader = Reader {
            letters: text.chars().collect(),
            at: 0,
            depth: 0,
            waiting: 0,
            formula: Self { names: Vec::new(), steps: Vec::new() },
        };
        if text.len() > MAX_BYTES {
            return Err(reader.fault(format!("longer than {MAX_BYTES} bytes")));
        }
        reader.sum()?;
        match reader.peek() {
            None => Ok(reader.formula),
            Some(found) => {
                Err(reader.fault(format!("'{found}' where an operator or the end should be")))
            }
        }
    }

    /// The names in it, each once, in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Its value, given those of its names. Allocates nothing.
    pub fn value(&self, of_names: &[f64]) -> f64 {
        // Reading has made sure that there is room, and that none is missing.
        let mut stack = [0.0; MAX_DEPTH * 4];
        let mut len = 0;
        for step in &self.steps {
            let num_taken = match step {
                Step::Number(_) | Step::Name(_) => 0,
                Step::Negate => 1,
                Step::Add | Step::Subtract | Step::Multiply | Step::Divide => 2,
                Step::Call(function) => function.num_arguments(),
            };
            len -= num_taken;
            let mut taken = [0.0; 3];
            taken[..num_taken].copy_from_slice(&stack[len..len + num_taken]);
            let [a, b, _] = taken;
            stack[len] = match *step {
                Step::Number(number) => number,
                Step::Name(name) => of_names.get(usize::from(name)).copied().unwrap_or(0.0),
                Step::Negate => -a,
                Step::Add => a + b,
                Step::Subtract => a - b,
                Step::Multiply => a * b,
                Step::Divide => a / b,
                Step::Call(function) => function.value(taken),
            };
            len += 1;
        }
        stack[0]
    }
}

struct Reader {
    letters: Vec<char>,
    at: usize,
    depth: usize,
    /// Numbers on the stack after the steps so far.
    waiting: usize,
    formula: Formula,
}

impl Reader {
    fn fault(&self, what: impl Into<String>) -> FormulaError {
        FormulaError { column: self.at + 1, what: what.into() }
    }

    fn peek(&mut self) -> Option<char> {
        while self.letters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.letters.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> Result<(), FormulaError> {
        match self.peek() {
            Some(found) if found == wanted => {
                self.at += 1;
                Ok(())
            }
            Some(found) => Err(self.fault(format!("'{found}' where '{wanted}' should be"))),
            None => Err(self.fault(format!("the end where '{wanted}' should be"))),
        }
    }

    fn push(&mut self, step: Step, num_taken: usize) -> Result<(), FormulaError> {
        self.waiting = self.waiting + 1 - num_taken;
        if self.waiting > MAX_DEPTH * 4 {
            return Err(self.fault("too long; split it in two"));
        }
        self.formula.steps.push(step);
        Ok(())
    }

    fn sum(&mut self) -> Result<(), FormulaError> {
        self.product()?;
        while let Some(sign @ ('+' | '-')) = self.peek() {
            self.at += 1;
            self.product()?;
            self.push(if sign == '+' { Step::Add } else { Step::Subtract }, 2)?;
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), FormulaError> {
        self.factor()?;
        while let Some(sign @ ('*' | '/')) = self.peek() {
            self.at += 1;
            self.factor()?;
            self.push(if sign == '*' { Step::Multiply } else { Step::Divide }, 2)?;
        }
        Ok(())
    }

    fn factor(&mut self) -> Result<(), FormulaError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault(format!("nested more than {MAX_DEPTH} deep")));
        }
        match self.peek() {
            Some('-') => {
                self.at += 1;
                self.factor()?;
                self.push(Step::Negate, 1)?;
            }
            Some('(') => {
                self.at += 1;
                self.sum()?;
                self.take(')')?;
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number()?,
            Some(c) if c.is_alphabetic() || c == '_' => self.word()?,
            Some(found) => {
                return Err(self.fault(format!("'{found}' where a number or a name should be")));
            }
            None => return Err(self.fault("the end where a number or a name should be")),
        }
        self.depth -= 1;
        Ok(())
    }

    fn number(&mut self) -> Result<(), FormulaError> {
        let start = self.at;
        let is_digit = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_digit() || *c == '.');
        while is_digit(self.letters.get(self.at)) {
            self.at += 1;
        }
        if matches!(self.letters.get(self.at), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.letters.get(self.at + 1), Some('+' | '-')));
            if self.letters.get(self.at + 1 + sign).is_some_and(char::is_ascii_digit) {
                self.at += 1 + sign;
                while self.letters.get(self.at).is_some_and(char::is_ascii_digit) {
                    self.at += 1;
                }
            }
        }
        let text: String = self.letters[start..self.at].iter().collect();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => self.push(Step::Number(number), 0),
            _ => {
                self.at = start;
                Err(self.fault(format!("'{text}' is no number")))
            }
        }
    }

    fn word(&mut self) -> Result<(), FormulaError> {
        let start = self.at;
        let is_letter = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
        while is_letter(self.letters.get(self.at)) {
            self.at += 1;
        }
        let word: String = self.letters[start..self.at].iter().collect();
        let function = Function::ALL.iter().find(|known| known.0 == word);
        if self.peek() != Some('(') {
            if function.is_some() {
                return Err(self.fault(format!("'{word}' is a function: write {word}(…)")));
            }
            let names = &mut self.formula.names;
            let index = names.iter().position(|known| *known == word).unwrap_or_else(|| {
                names.push(word);
                names.len() - 1
            });
            return self.push(Step::Name(index as u16), 0);
        }
        let Some(&(_, function, num_arguments)) = function else {
            let known: Vec<&str> = Function::ALL.iter().map(|known| known.0).collect();
            self.at = start;
            let known = known.join(", ");
            return Err(self.fault(format!("there is no function '{word}'; there are: {known}")));
        };
        self.take('(')?;
        for argument in 0..num_arguments {
            if argument > 0 {
                if self.peek() == Some(')') {
                    let what = format!("{word} takes {num_arguments} numbers, found {argument}");
                    return Err(self.fault(what));
                }
                self.take(',')?;
            }
            self.sum()?;
        }
        if self.peek() == Some(',') {
            return Err(self.fault(format!("{word} takes {num_arguments} numbers and no more")));
        }
        self.take(')')?;
        self.push(Step::Call(function), num_arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, of_names: &[f64]) -> f64 {
        Formula::parse(text).unwrap().value(of_names)
    }

    #[test]
    fn formulas_are_what_they_say() {
        assert_eq!(value("1 + 2 * 3 - 4 / 2", &[]), 5.0);
        assert_eq!(value("-(2 - 5) * -2", &[]), -6.0);
        assert_eq!(value("2 - 3 - 4", &[]), -5.0);
        assert_eq!(value("1.5e2 + .5", &[]), 150.5);
        assert_eq!(value("a * b + a", &[2.0, 10.0]), 22.0);
        assert_eq!(value("min(max(a, 1), 3)", &[7.0]), 3.0);
        assert_eq!(value("clamp(a, 0, 1)", &[-2.0]), 0.0);
        assert!((value("sin(90) + cos(180)", &[])).abs() < 1e-12);
        assert_eq!(value("smoothstep(0, 10, 5)", &[]), 0.5);
        assert_eq!(value("abs(0 - 3) + sqrt(16)", &[]), 7.0);
    }

    #[test]
    fn a_fault_says_its_column() {
        let fault = |text: &str| Formula::parse(text).unwrap_err();
        assert_eq!(fault("1 + * 2").column, 5);
        assert_eq!(fault("").column, 1);
        assert_eq!(fault("(1 + 2").column, 7);
        assert_eq!(fault("a b").column, 3);
        assert_eq!(fault("2 + sinus(3)").column, 5);
        assert_eq!(fault("clamp(1, 2)").column, 11);
        assert_eq!(fault("sin(1, 2)").column, 6);
        assert_eq!(fault("1.2.3").column, 1);
        assert!(fault("2 * sin").what.contains("function"));
        assert_eq!(fault("ä + ö + $").column, 9);
    }

    #[test]
    fn no_text_is_too_deep_or_too_long_for_the_stack() {
        assert!(Formula::parse(&"(".repeat(4000)).unwrap_err().what.contains("deep"));
        assert!(Formula::parse(&"-".repeat(4000)).unwrap_err().what.contains("deep"));
        assert!(Formula::parse(&"1+".repeat(9000)).unwrap_err().what.contains("longer"));
        let deep = format!("{}1{}", "min(1,".repeat(30), ")".repeat(30));
        assert_eq!(value(&deep, &[]), 1.0);
        let wide = format!("1{}", "+1".repeat(1000));
        assert_eq!(value(&wide, &[]), 1001.0);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[-+*/(),. 0-9a-c]{0,40}") {
            if let Ok(formula) = Formula::parse(&text) {
                formula.value(&[1.0, 2.0, 3.0]);
            }
        }
    }
}
