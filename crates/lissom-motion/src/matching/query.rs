//! What is looked for.

use super::{Database, MAX_COLUMNS, QueryError};
use alloc::{string::String, vec::Vec};
use lissom::math::{
    dispatch,
    simd::{
        Backend, Simd,
        nearest::{pair, quantise},
    },
    soa::{GROUP, Lanes},
};

/// What is looked for: values of all features as whole numbers, tags, and the frame that plays.
///
/// A plain value, made by [`Database::query`]; it allocates nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Pairs of columns, in the order of the database.
    pub(super) pairs: [u32; MAX_COLUMNS / 2],
    pub(super) tags: u32,
    pub(super) current: Option<u32>,
    pub(super) zone: u32,
    pub(super) transition_cost: i32,
    /// True if the frame that plays is not kept.
    pub(super) leaves: bool,
    fingerprint: u64,
}

impl Database {
    /// A query for frames of any tags, when nothing plays. Values are in the order of [`Database::features`].
    ///
    /// # Errors
    ///
    /// [`QueryError::Length`], [`QueryError::NotFinite`].
    pub fn query(&self, values: &[f32]) -> Result<Query, QueryError> {
        let needed = self.features().len();
        if values.len() != needed {
            return Err(QueryError::Length { found: values.len(), needed });
        }
        if let Some(feature) = values.iter().position(|v| !v.is_finite()) {
            return Err(QueryError::NotFinite { feature });
        }
        let mut row = [0_i16; MAX_COLUMNS.next_multiple_of(GROUP)];
        dispatch!(Backend::best(), s => self.quantise(s, values, &mut row));
        let mut pairs = [0; MAX_COLUMNS / 2];
        for (to, of) in pairs.iter_mut().zip(row.chunks_exact(2)) {
            *to = pair(of[0], of[1]);
        }
        let fingerprint = self.fingerprint();
        Ok(Query { pairs, tags: 0, current: None, zone: 0, transition_cost: 0, leaves: false, fingerprint })
    }

    #[inline(always)]
    fn quantise<S: Simd>(&self, s: S, values: &[f32], row: &mut [i16]) {
        for (i, (columns, out)) in self.columns.chunks(GROUP).zip(row.chunks_exact_mut(GROUP)).enumerate() {
            let mut lanes = Lanes::splat(0.0);
            for (lane, feature) in lanes.0.iter_mut().zip(columns) {
                *lane = values.get(usize::from(*feature)).copied().unwrap_or(0.0);
            }
            quantise(s, &lanes, &self.offsets[i], &self.scales[i], f32::from(self.clamp), out);
        }
    }

    /// The bits of tags, by name.
    ///
    /// # Errors
    ///
    /// [`QueryError::UnknownTag`], and [`QueryError::NoFrame`] if no frame that may be found has all of them.
    pub fn tag_bits(&self, names: &[&str]) -> Result<u32, QueryError> {
        let mut bits = 0;
        for name in names {
            let found = self.tags().iter().position(|tag| tag == name);
            bits |= 1 << found.ok_or_else(|| QueryError::UnknownTag((*name).into()))?;
        }
        self.check_tags(bits)?;
        Ok(bits)
    }

    fn check_tags(&self, bits: u32) -> Result<(), QueryError> {
        if self.masks.iter().any(|tags| tags & bits == bits) {
            return Ok(());
        }
        let name = |bit: usize| self.tags().get(bit).map_or("?", String::as_str);
        let names: Vec<&str> = (0..32).filter(|bit| bits >> bit & 1 == 1).map(name).collect();
        Err(QueryError::NoFrame(names.join(", ")))
    }
}

impl Query {
    /// Only frames that have all of these tags.
    ///
    /// # Errors
    ///
    /// [`QueryError::NoFrame`] if no frame that may be found has them, [`QueryError::OtherDatabase`].
    pub fn tagged(mut self, database: &Database, bits: u32) -> Result<Self, QueryError> {
        self.check(database)?;
        database.check_tags(bits)?;
        self.tags = bits;
        Ok(self)
    }

    /// The frame that plays. It is kept unless another costs less than it, and less by `transition_cost`, which is in
    /// squared deviations ([`Database::in_deviations`]). Frames of the same clip that are up to `zone` frames away are not
    /// found. A frame that lacks the tags of the query is left in any case, and shuts out no others.
    ///
    /// # Errors
    ///
    /// [`QueryError::UnknownFrame`], [`QueryError::Cost`], [`QueryError::OtherDatabase`].
    pub fn playing(
        mut self,
        database: &Database,
        frame: u32,
        zone: u32,
        transition_cost: f32,
    ) -> Result<Self, QueryError> {
        self.check(database)?;
        let count = database.frames();
        if frame >= count {
            return Err(QueryError::UnknownFrame { found: frame, count });
        }
        if !transition_cost.is_finite() || transition_cost < 0.0 {
            return Err(QueryError::Cost(transition_cost));
        }
        self.current = Some(frame);
        self.zone = zone;
        self.transition_cost = database.cost_of(transition_cost);
        Ok(self)
    }

    /// The frame that plays cannot go on, as at the end of its clip: another one is found, if there is one beyond the zone.
    #[must_use]
    pub fn leaving(self) -> Self {
        Self { leaves: true, ..self }
    }

    /// Refuses a database that the query was not made for.
    pub(super) fn check(&self, database: &Database) -> Result<(), QueryError> {
        if self.fingerprint == database.fingerprint { Ok(()) } else { Err(QueryError::OtherDatabase) }
    }

    /// A column's number.
    pub(super) fn number(&self, column: usize) -> i16 {
        ((self.pairs[column / 2] >> (16 * (column % 2))) as u16 ^ lissom::math::simd::nearest::ZERO)
            .cast_signed()
    }
}
