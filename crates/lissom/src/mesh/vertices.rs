//! Vertex buffers: bytes and a stride.

use super::error::MeshError;

/// Bytes of three f32: a position, a normal, the xyz of a tangent.
pub(crate) const VEC3: usize = 12;

/// A vertex attribute to read: vertex v starts at byte v · `stride`. Bytes need no alignment.
///
/// For an interleaved buffer, cut the slice where the attribute of vertex 0 starts: `&vertices[offset..]`.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a> {
    /// The buffer, from the attribute of vertex 0 on.
    pub bytes: &'a [u8],
    /// From one vertex to the next; not less than the attribute.
    pub stride: usize,
}

/// A vertex attribute to write: three f32 at byte v · `stride`; bytes between are left alone.
#[derive(Debug)]
pub struct StridedMut<'a> {
    /// The buffer, from the attribute of vertex 0 on.
    pub bytes: &'a mut [u8],
    /// From one vertex to the next; not less than 12.
    pub stride: usize,
}

/// Where skinned or morphed vertices go: three f32 an attribute, little-endian as in memory.
#[derive(Debug)]
#[non_exhaustive]
pub enum VertexOutput<'a> {
    /// A buffer an attribute.
    Separate {
        /// Positions.
        positions: StridedMut<'a>,
        /// Normals; there if and only if normals are read.
        normals: Option<StridedMut<'a>>,
        /// Tangents; there if and only if tangents are read.
        tangents: Option<StridedMut<'a>>,
    },
    /// One buffer, attributes at byte offsets in each vertex. Bytes between them are left alone.
    Interleaved {
        /// The buffer.
        bytes: &'a mut [u8],
        /// From one vertex to the next.
        stride: usize,
        /// Where positions start in a vertex.
        positions: usize,
        /// Where normals start in a vertex.
        normals: Option<usize>,
        /// Where tangents start in a vertex.
        tangents: Option<usize>,
    },
}

impl<'a> Strided<'a> {
    /// Elements one after the other.
    #[must_use]
    pub fn packed<T: bytemuck::NoUninit>(elements: &'a [T]) -> Self {
        Self { bytes: bytemuck::cast_slice(elements), stride: size_of::<T>() }
    }

    /// The same without the first `vertices` vertices.
    #[must_use]
    pub fn skip(self, vertices: usize) -> Self {
        let at = vertices.saturating_mul(self.stride).min(self.bytes.len());
        Self { bytes: &self.bytes[at..], ..self }
    }

    pub(crate) fn validate(
        &self,
        field: &'static str,
        element: usize,
        vertices: usize,
    ) -> Result<(), MeshError> {
        check(field, self.bytes.len(), self.stride, element, vertices)
    }

    /// Three f32 of a vertex; zero where there is none.
    #[inline(always)]
    pub(crate) fn vec3(&self, vertex: usize) -> [f32; 3] {
        match self.bytes.get(vertex * self.stride..).and_then(|b| b.first_chunk::<VEC3>()) {
            Some(bytes) => bytemuck::cast(*bytes),
            None => [0.0; 3],
        }
    }
}

impl<'a> StridedMut<'a> {
    /// Elements one after the other.
    #[must_use]
    pub fn packed<T: bytemuck::Pod>(elements: &'a mut [T]) -> Self {
        Self { stride: size_of::<T>(), bytes: bytemuck::cast_slice_mut(elements) }
    }

    fn reborrow(&mut self) -> StridedMut<'_> {
        StridedMut { bytes: self.bytes, stride: self.stride }
    }

    pub(crate) fn validate(&self, field: &'static str, vertices: usize) -> Result<(), MeshError> {
        check(field, self.bytes.len(), self.stride, VEC3, vertices)
    }

    fn split_at(self, vertices: usize) -> (Self, Self) {
        let at = vertices.saturating_mul(self.stride).min(self.bytes.len());
        let (a, b) = self.bytes.split_at_mut(at);
        (StridedMut { bytes: a, stride: self.stride }, StridedMut { bytes: b, stride: self.stride })
    }
}

