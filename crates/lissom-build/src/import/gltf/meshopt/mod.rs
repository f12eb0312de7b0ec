//! `EXT_meshopt_compression` and `KHR_meshopt_compression`: buffer views compressed by meshoptimizer's three codecs,
//! written from the extensions' public text. Attribute streams of both versions are read. `lissom-checks meshopt`
//! holds it against the streams and results of the npm package `meshoptimizer`.

mod attributes;
mod filter;
mod indices;

#[cfg(test)]
mod tests;

/// How a view is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Differences, byte by byte of an element.
    Attributes,
    /// Three indices a triangle.
    Triangles,
    /// Any indices.
    Indices,
}

impl Mode {
    /// By its name in the file.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ATTRIBUTES" => Self::Attributes,
            "TRIANGLES" => Self::Triangles,
            "INDICES" => Self::Indices,
            _ => return None,
        })
    }
}

/// What is done with the bytes once they are decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Nothing.
    None,
    /// Unit vectors from two coordinates.
    Octahedral,
    /// Unit quaternions from three components.
    Quaternion,
    /// Floats from a whole number and a power of two.
    Exponential,
    /// Red, green, blue and alpha from luma and chroma.
    Color,
}

impl Filter {
    /// By its name in the file.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "NONE" => Self::None,
            "OCTAHEDRAL" => Self::Octahedral,
            "QUATERNION" => Self::Quaternion,
            "EXPONENTIAL" => Self::Exponential,
            "COLOR" => Self::Color,
            _ => return None,
        })
    }
}

/// What is wrong with a stream, without its place.
pub type Reason = String;

/// Unpacks `count` elements of `stride` bytes. The caller has agreed to `count * stride` bytes of memory.
///
/// # Errors
///
/// What is wrong with the stream.
pub fn decode(
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
    compressed: &[u8],
) -> Result<Vec<u8>, Reason> {
    match mode {
        Mode::Attributes => {
            let mut bytes = attributes::decode(count, stride, compressed)?;
            filter::apply(filter, stride, &mut bytes)?;
            Ok(bytes)
        }
        Mode::Triangles | Mode::Indices if filter != Filter::None => {
            Err("indices have a filter, which only attributes can have".into())
        }
        Mode::Triangles => indices::triangles(count, stride, compressed),
        Mode::Indices => indices::sequence(count, stride, compressed),
    }
}

/// Takes bytes from the front.
struct Stream<'a> {
    rest: &'a [u8],
}

impl<'a> Stream<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Reason> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| Reason::from("the compressed bytes end too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Reason> {
        self.take(1).map(|b| b.first().copied().unwrap_or_default())
    }

    fn end(&self) -> Result<(), Reason> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(format!("{left} compressed bytes are left over")),
        }
    }
}

/// 0, -1, 1, -2, 2... from 0, 1, 2, 3, 4..., in wrapping arithmetic.
fn unzigzag(v: u32) -> u32 {
    (v >> 1) ^ 0_u32.wrapping_sub(v & 1)
}
