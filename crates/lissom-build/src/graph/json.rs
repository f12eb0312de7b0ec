//! JSON that knows where it stands: `serde_json` reads it, and each value is a part of the text.

use super::GraphFileError;
use crate::text::quote::Quote;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::{collections::BTreeSet, fmt};

/// A value of a file.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    source: &'a str,
    raw: &'a str,
}

/// What a value is, by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Object,
    List,
    Text,
    Number,
    Bool,
    Null,
}

struct Fields<'a>(Vec<(String, &'a RawValue)>);
struct Items<'a>(Vec<&'a RawValue>);

impl<'a> Node<'a> {
    /// The whole of a text, if that is JSON.
    pub(super) fn new(source: &'a str) -> Result<Self, GraphFileError> {
        match serde_json::from_str::<&RawValue>(source) {
            Ok(raw) => Ok(Self { source, raw: raw.get() }),
            Err(error) => {
                let (line, column) = (error.line().max(1), error.column().max(1));
                let text = error.to_string();
                let reason = text.split(" at line ").next().unwrap_or_default().to_owned();
                Err(GraphFileError { line, column, reason })
            }
        }
    }

    /// Where it starts, in bytes from the start of the text.
    pub(super) fn offset(&self) -> usize {
        // It is a part of the text.
        self.raw.as_ptr().addr().saturating_sub(self.source.as_ptr().addr())
    }

    pub(super) fn wrong(&self, reason: impl Into<String>) -> GraphFileError {
        GraphFileError::at(self.source, self.offset(), reason)
    }

    fn part(&self, raw: &'a RawValue) -> Self {
        Self { source: self.source, raw: raw.get() }
    }

    pub(super) fn sort(&self) -> Sort {
        match self.raw.as_bytes().first() {
            Some(b'{') => Sort::Object,
            Some(b'[') => Sort::List,
            Some(b'"') => Sort::Text,
            Some(b't' | b'f') => Sort::Bool,
            Some(b'n') => Sort::Null,
            _ => Sort::Number,
        }
    }

    /// In the order of the file; no key twice.
    pub(super) fn fields(&self) -> Result<Vec<(String, Node<'a>)>, GraphFileError> {
        let Ok(Fields(fields)) = serde_json::from_str(self.raw) else {
            return Err(self.wrong("this must be an object: { ... }"));
        };
        let mut seen = BTreeSet::new();
        if let Some((key, value)) = fields.iter().find(|(key, _)| !seen.insert(key)) {
            return Err(self.part(value).wrong(format!("{} stands here twice", Quote(key))));
        }
        Ok(fields.into_iter().map(|(key, value)| (key, self.part(value))).collect())
    }

    pub(super) fn items(&self) -> Result<Vec<Node<'a>>, GraphFileError> {
        match serde_json::from_str(self.raw) {
            Ok(Items(items)) => Ok(items.into_iter().map(|item| self.part(item)).collect()),
            Err(_) => Err(self.wrong("this must be a list: [ ... ]")),
        }
    }

    pub(super) fn text(&self) -> Result<String, GraphFileError> {
        serde_json::from_str(self.raw).map_err(|_| self.wrong("this must be a text"))
    }

    pub(super) fn number(&self) -> Result<f64, GraphFileError> {
        serde_json::from_str(self.raw).map_err(|_| self.wrong("this must be a number"))
    }

    pub(super) fn whole(&self) -> Result<i64, GraphFileError> {
        serde_json::from_str(self.raw).map_err(|_| self.wrong("this must be a whole number"))
    }

    pub(super) fn bool(&self) -> Result<bool, GraphFileError> {
        serde_json::from_str(self.raw).map_err(|_| self.wrong("this must be true or false"))
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    fields.push(entry);
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(All)
    }
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        from.deserialize_seq(All)
    }
}
