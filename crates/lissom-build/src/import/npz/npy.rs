//! One array: a header in Python's words, then numbers.

use super::{wrong, zip::Archive};
use crate::import::{ImportError, Place, budget::Budget, bytes::Bytes};

/// Longest header.
const LONGEST: usize = 1 << 16;
/// Most dimensions.
const DIMENSIONS: usize = 8;

/// Numbers, the last dimension fastest.
pub(super) struct Array {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f64>,
}

/// How a number is stored.
#[derive(Clone, Copy)]
enum Number {
    F4,
    F8,
    I1,
    I2,
    I4,
    I8,
    U1,
    U2,
    U4,
}

impl Number {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "<f4" => Self::F4,
            "<f8" => Self::F8,
            "|i1" => Self::I1,
            "<i2" => Self::I2,
            "<i4" => Self::I4,
            "<i8" => Self::I8,
            "|u1" => Self::U1,
            "<u2" => Self::U2,
            "<u4" => Self::U4,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I1 | Self::U1 => 1,
            Self::I2 | Self::U2 => 2,
            Self::F4 | Self::I4 | Self::U4 => 4,
            Self::F8 | Self::I8 => 8,
        }
    }

    fn read(self, bytes: &[u8]) -> Option<f64> {
        Some(match self {
            Self::F4 => f64::from(f32::from_le_bytes(*bytes.first_chunk()?)),
            Self::F8 => f64::from_le_bytes(*bytes.first_chunk()?),
            Self::I1 => f64::from(i8::from_le_bytes(*bytes.first_chunk()?)),
            Self::I2 => f64::from(i16::from_le_bytes(*bytes.first_chunk()?)),
            Self::I4 => f64::from(i32::from_le_bytes(*bytes.first_chunk()?)),
            Self::I8 => i64::from_le_bytes(*bytes.first_chunk()?) as f64,
            Self::U1 => f64::from(u8::from_le_bytes(*bytes.first_chunk()?)),
            Self::U2 => f64::from(u16::from_le_bytes(*bytes.first_chunk()?)),
            Self::U4 => f64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
        })
    }
}

/// Reads a member of the archive.
pub(super) fn read(archive: &Archive<'_>, name: &str, budget: &mut Budget) -> Result<Array, ImportError> {
    let bytes = archive.bytes(name, budget)?;
    array(&bytes, name, budget).map_err(|error| match error {
        // Bytes are counted from the start of the member.
        error @ ImportError::Truncated { .. } => wrong(name, error.to_string()),
        error => error,
    })
}

fn array(bytes: &[u8], name: &str, budget: &mut Budget) -> Result<Array, ImportError> {
    let mut at = Bytes::new(bytes, false);
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err(wrong(name, "it is no array of NumPy".into()));
    }
    at.take(6, "a header")?;
    let version = at.u8("a header's version")?;
    at.take(1, "a header's version")?;
    let length = if version == 1 { at.u16("a header")?.into() } else { at.u32("a header")? as usize };
    if length > LONGEST {
        return Err(wrong(name, format!("its header is {length} bytes long")));
    }
    let header = String::from_utf8_lossy(at.take(length, "a header")?).into_owned();
    let kind = field(&header, "descr").unwrap_or_default();
    let kind = kind.trim_matches(['\'', '"']);
    let Some(number) = Number::of(kind) else {
        let shown: String = kind.chars().take(20).collect();
        return Err(wrong(
            name,
            format!("its numbers are of the kind {shown:?}; floats or integers were expected"),
        ));
    };
    let columns_first = field(&header, "fortran_order").is_some_and(|v| v.starts_with("True"));
    let shape = shape(&header).ok_or_else(|| wrong(name, "its header has no shape".into()))?;
    let count = shape.iter().try_fold(1_usize, |count, own| count.checked_mul(*own));
    let size = count.and_then(|count| count.checked_mul(number.size()));
    let (Some(count), Some(size)) = (count, size) else {
        return Err(wrong(name, format!("its shape is {shape:?}, which no memory holds")));
    };
    let numbers = at.take(size, "an array")?;
    budget.take(count as u64, size_of::<f64>(), || Place::Path(name.to_owned()))?;
    let mut values: Vec<f64> = numbers.chunks_exact(number.size()).filter_map(|b| number.read(b)).collect();
    if columns_first && shape.len() > 1 {
        budget.take(count as u64, size_of::<f64>(), || Place::Path(name.to_owned()))?;
        values = last_fastest(&values, &shape);
    }
    Ok(Array { name: name.to_owned(), shape, values })
}

/// What stands behind a name in the header.
fn field<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    let (_, rest) = header.split_once(&format!("'{name}'"))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = rest.find([',', '}']).unwrap_or(rest.len());
    rest.get(..end).map(str::trim)
}

fn shape(header: &str) -> Option<Vec<usize>> {
    let (_, rest) = header.split_once("'shape'")?;
    let (_, rest) = rest.split_once('(')?;
    let (inside, _) = rest.split_once(')')?;
    let words = inside.split(',').map(str::trim).filter(|w| !w.is_empty());
    let shape: Option<Vec<usize>> =
        words.take(DIMENSIONS.saturating_add(1)).map(|w| w.parse().ok()).collect();
    shape.filter(|s| s.len() <= DIMENSIONS)
}

/// Numbers whose first dimension was fastest.
fn last_fastest(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1_usize;
    for own in shape {
        strides.push(stride);
        stride = stride.saturating_mul(*own);
    }
    let mut place = vec![0_usize; shape.len()];
    let mut out = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        let at =
            place.iter().zip(&strides).fold(0_usize, |at, (p, s)| at.saturating_add(p.saturating_mul(*s)));
        out.push(values.get(at).copied().unwrap_or_default());
        for (own, most) in place.iter_mut().zip(shape).rev() {
            *own = own.saturating_add(1);
            if *own < *most {
                break;
            }
            *own = 0;
        }
    }
    out
}
