//! Numbers as typed.

/// A number that is neither NaN nor infinite.
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("not a number".into()),
    }
}

/// A finite number that is not below zero.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    match finite(text)? {
        value if value >= 0.0 => Ok(value),
        _ => Err("must not be below zero".into()),
    }
}

/// A whole number that is not below zero.
pub(crate) fn whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "not a whole number above zero".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_are_numbers() {
        assert_eq!(finite("-1.5e2"), Ok(-150.0));
        for bad in ["", "x", "nan", "inf", "1,5"] {
            assert!(finite(bad).is_err(), "{bad}");
        }
        assert!(not_negative("-0.1").is_err());
        assert_eq!(whole("12"), Ok(12));
        for bad in ["-5", "1.5", "1e3", "nan", "99999999999999999999"] {
            assert!(whole(bad).is_err(), "{bad}");
        }
    }
}