/// (vertices − 1) · stride + one element must fit, and elements must not overlap.
fn check(
    field: &'static str,
    len: usize,
    stride: usize,
    element: usize,
    vertices: usize,
) -> Result<(), MeshError> {
    if stride < element {
        return Err(MeshError::Stride { field, stride, element });
    }
    let needed = match vertices {
        0 => Some(0),
        n => (n - 1).checked_mul(stride).and_then(|at| at.checked_add(element)),
    };
    match needed {
        Some(needed) if needed <= len => Ok(()),
        _ => {
            let needed = needed.unwrap_or(usize::MAX);
            Err(MeshError::TooShort { field, unit: "bytes", len, needed })
        }
    }
}

impl VertexOutput<'_> {
    /// The same buffers, for a job that ends before this one.
    #[must_use]
    pub fn reborrow(&mut self) -> VertexOutput<'_> {
        match self {
            Self::Separate { positions, normals, tangents } => VertexOutput::Separate {
                positions: positions.reborrow(),
                normals: normals.as_mut().map(StridedMut::reborrow),
                tangents: tangents.as_mut().map(StridedMut::reborrow),
            },
            Self::Interleaved { bytes, stride, positions, normals, tangents } => VertexOutput::Interleaved {
                bytes,
                stride: *stride,
                positions: *positions,
                normals: *normals,
                tangents: *tangents,
            },
        }
    }

    /// Two outputs: the first `vertices` vertices, and the others.
    #[must_use]
    pub fn split_at(self, vertices: usize) -> (Self, Self) {
        match self {
            Self::Separate { positions, normals, tangents } => {
                let positions = positions.split_at(vertices);
                let normals = normals.map(|n| n.split_at(vertices)).unzip();
                let tangents = tangents.map(|t| t.split_at(vertices)).unzip();
                (
                    Self::Separate { positions: positions.0, normals: normals.0, tangents: tangents.0 },
                    Self::Separate { positions: positions.1, normals: normals.1, tangents: tangents.1 },
                )
            }
            Self::Interleaved { bytes, stride, positions, normals, tangents } => {
                let at = vertices.saturating_mul(stride).min(bytes.len());
                let (a, b) = bytes.split_at_mut(at);
                (
                    Self::Interleaved { bytes: a, stride, positions, normals, tangents },
                    Self::Interleaved { bytes: b, stride, positions, normals, tangents },
                )
            }
        }
    }

    /// Checks sizes, strides, overlaps, and that outputs stand where inputs do.
    pub(crate) fn validate(
        &self,
        normals_in: bool,
        tangents_in: bool,
        vertices: usize,
    ) -> Result<(), MeshError> {
        let (normals_out, tangents_out) = match self {
            Self::Separate { normals, tangents, .. } => (normals.is_some(), tangents.is_some()),
            Self::Interleaved { normals, tangents, .. } => (normals.is_some(), tangents.is_some()),
        };
        paired(("normals", normals_in), ("output.normals", normals_out))?;
        paired(("tangents", tangents_in), ("output.tangents", tangents_out))?;
        match self {
            Self::Separate { positions, normals, tangents } => {
                positions.validate("output.positions", vertices)?;
                if let Some(n) = normals {
                    n.validate("output.normals", vertices)?;
                }
                tangents.as_ref().map_or(Ok(()), |t| t.validate("output.tangents", vertices))
            }
            Self::Interleaved { bytes, stride, positions, normals, tangents } => {
                let fields = [
                    ("output.positions", Some(*positions)),
                    ("output.normals", *normals),
                    ("output.tangents", *tangents),
                ];
                for (i, (field, offset)) in fields.iter().enumerate() {
                    let Some(offset) = *offset else { continue };
                    let end = offset.saturating_add(VEC3);
                    let overlaps = |o: usize| o < end && offset < o.saturating_add(VEC3);
                    if end > *stride || fields[..i].iter().any(|f| f.1.is_some_and(overlaps)) {
                        return Err(MeshError::Interleave { field, offset, end, stride: *stride });
                    }
                    // From the attribute of vertex 0 on, as if it had its own buffer.
                    check(field, bytes.len().saturating_sub(offset), *stride, VEC3, vertices)?;
                }
                Ok(())
            }
        }
    }

    /// The writer that kernels use.
    pub(crate) fn writer(&mut self) -> Writer<'_> {
        match self {
            Self::Separate { positions, normals, tangents } => Writer {
                slots: [
                    Some((&mut *positions.bytes, positions.stride)),
                    normals.as_mut().map(|n| (&mut *n.bytes, n.stride)),
                    tangents.as_mut().map(|t| (&mut *t.bytes, t.stride)),
                ],
                offsets: [0; 3],
                shared: false,
            },
            Self::Interleaved { bytes, stride, positions, normals, tangents } => Writer {
                slots: [Some((&mut **bytes, *stride)), None, None],
                offsets: [*positions, normals.unwrap_or(0), tangents.unwrap_or(0)],
                shared: true,
            },
        }
    }
}

