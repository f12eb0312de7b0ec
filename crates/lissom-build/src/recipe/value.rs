//! Tables and values that know their line.

use super::{RecipeError, parse_axis, parse_bytes, parse_length, parse_precision, parse_unit};
use crate::{
    cook::Jumps,
    import::{Axis, Unit},
    text::words::nearest,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The fastest rate that a recipe may ask for, in Hz.
const FASTEST_HZ: f64 = 1000.0;

/// The line of a byte, from 1.
pub(super) fn line_of(text: &[u8], at: usize) -> usize {
    text.iter().take(at).filter(|b| **b == b'\n').count().saturating_add(1)
}

/// A table, its name with those around it, and its line.
pub(super) struct Table<'a> {
    source: &'a str,
    path: String,
    line: usize,
    table: &'a DeTable<'a>,
}

/// A value, the table it stands in, its key and its line.
pub(super) struct Value<'a> {
    source: &'a str,
    path: String,
    key: &'a str,
    pub(super) line: usize,
    value: &'a DeValue<'a>,
}

impl<'a> Table<'a> {
    pub(super) fn new(source: &'a str, path: &str, line: usize, table: &'a DeTable<'a>) -> Self {
        Self { source, path: path.to_owned(), line, table }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// In the order of the file, whatever the keys are.
    pub(super) fn any_entries(&self) -> Vec<Value<'a>> {
        let mut entries: Vec<(&Spanned<_>, &Spanned<DeValue<'a>>)> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let value = |(key, value): (&'a Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>)| {
            let word = key.get_ref().as_ref();
            let plain =
                !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
            let shown = if plain { word.to_owned() } else { crate::text::quote::Quote(word).to_string() };
            let path = if self.path.is_empty() { shown } else { format!("{}.{shown}", self.path) };
            let line = line_of(self.source.as_bytes(), key.span().start);
            Value { source: self.source, path, key: word, line, value: value.get_ref() }
        };
        entries.into_iter().map(value).collect()
    }

    /// In the order of the file; a key that is not known is an error. `name` is what a table without one is called.
    pub(super) fn entries(&self, known: &[&'static str], name: &str) -> Result<Vec<Value<'a>>, RecipeError> {
        let entries = self.any_entries();
        match entries.iter().find(|v| !known.contains(&v.key)) {
            None => Ok(entries),
            Some(odd) => Err(RecipeError::UnknownKey {
                line: odd.line,
                table: if self.path.is_empty() { name.to_owned() } else { self.path.clone() },
                key: odd.key.to_owned(),
                near: nearest(odd.key, known.iter().copied()),
            }),
        }
    }
}

impl<'a> Value<'a> {
    pub(super) fn key(&self) -> &'a str {
        self.key
    }

    pub(super) fn wrong(&self, reason: impl Into<String>) -> RecipeError {
        RecipeError::Value { line: self.line, key: self.path.clone(), reason: reason.into() }
    }

    pub(super) fn table(&self) -> Result<Table<'a>, RecipeError> {
        match self.value {
            DeValue::Table(table) => Ok(Table::new(self.source, &self.path, self.line, table)),
            _ => Err(self.wrong("it must be a table")),
        }
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    pub(super) fn as_text(&self) -> Option<&'a str> {
        match self.value {
            DeValue::String(text) => Some(text.as_ref()),
            _ => None,
        }
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(b) => Some(*b),
            _ => None,
        }
    }

    pub(super) fn as_number(&self) -> Option<f64> {
        let number = match self.value {
            DeValue::Float(float) => float.as_str().parse::<f64>().ok()?,
            DeValue::Integer(whole) if whole.radix() == 10 => whole.as_str().parse::<f64>().ok()?,
            _ => return None,
        };
        Some(number).filter(|n| n.is_finite())
    }

    /// The values of a list; one value alone is a list of one.
    pub(super) fn list(&self) -> Vec<Value<'a>> {
        let element = |value: &'a DeValue<'a>| Value {
            source: self.source,
            path: self.path.clone(),
            key: self.key,
            line: self.line,
            value,
        };
        match self.value {
            DeValue::Array(array) => array.iter().map(|v| element(v.get_ref())).collect(),
            one => vec![element(one)],
        }
    }

    pub(super) fn text(&self) -> Result<&'a str, RecipeError> {
        self.as_text().ok_or_else(|| self.wrong("it must be a text in quotes"))
    }

    pub(super) fn texts(&self) -> Result<Vec<String>, RecipeError> {
        self.list().iter().map(|v| v.text().map(str::to_owned)).collect()
    }

    pub(super) fn yes_or_no(&self) -> Result<bool, RecipeError> {
        self.as_bool().ok_or_else(|| self.wrong("it must be true or false"))
    }

    pub(super) fn whole(&self) -> Result<i64, RecipeError> {
        let whole = match self.value {
            DeValue::Integer(whole) => i64::from_str_radix(whole.as_str(), whole.radix()).ok(),
            _ => None,
        };
        whole.ok_or_else(|| self.wrong("it must be a whole number"))
    }

    pub(super) fn seconds(&self) -> Result<f64, RecipeError> {
        self.as_number().filter(|s| *s >= 0.0).ok_or_else(|| self.wrong("it must be seconds, not below 0"))
    }

    pub(super) fn rate(&self) -> Result<f64, RecipeError> {
        let wrong = || self.wrong(format!("it must be samples a second, above 0 and up to {FASTEST_HZ}"));
        self.as_number().filter(|r| *r > 0.0 && *r <= FASTEST_HZ).ok_or_else(wrong)
    }

    /// A text, or a number as it is written.
    fn written(&self) -> Result<&'a str, RecipeError> {
        match self.value {
            DeValue::String(text) => Ok(text.as_ref()),
            DeValue::Float(float) => Ok(float.as_str()),
            DeValue::Integer(whole) if whole.radix() == 10 => Ok(whole.as_str()),
            _ => Err(self.wrong("it must be a text or a number")),
        }
    }

    fn parsed<T>(&self, parse: fn(&str) -> Result<T, String>) -> Result<T, RecipeError> {
        let text = self.written()?;
        parse(text).map_err(|reason| self.wrong(format!("{}: {reason}", crate::text::quote::Quote(text))))
    }

    pub(super) fn precision(&self) -> Result<f64, RecipeError> {
        self.parsed(parse_precision)
    }

    pub(super) fn length(&self) -> Result<f64, RecipeError> {
        self.parsed(parse_length)
    }

    pub(super) fn bytes(&self) -> Result<u64, RecipeError> {
        self.parsed(parse_bytes)
    }

    pub(super) fn unit(&self) -> Result<Unit, RecipeError> {
        self.parsed(parse_unit)
    }

    pub(super) fn axis(&self) -> Result<Axis, RecipeError> {
        self.parsed(parse_axis)
    }

    pub(super) fn jumps(&self) -> Result<Jumps, RecipeError> {
        match (self.as_text(), self.as_number()) {
            (Some("none"), _) => Ok(Jumps::None),
            (_, Some(seconds)) if seconds > 0.0 => Ok(Jumps::Every(seconds)),
            _ => Err(self.wrong("it must be \"none\", or seconds above 0")),
        }
    }

    pub(super) fn one_of<T: Copy>(&self, known: &[(&'static str, T)]) -> Result<T, RecipeError> {
        let found = self.as_text().and_then(|text| known.iter().find(|(word, _)| *word == text));
        found.map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<String> = known.iter().map(|(word, _)| format!("{word:?}")).collect();
            self.wrong(format!("it must be {}", words.join(" or ")))
        })
    }
}
