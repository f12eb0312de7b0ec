//! Exceptions by kind: what the file system says is an `OSError`, what a file holds a `FormatError`, what a caller passes
//! a `ValueError` that names the argument, what was found and what was expected.

use lissom_build::{
    import::OpenError,
    pipeline::{InputError, PipelineError},
};
use pyo3::{
    exceptions::{PyIsADirectoryError, PyOSError, PyRuntimeError, PyValueError},
    prelude::*,
};
use std::{fmt::Display, path::Path};

pyo3::create_exception!(
    lissom,
    FormatError,
    PyValueError,
    "A file is not what it should be. The message says where and why."
);

/// An argument that cannot be meant.
pub(crate) fn argument(name: &str, found: impl Display, expected: impl Display) -> PyErr {
    PyValueError::new_err(format!("{name}: found {found}, expected {expected}"))
}

/// A file's content.
pub(crate) fn format(error: impl Display) -> PyErr {
    FormatError::new_err(error.to_string())
}

/// What the file system says. With its number and name, Python picks FileNotFoundError, PermissionError, …
pub(crate) fn io(error: &std::io::Error, path: &Path) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            let text = text.split(" (os error").next().unwrap_or(&text).to_owned();
            PyOSError::new_err((number, text, path.display().to_string()))
        }
        None => PyOSError::new_err(format!("{}: {text}", path.display())),
    }
}

pub(crate) fn open(error: OpenError) -> PyErr {
    match error {
        OpenError::Io { path, source } => io(&source, &path),
        OpenError::Folder { .. } => PyIsADirectoryError::new_err(error.to_string()),
        OpenError::Option(text) => PyValueError::new_err(text),
        other => format(other),
    }
}

pub(crate) fn input(error: InputError) -> PyErr {
    match error {
        InputError::Open(error) => open(error),
        InputError::Defect { .. } => PyRuntimeError::new_err(error.to_string()),
        InputError::Cook { .. } | InputError::Edit { .. } => PyValueError::new_err(error.to_string()),
        other => format(other),
    }
}

pub(crate) fn pipeline(error: PipelineError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// What a job of ours refuses although everything was checked before: a defect.
pub(crate) fn defect(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(format!("internal error, please report it: {error}"))
}
