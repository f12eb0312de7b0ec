//! Parameters by name: one value type for programs that do not know a parameter's kind beforehand.

use super::{GraphState, StateError};
use crate::graph::{AnyKey, Parameter};

/// The value of a parameter, of any kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of a float, or of a curve.
    Float(f32),
    /// Of an int.
    Int(i32),
    /// Of a bool, or of a trigger, which is set by `true`.
    Bool(bool),
}

impl Value {
    /// What it is, in words: "a float".
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Float(_) => "a float",
            Self::Int(_) => "an int",
            Self::Bool(_) => "a bool",
        }
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Self::Float(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl GraphState {
    /// Sets a parameter whose kind is not known beforehand. Code that knows it takes [`GraphState::set`] with a typed key.
    ///
    /// # Errors
    ///
    /// [`StateError::Kind`] for a value of another kind, and for a curve, which only the clips set; those of [`GraphState::set`].
    /// Nothing has then changed.
    pub fn set_value(&mut self, parameter: &Parameter, value: impl Into<Value>) -> Result<(), StateError> {
        match (parameter.key(), value.into()) {
            (AnyKey::Float(key), Value::Float(value)) => self.set(key, value),
            (AnyKey::Int(key), Value::Int(value)) => self.set(key, value),
            (AnyKey::Bool(key), Value::Bool(value)) => self.set(key, value),
            (AnyKey::Trigger(key), Value::Bool(value)) => self.set(key, value),
            (key, value) => Err(StateError::kind(parameter.name(), key.kind(), value.kind())),
        }
    }

    /// What a parameter was set to, or what the clips set; `None` for a parameter of another graph.
    #[must_use]
    pub fn value_of(&self, parameter: &Parameter) -> Option<Value> {
        match parameter.key() {
            AnyKey::Float(key) => self.get(key).map(Value::Float),
            AnyKey::Int(key) => self.get(key).map(Value::Int),
            AnyKey::Bool(key) => self.get(key).map(Value::Bool),
            AnyKey::Trigger(key) => self.get(key).map(Value::Bool),
            AnyKey::Curve(key) => self.curve(key).map(Value::Float),
        }
    }
}
