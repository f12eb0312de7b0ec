//! Words of a file and where they stand; numbers, which are almost all of them, without a look at anything else.

use super::{BvhAxis, BvhChannel};
use crate::{
    import::{ImportError, Place},
    text::quote::Quote,
};
use std::borrow::Cow;

/// Powers of ten that f64 holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// What `text` starts with, and what comes after: a number as almost all are, a sign, digits and a point, so few that
/// f64 holds them as an integer. One exact division then rounds once: the same f64 as `str::parse` gives. `None` for
/// every other word.
fn plain_number(text: &[u8]) -> Option<(f64, &[u8])> {
    fn digits(mut rest: &[u8], mut value: u64) -> (u64, &[u8]) {
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            // What wraps has more than 19 digits and is not used.
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit & 15));
            rest = after;
        }
        (value, rest)
    }
    let (negative, start) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (value, rest) = digits(start, 0);
    let mut count = start.len().saturating_sub(rest.len());
    let (mut value, mut rest, mut places) = (value, rest, 0);
    if let [b'.', fraction @ ..] = rest {
        (value, rest) = digits(fraction, value);
        places = fraction.len().saturating_sub(rest.len());
        count = count.saturating_add(places);
    }
    let ends = rest.first().is_none_or(|b| is_space(*b));
    if !ends || count == 0 || count > 19 || value > 1 << 53 {
        return None;
    }
    let number = value as f64 / TENS.get(places)?;
    Some((if negative { -number } else { number }, rest))
}

