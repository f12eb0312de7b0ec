//! Words of a file in a message: on one line, and not endless.

use core::fmt;

/// Characters of a word that a message shows.
const SHOWN: usize = 60;

/// Text in quotes: control characters escaped, cut where it is long.
pub(crate) struct Quote<'a>(pub(crate) &'a str);

impl fmt::Display for Quote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN) {
            // The cut is between characters.
            Some((end, _)) => write!(f, "{:?}...", self.0.get(..end).unwrap_or_default()),
            None => write!(f, "{:?}", self.0),
        }
    }
}

/// A time as people write it: `0.5417`, not `0.5416666865348816`. Within a ten-thousandth of a second; `2`, not `2.0000`.
pub(crate) struct Seconds(pub(crate) f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_finite() || self.0.abs() >= 1e9 {
            return Number(self.0).fmt(f);
        }
        let text = format!("{:.4}", self.0);
        let short = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if short == "-0" { "0" } else { short })
    }
}

/// A number, with an exponent where it would be long.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-6..1e15).contains(&size) || !size.is_finite() {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_one_short_line() {
        assert_eq!(Quote("a\n\"b\"").to_string(), r#""a\n\"b\"""#);
        let long = "ä".repeat(1000);
        assert_eq!(Quote(&long).to_string(), format!("\"{}\"...", "ä".repeat(60)));
        let numbers = [0.0, -2.5, 1e14, 1e300, -3e-9, f64::NAN].map(|n| Number(n).to_string());
        let times = [0.541_666_686_534_881_6, 2.0, -0.000_01, 1e12, 0.5].map(|n| Seconds(n).to_string());
        assert_eq!(times, ["0.5417", "2", "0", "1000000000000", "0.5"]);
        assert_eq!(numbers, ["0", "-2.5", "100000000000000", "1e300", "-3e-9", "NaN"]);
    }
}
