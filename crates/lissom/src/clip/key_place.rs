//! Where a key of a clip stands.

/// A channel of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChannelKind {
    /// Where it is.
    Translation,
    /// How it is turned.
    Rotation,
    /// How large it is.
    Scale,
}

impl ChannelKind {
    pub(super) const ALL: [Self; 3] = [Self::Translation, Self::Rotation, Self::Scale];
}

/// What a channel does from one key to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyCurve {
    /// It stays.
    Step,
    /// It goes straight; rotations are normalised.
    Linear,
    /// The cubic whose slopes follow from the neighbouring keys, one-sided at the ends.
    Cubic,
}

/// A key of a channel that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPlace {
    /// In the skeleton's order.
    pub joint: usize,
    /// Of which channel.
    pub kind: ChannelKind,
    /// What the whole channel does between keys.
    pub curve: KeyCurve,
    /// When: see [`ClipView::row_time_s`](super::ClipView::row_time_s).
    pub row: u32,
}
