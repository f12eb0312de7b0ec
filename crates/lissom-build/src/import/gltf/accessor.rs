//! Accessors: typed lists in buffers. Opened once with all checks, then read element by element, in place.

use super::{
    super::{ImportError, Place},
    budget::Budget,
    buffers::Buffers,
    document::{Accessor, Document, Kind},
};

/// What a single number is stored as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    pub(super) fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// What stands for 1 where numbers are normalised.
    pub(super) fn largest(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 => f64::from(u32::MAX),
            Self::F32 => 1.0,
        }
    }

    /// The number at the front of `bytes`; 0 if they are too few, which the checks rule out.
    fn read(self, bytes: &[u8], normalized: bool) -> f64 {
        let two = || bytes.first_chunk::<2>().copied().unwrap_or_default();
        let four = || bytes.first_chunk::<4>().copied().unwrap_or_default();
        let one = bytes.first().copied().unwrap_or_default();
        let value = match self {
            Self::I8 => f64::from(one as i8),
            Self::U8 => f64::from(one),
            Self::I16 => f64::from(i16::from_le_bytes(two())),
            Self::U16 => f64::from(u16::from_le_bytes(two())),
            Self::U32 => f64::from(u32::from_le_bytes(four())),
            Self::F32 => return f64::from(f32::from_le_bytes(four())),
        };
        if !normalized {
            return value;
        }
        let value = value / self.largest();
        if value < -1.0 { -1.0 } else { value }
    }
}

impl Kind {
    pub(super) fn components(self) -> Option<usize> {
        Some(match self {
            Self::Scalar => 1,
            Self::Vec2 => 2,
            Self::Vec3 => 3,
            Self::Vec4 => 4,
            Self::Mat4 => 16,
            Self::Other => return None,
        })
    }
}

/// An accessor whose every element lies inside its buffer.
pub(super) struct Values<'a> {
    count: usize,
    kind: Kind,
    component: Component,
    normalized: bool,
    /// From the first element on; `None` means zeros.
    base: Option<(&'a [u8], usize)>,
    sparse: Option<SparseValues<'a>>,
}

/// Elements that replace others: their indices rise.
struct SparseValues<'a> {
    count: usize,
    indices: &'a [u8],
    index: Component,
    values: &'a [u8],
}

/// Everything that reading an accessor needs.
pub(super) struct Source<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) buffers: &'a Buffers<'a>,
}

impl<'a> Source<'a> {
    /// Opens an accessor that must be one of `kinds`.
    pub(super) fn open(
        &self,
        index: u32,
        kinds: &[Kind],
        budget: &mut Budget,
    ) -> Result<Values<'a>, ImportError> {
        let place = || Place::Path(format!("accessor {index}"));
        let fail = |reason: String| ImportError::Format { place: place(), reason };
        let document: &'a Document<'a> = self.document;
        let Some(accessor) = document.accessors.get(index as usize) else {
            return Err(fail(format!("there are only {} accessors", document.accessors.len())));
        };
        if !kinds.contains(&accessor.kind) {
            return Err(fail(format!("its type is {:?}; here it must be one of {kinds:?}", accessor.kind)));
        }
        let Some(component) = Component::from_code(accessor.component) else {
            return Err(fail(format!("its componentType {} is unknown", accessor.component)));
        };
        let size = accessor.kind.components().unwrap_or(1).saturating_mul(component.size());
        let base = match accessor.view {
            Some(view) => Some(self.elements(view, accessor, size, place)?),
            None => {
                // Nothing in the file stands behind these zeros: they count as if they were stored.
                budget.take(accessor.count, size, place)?;
                None
            }
        };
        let sparse = self.sparse(accessor, size, budget, place)?;
        let (count, kind) = (accessor.count as usize, accessor.kind);
        Ok(Values { count, kind, component, normalized: accessor.normalized, base, sparse })
    }

    /// The bytes from the first element to the end of the last, and the distance between elements.
    fn elements(
        &self,
        view: u32,
        accessor: &Accessor,
        size: usize,
        place: impl Fn() -> Place,
    ) -> Result<(&'a [u8], usize), ImportError> {
        let buffers: &'a Buffers<'a> = self.buffers;
        let (bytes, stride) = buffers.view(self.document, view)?;
        let stride = stride.filter(|s| *s > 0).unwrap_or(size as u64);
        if stride < size as u64 {
            let reason = format!("its elements have {size} bytes, but the view's byteStride is {stride}");
            return Err(ImportError::Format { place: place(), reason });
        }
        let needed = match accessor.count.checked_sub(1) {
            Some(before) => before.saturating_mul(stride).saturating_add(size as u64),
            None => 0,
        };
        Ok((range(bytes, accessor.offset, needed, "the accessor", place)?, stride as usize))
    }

    fn sparse(
        &self,
        accessor: &Accessor,
        size: usize,
        budget: &mut Budget,
        place: impl Fn() -> Place,
    ) -> Result<Option<SparseValues<'a>>, ImportError> {
        let Some(sparse) = &accessor.sparse else { return Ok(None) };
        // Not for the memory but for the time: the indices are walked whenever the accessor is opened.
        budget.take(sparse.count, 1, &place)?;
        let fail = |reason: String| ImportError::Format { place: place(), reason };
        let index = Component::from_code(sparse.indices.component)
            .filter(|c| matches!(c, Component::U8 | Component::U16 | Component::U32))
            .ok_or_else(|| {
                fail(format!("its sparse componentType {} is no index", sparse.indices.component))
            })?;
        let buffers: &'a Buffers<'a> = self.buffers;
        let (indices, _) = buffers.view(self.document, sparse.indices.view)?;
        let (values, _) = buffers.view(self.document, sparse.values.view)?;
        let bytes = |each: usize| sparse.count.saturating_mul(each as u64);
        let indices = range(
            indices,
            sparse.indices.offset,
            bytes(index.size()),
            "the sparse accessor's indices",
            &place,
        )?;
        let values =
            range(values, sparse.values.offset, bytes(size), "the sparse accessor's values", &place)?;
        let out = SparseValues { count: sparse.count as usize, indices, index, values };
        let mut before = None;
        for i in 0..out.count {
            let at = out.index_at(i);
            if at >= accessor.count || before.is_some_and(|b| at <= b) {
                let count = accessor.count;
                let reason = format!("its sparse index {i} is {at}; indices must rise and be below {count}");
                return Err(fail(reason));
            }
            before = Some(at);
        }
        Ok(Some(out))
    }
}

