//! The keys of a clip as a table: for any time the two rows that it lies between, in the lanes of a pose.

use alloc::{boxed::Box, vec};
use lissom_math::soa::{GROUP, Lanes, SoaTransform};

/// Components of a kind: translations, rotations, scales.
const COMPONENTS: [usize; 3] = [3, 4, 3];

/// Where a group of joints stands in a row: for each kind the joints that move, and its first component. What
/// does not move stands nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    pub moving: [u16; 3],
    pub at: [u32; 3],
    /// Where its two lanes of times stand.
    pub span: [u32; 3],
}

/// Rows one after the other. A row has x, y, z and, for rotations, w of every group and kind that moves, in
/// the lanes of a pose: what stands still in such a group is written between what moves.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    shape: Shape,
    rows: u32,
    places: Box<[Place]>,
    keys: Box<[Lanes]>,
}

/// What a row takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    /// Lanes of the keys of a moment.
    side: usize,
    /// Lanes of times: two for each group and kind that moves. None where all channels have a key at every
    /// row.
    spans: usize,
}

/// Two keys of all channels, and where a moment lies between them.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub left: &'a [Lanes],
    pub right: &'a [Lanes],
    /// For each group and kind the ticks of the left keys (bits of u32), and 1 / (ticks from left to right).
    /// Empty: the same for all.
    pub spans: &'a [Lanes],
}

/// The places of groups whose moving joints are given, and the shape of a row. `keyed`: every channel has
/// keys at times of its own.
pub(super) fn places(
    groups: usize,
    keyed: bool,
    moving: impl Fn(usize, usize) -> u16,
) -> (Box<[Place]>, Shape) {
    let mut shape = Shape { side: 0, spans: 0 };
    let mut place = |group: usize| {
        let mut place = Place::default();
        for (kind, components) in COMPONENTS.into_iter().enumerate() {
            place.moving[kind] = moving(kind, group);
            if place.moving[kind] != 0 {
                (place.at[kind], place.span[kind]) = (shape.side as u32, shape.spans as u32);
                shape.side += components;
                shape.spans += if keyed { 2 } else { 0 };
            }
        }
        place
    };
    let places = (0..groups).map(&mut place).collect();
    (places, shape)
}

impl Shape {
    /// Lanes of a row. Keys at times of their own stand in pairs.
    pub fn stride(self) -> usize {
        if self.spans > 0 { 2 * self.side + self.spans } else { self.side }
    }

    pub fn bytes(self, rows: u32) -> usize {
        (rows as usize).saturating_mul(self.stride() * size_of::<Lanes>())
    }
}

impl Table {
    /// Zeros.
    pub fn new(places: Box<[Place]>, shape: Shape, rows: u32) -> Self {
        let keys = vec![Lanes::splat(0.0); rows as usize * shape.stride()].into();
        Self { shape, rows, places, keys }
    }

    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[Lanes]>(&self.keys) + size_of_val::<[Place]>(&self.places)
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// One a group.
    #[inline]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// True if a channel of this kind moves.
    pub fn moves(&self, kind: usize) -> bool {
        self.places.iter().any(|place| place.moving[kind] != 0)
    }

    /// The keys of a moment in this row.
    #[inline]
    pub fn pair(&self, row: u32) -> Pair<'_> {
        let Shape { side, spans } = self.shape;
        let at = row as usize * self.shape.stride();
        let (left, rest) = self.keys[at..at + 2 * side + spans].split_at(side);
        let (right, spans) = rest.split_at(side);
        Pair { left, right, spans }
    }

    /// Writes keys of a row, over what does not move: `right` the right ones of keys at times of their own,
    /// else the left or only ones. `key` has the components of the n-th channel of a kind.
    pub fn put(
        &mut self,
        row: u32,
        right: bool,
        still: &[SoaTransform],
        key: impl Fn(usize, usize, usize) -> f32,
    ) {
        let at = row as usize * self.shape.stride() + if right { self.shape.side } else { 0 };
        let out = &mut self.keys[at..];
        let mut next = [0; 3];
        for (place, still) in self.places.iter().zip(still) {
            let SoaTransform { translation: t, rotation: r, scale: k } = still;
            let stills = [&[t.x, t.y, t.z][..], &[r.x, r.y, r.z, r.w], &[k.x, k.y, k.z]];
            for (kind, still) in stills.into_iter().enumerate().filter(|(kind, _)| place.moving[*kind] != 0) {
                let out = &mut out[place.at[kind] as usize..][..COMPONENTS[kind]];
                out.copy_from_slice(still);
                for lane in lanes_of(place.moving[kind]) {
                    for (component, out) in out.iter_mut().enumerate() {
                        out.0[lane] = key(kind, component, next[kind]);
                    }
                    next[kind] += 1;
                }
            }
        }
    }

    /// Writes the times of a row: `span` has the tick of the left key and the inverse of the ticks to the
    /// right one, of the n-th channel of a kind.
    pub fn put_spans(&mut self, row: u32, span: impl Fn(usize, usize) -> (u32, f32)) {
        let at = row as usize * self.shape.stride() + 2 * self.shape.side;
        let out = &mut self.keys[at..];
        let mut next = [0; 3];
        for place in &self.places {
            for kind in (0..3).filter(|kind| place.moving[*kind] != 0) {
                let [ticks, inverse] = &mut out[place.span[kind] as usize..][..2] else { continue };
                for lane in lanes_of(place.moving[kind]) {
                    let (tick, inverse_span) = span(kind, next[kind]);
                    (ticks.0[lane], inverse.0[lane]) = (f32::from_bits(tick), inverse_span);
                    next[kind] += 1;
                }
            }
        }
    }
}

fn lanes_of(mask: u16) -> impl Iterator<Item = usize> {
    (0..GROUP).filter(move |lane| mask >> lane & 1 != 0)
}
