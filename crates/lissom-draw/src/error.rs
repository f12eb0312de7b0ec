//! What can go wrong.

/// Why something was not drawn. The canvas is as it was before the call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A parameter is outside its range.
    #[error("{field} is {value}; it must be {allowed}")]
    Parameter {
        /// Which one.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// Two slices that belong together differ in length.
    #[error("{field} has {len} entries; {expected} were expected")]
    Length {
        /// Which slice.
        field: &'static str,
        /// Its length.
        len: usize,
        /// The length it should have.
        expected: usize,
    },
    /// The number of triangle indices is not a multiple of three.
    #[error("{count} indices do not make triangles")]
    Triangles {
        /// Indices given.
        count: usize,
    },
    /// An index points past the last vertex.
    #[error("index {at} is {index}, but there are {vertices} vertices")]
    Index {
        /// Where in the index list.
        at: usize,
        /// The index.
        index: u32,
        /// Vertices of the mesh.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("{field} {at} is not finite")]
    NotFinite {
        /// Which slice or parameter.
        field: &'static str,
        /// Where in it.
        at: usize,
    },
    /// The picture could not be decoded.
    #[error("decoding the picture failed: {reason}")]
    Decode {
        /// What the decoder says.
        reason: String,
    },
    /// The PNG could not be encoded.
    #[error("encoding the PNG failed")]
    Png(#[from] png::EncodingError),
    /// The GIF could not be encoded.
    #[error("encoding the GIF failed: {reason}")]
    Gif {
        /// What the encoder says.
        reason: String,
    },
}