fn range<'b>(
    bytes: &'b [u8],
    offset: u64,
    needed: u64,
    what: &'static str,
    place: impl Fn() -> Place,
) -> Result<&'b [u8], ImportError> {
    let end = offset.saturating_add(needed);
    let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
    range.and_then(|(start, end)| bytes.get(start..end)).ok_or_else(|| ImportError::Truncated {
        place: place(),
        what,
        needed: end,
        left: bytes.len() as u64,
    })
}

impl SparseValues<'_> {
    fn index_at(&self, i: usize) -> u64 {
        let at = i.saturating_mul(self.index.size());
        self.index.read(self.indices.get(at..).unwrap_or_default(), false) as u64
    }

    /// Where the replacement of an element stands.
    fn find(&self, element: u64) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            match self.index_at(middle).cmp(&element) {
                core::cmp::Ordering::Equal => return Some(middle),
                core::cmp::Ordering::Less => low = middle.saturating_add(1),
                core::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

#[cfg(feature = "draco")]
impl<'a> Values<'a> {
    /// Elements one after another. What is missing counts as 0.
    pub(super) fn contiguous(kind: Kind, component: Component, count: usize, bytes: &'a [u8]) -> Self {
        let stride = kind.components().unwrap_or(1).saturating_mul(component.size());
        Self { count, kind, component, normalized: false, base: Some((bytes, stride)), sparse: None }
    }
}

impl Values<'_> {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether it stores integers.
    pub(super) fn is_whole(&self) -> bool {
        self.component != Component::F32
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// The numbers of an element; those beyond its own are 0, as is everything beyond the last element.
    pub(super) fn get<const N: usize>(&self, element: usize) -> [f64; N] {
        let size = self.component.size();
        let all = self.kind.components().unwrap_or(1).saturating_mul(size);
        let replaced = self.sparse.as_ref().and_then(|s| {
            let at = s.find(element as u64)?.saturating_mul(all);
            s.values.get(at..)
        });
        let plain = || {
            let (bytes, stride) = self.base?;
            bytes.get(element.saturating_mul(stride)..)
        };
        let mut out = [0.0; N];
        let Some(bytes) = replaced.or_else(plain).map(|b| b.get(..all).unwrap_or_default()) else {
            return out;
        };
        for (value, bytes) in out.iter_mut().zip(bytes.chunks(size)) {
            *value = self.component.read(bytes, self.normalized);
        }
        out
    }

    /// An element that is a whole number: a joint, an index.
    pub(super) fn whole<const N: usize>(&self, element: usize) -> [u32; N] {
        // u32 fits f64 exactly; what is negative or NaN becomes 0.
        self.get::<N>(element).map(|v| v as u32)
    }
}
