//! Simplified JSON: `key = value` without a brace around the whole, commas optional, `//` and `/* */` comments,
//! words without quotes. Read into a tree, with the line of every value.

use super::{ImportError, Place};
use crate::text::quote::Quote;

/// How deep values may stand in each other; real files need five.
const DEEPEST: usize = 32;

/// A value and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SjsonNode {
    pub(super) line: u64,
    pub(super) value: SjsonValue,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum SjsonValue {
    Number(f64),
    Text(String),
    List(Vec<SjsonNode>),
    Map(Vec<(String, SjsonNode)>),
}

type Result<T> = core::result::Result<T, ImportError>;

/// Reads a whole file: the pairs at its top.
pub(super) fn parse(text: &str) -> Result<SjsonNode> {
    let mut parser = Parser { rest: text, line: 1 };
    let map = parser.pairs(0, None)?;
    Ok(SjsonNode { line: 1, value: SjsonValue::Map(map) })
}

impl SjsonNode {
    pub(super) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    pub(super) fn fail(&self, reason: impl Into<String>) -> ImportError {
        ImportError::Format { place: self.place(), reason: reason.into() }
    }

    /// The value of a key; the first, if it repeats.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let SjsonValue::Map(pairs) = &self.value else { return None };
        pairs.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    pub(super) fn need(&self, key: &str) -> Result<&Self> {
        self.get(key).ok_or_else(|| self.fail(format!("there is no {key:?} here")))
    }

    pub(super) fn number(&self) -> Result<f64> {
        match self.value {
            SjsonValue::Number(number) => Ok(number),
            _ => Err(self.fail("this should be a number")),
        }
    }

    pub(super) fn text(&self) -> Result<&str> {
        match &self.value {
            SjsonValue::Text(text) => Ok(text),
            _ => Err(self.fail("this should be text")),
        }
    }

    pub(super) fn list(&self) -> Result<&[Self]> {
        match &self.value {
            SjsonValue::List(list) => Ok(list),
            _ => Err(self.fail("this should be a list")),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    line: u64,
}

impl<'a> Parser<'a> {
    fn fail(&self, reason: impl Into<String>) -> ImportError {
        ImportError::Format { place: Place::Line(self.line), reason: reason.into() }
    }

    /// Goes on by a number of bytes, counting lines. Callers pass lengths of text that stands there.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        let lines = taken.bytes().filter(|b| *b == b'\n').count();
        self.line = self.line.saturating_add(lines as u64);
        self.rest = rest;
        taken
    }

    /// The next character that is not space, a comma or in a comment.
    fn peek(&mut self) -> Result<Option<char>> {
        loop {
            let space = self
                .rest
                .len()
                .saturating_sub(self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len());
            self.advance(space);
            if self.rest.starts_with("//") {
                self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let Some(end) = self.rest.find("*/") else {
                    return Err(self.fail("a comment has no end"));
                };
                self.advance(end.saturating_add(2));
            } else {
                return Ok(self.rest.chars().next());
            }
        }
    }

    fn pairs(&mut self, depth: usize, end: Option<char>) -> Result<Vec<(String, SjsonNode)>> {
        let mut pairs = Vec::new();
        loop {
            let next = self.peek()?;
            if next == end {
                self.advance(usize::from(end.is_some()));
                return Ok(pairs);
            }
            let key = match next {
                Some('"') => self.quoted()?,
                Some(_) => self.word()?.to_owned(),
                None => return Err(self.fail("the file ends inside { }")),
            };
            match self.peek()? {
                Some('=' | ':') => self.advance(1),
                _ => return Err(self.fail(format!("after the key {} there should be =", Quote(&key)))),
            };
            pairs.push((key, self.value(depth)?));
        }
    }

    fn value(&mut self, depth: usize) -> Result<SjsonNode> {
        if depth > DEEPEST {
            let (found, allowed) = (depth as u64, DEEPEST as u64);
            let (place, what) = (Place::Line(self.line), "the depth of values");
            return Err(ImportError::Limit { place, what, found, allowed });
        }
        let deeper = depth.saturating_add(1);
        let next = self.peek()?;
        let line = self.line;
        let value = match next {
            Some('{') => {
                self.advance(1);
                SjsonValue::Map(self.pairs(deeper, Some('}'))?)
            }
            Some('[') => {
                self.advance(1);
                let mut list = Vec::new();
                while self.peek()? != Some(']') {
                    list.push(self.value(deeper)?);
                }
                self.advance(1);
                SjsonValue::List(list)
            }
            Some('"') => SjsonValue::Text(self.quoted()?),
            Some(_) => {
                let word = self.word()?;
                match word.parse::<f64>() {
                    Ok(number) if number.is_finite() => SjsonValue::Number(number),
                    Ok(_) => return Err(self.fail(format!("{} is not a finite number", Quote(word)))),
                    Err(_) => SjsonValue::Text(word.into()),
                }
            }
            None => return Err(self.fail("the file ends where a value should be")),
        };
        Ok(SjsonNode { line, value })
    }

    fn quoted(&mut self) -> Result<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.advance(at.saturating_add(1));
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, escaped)) => text.push(escaped),
                    None => break,
                },
                _ => text.push(c),
            }
        }
        Err(self.fail("text in quotes has no end"))
    }

    fn word(&mut self) -> Result<&'a str> {
        let is_end = |c: char| c.is_whitespace() || ",=:[]{}\"".contains(c);
        match self.rest.find(is_end).unwrap_or(self.rest.len()) {
            0 => {
                let found = self.rest.chars().next().unwrap_or_default();
                Err(self.fail(format!("{found:?} has no place here")))
            }
            length => Ok(self.advance(length)),
        }
    }
}
