//! Bytes that a joint takes of a clip, by what they are for.

/// Bytes that a joint takes of a clip, by what they are for. Eighths, since records do not end at bytes: sums
/// are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointBytes {
    /// How keys are to be decoded.
    pub tables: f64,
    /// Values that hold throughout.
    pub constants: f64,
    /// Jump frames.
    pub jumps: f64,
    /// Keys of translations, rotations, scales.
    pub stream: [f64; 3],
}

impl JointBytes {
    /// All together.
    #[must_use]
    pub fn total(&self) -> f64 {
        let [translations, rotations, scales] = self.stream;
        self.tables + self.constants + self.jumps + (translations + rotations + scales)
    }
}

/// What of a clip's tables belongs to no joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SharedTables {
    pub bytes: f64,
    /// What fills up the tables' last bytes and words.
    pub padding: f64,
}