/// What `char::is_whitespace` says of ASCII.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Words and where they stand. Lines are counted when somebody asks.
pub(super) struct Words<'a> {
    text: &'a str,
    /// After the last word.
    rest: &'a str,
    /// Where the last word starts; `None` after the end.
    word: Option<usize>,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, rest: text, word: Some(0) }
    }

    pub fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let Some(word) = rest.split(char::is_whitespace).next().filter(|word| !word.is_empty()) else {
            (self.rest, self.word) = ("", None);
            return None;
        };
        self.word = Some(self.text.len().saturating_sub(rest.len()));
        self.rest = rest.get(word.len()..).unwrap_or_default();
        Some(word)
    }

    /// The line of the last word; after the end, the last line.
    fn line(&self) -> u64 {
        let before = self.word.and_then(|at| self.text.as_bytes().get(..at));
        let lines = match before {
            Some(before) => before.iter().filter(|b| **b == b'\n').count().saturating_add(1),
            None => self.text.lines().count(),
        };
        lines as u64
    }

    pub fn place(&self) -> Place {
        Place::Line(self.line())
    }

    pub fn fail(&self, reason: impl Into<String>) -> ImportError {
        ImportError::Format { place: self.place(), reason: reason.into() }
    }

    pub fn need(&mut self, what: &str) -> Result<&'a str, ImportError> {
        self.next().ok_or_else(|| self.fail(format!("the file ends where {what} should be")))
    }

    pub fn expect(&mut self, wanted: &str) -> Result<(), ImportError> {
        let word = self.need(wanted)?;
        if word.eq_ignore_ascii_case(wanted) {
            Ok(())
        } else {
            Err(self.fail(format!("{} where {wanted:?} should be", Quote(word))))
        }
    }

    pub fn number(&mut self) -> Result<f64, ImportError> {
        let word = self.need("a number")?;
        match word.parse::<f64>() {
            Ok(number) if (number as f32).is_finite() => Ok(number),
            _ => Err(self.fail(format!("{} is not a finite number", Quote(word)))),
        }
    }

    /// What is left is `rest`, an end of the text.
    fn go_to(&mut self, rest: &[u8]) {
        let at = self.text.len().saturating_sub(rest.len());
        self.rest = self.text.get(at..).unwrap_or_default();
    }

    /// The next numbers, as one array.
    pub fn numbers(&mut self, count: usize) -> Result<Vec<f64>, ImportError> {
        // A number and a space are two bytes: no more is reserved than the file can fill.
        let possible = (self.rest.len() / 2).saturating_add(1);
        let mut numbers = Vec::with_capacity(count.min(possible));
        let mut bytes = self.rest.as_bytes();
        while numbers.len() < count {
            while let [b, after @ ..] = bytes
                && is_space(*b)
            {
                bytes = after;
            }
            if let Some((number, after)) = plain_number(bytes) {
                numbers.push(number);
                bytes = after;
            } else {
                self.go_to(bytes);
                numbers.push(self.number()?);
                bytes = self.rest.as_bytes();
            }
        }
        self.go_to(bytes);
        Ok(numbers)
    }

    pub fn count(&mut self, what: &str) -> Result<usize, ImportError> {
        let word = self.need(what)?;
        word.parse().map_err(|_| self.fail(format!("{what} is {}, not a count", Quote(word))))
    }

    pub fn channel(&mut self) -> Result<BvhChannel, ImportError> {
        let word = self.need("a channel")?;
        let known = [
            ("Xposition", BvhChannel::Position(BvhAxis::X)),
            ("Yposition", BvhChannel::Position(BvhAxis::Y)),
            ("Zposition", BvhChannel::Position(BvhAxis::Z)),
            ("Xrotation", BvhChannel::Rotation(BvhAxis::X)),
            ("Yrotation", BvhChannel::Rotation(BvhAxis::Y)),
            ("Zrotation", BvhChannel::Rotation(BvhAxis::Z)),
        ];
        let channel = known.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
        channel.map(|(_, c)| *c).ok_or_else(|| self.fail(format!("{} is not a channel", Quote(word))))
    }

    /// The rest of the line up to a brace: names may hold spaces.
    pub fn name(&mut self) -> Cow<'a, str> {
        let line = self.rest.split('\n').next().unwrap_or_default();
        let mut name: Cow<'a, str> = Cow::Borrowed("");
        let mut rest = line;
        loop {
            let start = rest.trim_start();
            let word = start.split(char::is_whitespace).next().unwrap_or_default();
            if word.is_empty() || word == "{" {
                break;
            }
            rest = start.get(word.len()..).unwrap_or_default();
            if name.is_empty() {
                name = Cow::Borrowed(word);
            } else {
                let name = name.to_mut();
                name.push(' ');
                name.push_str(word);
            }
        }
        let read = line.len().saturating_sub(rest.len());
        self.rest = self.rest.get(read..).unwrap_or_default();
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_testkit::rng::Rng;

    #[test]
    fn numbers_are_the_same_as_the_standard_library_reads() {
        let mut words: Vec<String> =
            ["0", "-0", "-0.0", "5.", ".5", "-.5", "1e3", "-2.5E-3", "+7", "0.1", "00012.500"]
                .map(str::to_owned)
                .to_vec();
        words.extend(
            ["9007199254740992", "9007199254740993", "0.9007199254740993", "12345678901234567890"]
                .map(str::to_owned),
        );
        words.extend(
            ["0.0000000000000000000000000001", "1234567890.123456789", "0.30000000000000004"]
                .map(str::to_owned),
        );
        // Every count of digits before and after the point.
        let mut rng = Rng::new(1);
        for round in 0..20_000_usize {
            let digits = format!("{:019}", rng.next_u64() >> 1);
            let (length, point) = (1 + round % 19, round / 19 % 12);
            let word = format!(
                "{}{}.{}",
                if round % 2 == 0 { "-" } else { "" },
                &digits[..length.min(point)],
                &digits[..length]
            );
            words.push(word);
        }
        let text = words.join(" \n\t ");
        let read = Words::new(&text).numbers(words.len()).unwrap();
        assert_eq!(read.len(), words.len());
        for (word, number) in words.iter().zip(read) {
            assert_eq!(word.parse::<f64>().unwrap().to_bits(), number.to_bits(), "{word}");
        }
        for word in ["", "-", ".", "1.2.3", "1-2", "0x10", "nan", "inf", "1e40"] {
            assert!(Words::new(word).numbers(1).is_err(), "{word}");
        }
        // Spaces of other scripts part words too.
        assert_eq!(Words::new("1\u{a0}2\u{2003}-3").numbers(3).unwrap(), [1.0, 2.0, -3.0]);
    }
}