fn paired(input: (&'static str, bool), output: (&'static str, bool)) -> Result<(), MeshError> {
    match (input.1, output.1) {
        (true, false) => Err(MeshError::Unpaired { present: input.0, missing: output.0 }),
        (false, true) => Err(MeshError::Unpaired { present: output.0, missing: input.0 }),
        _ => Ok(()),
    }
}

/// Which of the three attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribute {
    Position,
    Normal,
    Tangent,
}

/// Writes attributes wherever they go.
pub(crate) struct Writer<'a> {
    slots: [Option<(&'a mut [u8], usize)>; 3],
    offsets: [usize; 3],
    /// All attributes in the first slot.
    shared: bool,
}

impl Writer<'_> {
    /// The buffer of an attribute from vertex 0 on, and its stride.
    #[inline(always)]
    pub fn attribute(&mut self, attribute: Attribute) -> (&mut [u8], usize) {
        let i = attribute as usize;
        let slot = if self.shared { 0 } else { i };
        match &mut self.slots[slot] {
            Some((bytes, stride)) => (bytes.get_mut(self.offsets[i]..).unwrap_or_default(), *stride),
            None => (&mut [], VEC3),
        }
    }

    /// The same without the first `vertices` vertices.
    pub fn skip(&mut self, vertices: usize) -> Writer<'_> {
        let slots = self.slots.each_mut().map(|slot| {
            let (bytes, stride) = slot.as_mut()?;
            let at = vertices.saturating_mul(*stride);
            Some((bytes.get_mut(at..).unwrap_or_default(), *stride))
        });
        Writer { slots, ..*self }
    }

    /// The buffers of attributes, which must be different, if each has its own and is packed.
    pub fn packed(&mut self, attributes: &[Attribute]) -> Option<[&mut [[u8; VEC3]]; 3]> {
        if self.shared {
            return None;
        }
        let mut packed: [&mut [[u8; VEC3]]; 3] = Default::default();
        for (i, slot) in self.slots.iter_mut().enumerate() {
            let Some(place) = attributes.iter().position(|a| *a as usize == i) else { continue };
            match slot {
                Some((bytes, VEC3)) => packed[place] = bytes.as_chunks_mut().0,
                _ => return None,
            }
        }
        Some(packed)
    }

    #[inline(always)]
    pub fn put(&mut self, attribute: Attribute, vertex: usize, v: [f32; 3]) {
        let (bytes, stride) = self.attribute(attribute);
        let at = vertex * stride;
        if let Some(out) = bytes.get_mut(at..at + VEC3) {
            out.copy_from_slice(bytemuck::cast_slice(&v));
        }
    }
}

/// The attributes that are read.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub positions: Strided<'a>,
    pub normals: Option<Strided<'a>>,
    pub tangents: Option<Strided<'a>>,
}

/// What moves, and where it is read.
pub(crate) type Attributes<'a> = [Option<(Attribute, Strided<'a>)>; 3];

impl<'a> Inputs<'a> {
    /// Positions, normals, tangents.
    pub fn attributes(&self) -> Attributes<'a> {
        [
            Some((Attribute::Position, self.positions)),
            self.normals.map(|n| (Attribute::Normal, n)),
            self.tangents.map(|t| (Attribute::Tangent, t)),
        ]
    }

    pub fn validate(&self, vertices: usize, output: &VertexOutput<'_>) -> Result<(), MeshError> {
        if self.tangents.is_some() && self.normals.is_none() {
            return Err(MeshError::TangentsWithoutNormals);
        }
        self.positions.validate("positions", VEC3, vertices)?;
        if let Some(normals) = &self.normals {
            normals.validate("normals", VEC3, vertices)?;
        }
        if let Some(tangents) = &self.tangents {
            tangents.validate("tangents", VEC3, vertices)?;
        }
        output.validate(self.normals.is_some(), self.tangents.is_some(), vertices)
    }
}
