//! What callers pass: any array-like of numbers, of any stride and any dtype that f64 can stand for.

use crate::errors::argument;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::{prelude::*, types::PyList};

/// Numbers and their shape.
pub(crate) struct Numbers {
    pub(crate) shape: Vec<usize>,
    /// Row by row.
    pub(crate) values: Vec<f64>,
}

impl Numbers {
    /// Copies an array-like. Lists, integers, strides, other byte orders: all become f64, row by row.
    pub(crate) fn of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let numpy = value.py().import("numpy")?;
        // Tensors that know nothing of numpy hand their memory over.
        let foreign = value.hasattr("__dlpack__")? && !value.hasattr("__array__")?;
        let array = numpy
            .call_method1(if foreign { "from_dlpack" } else { "asarray" }, (value,))
            .map_err(|error| argument(name, error.value(value.py()), "an array of numbers"))?;
        let dtype = array.getattr("dtype")?;
        let kind: String = dtype.getattr("kind")?.extract()?;
        if !matches!(kind.as_str(), "i" | "u" | "f") {
            return Err(argument(name, format!("an array of dtype {dtype}"), "integers or floats"));
        }
        let array =
            numpy.call_method1("require", (array, "float64", PyList::new(value.py(), ["C", "A"])?))?;
        let array: PyReadonlyArrayDyn<'_, f64> = array.extract()?;
        let values = array.as_slice().map_err(|error| argument(name, error, "an array of numbers"))?.to_vec();
        Ok(Self { shape: array.shape().to_vec(), values })
    }

    /// Refuses NaN and infinities.
    pub(crate) fn finite(self, name: &str) -> PyResult<Self> {
        match self.values.iter().position(|v| !v.is_finite()) {
            None => Ok(self),
            Some(at) => {
                let place = index(&self.shape, at);
                Err(argument(name, format!("{} at {place}", self.values[at]), "finite numbers"))
            }
        }
    }

    /// The shape as Python writes it.
    pub(crate) fn shown(&self) -> String {
        tuple(&self.shape)
    }
}

fn tuple(numbers: &[usize]) -> String {
    match numbers {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The place of an element of a flat array in the array itself.
fn index(shape: &[usize], mut at: usize) -> String {
    let mut place = vec![0; shape.len()];
    for (place, length) in place.iter_mut().zip(shape).rev() {
        (*place, at) = (at % length, at / length);
    }
    tuple(&place)
}

/// An array that owns its numbers: nothing is copied.
pub(crate) fn array<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyArray1::from_vec(py, values).reshape(shape.to_vec())?.into_any())
}

/// Runs `work` for stretches of `rows` rows of `width` numbers each, on all cores; every stretch is told its first row.
pub(crate) fn on_all_cores<T: Send, E: Send>(
    out: &mut [T],
    width: usize,
    rows: usize,
    work: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    /// Numbers that are worth a thread: it costs some 20 µs to start.
    const WORTH: usize = 1 << 15;
    if rows == 0 || width == 0 {
        return Ok(());
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(rows).min((rows * width).div_ceil(WORTH)).max(1);
    if threads == 1 {
        return work(0, out);
    }
    let each = rows.div_ceil(threads);
    let work = &work;
    std::thread::scope(|scope| {
        let stretches = out.chunks_mut(each * width).enumerate();
        let handles: Vec<_> =
            stretches.map(|(i, stretch)| scope.spawn(move || work(i * each, stretch))).collect();
        handles
            .into_iter()
            .try_for_each(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Runs tasks in any order on all cores: an executor for the pipeline.
pub(crate) fn run_tasks(count: usize, task: &(dyn Fn(usize) + Sync)) {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(count) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Relaxed);
                    if index >= count {
                        break;
                    }
                    task(index);
                }
            });
        }
    });
}
