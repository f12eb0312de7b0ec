//! Where the vertices of a primitive stand: in accessors, or in a Draco stream.

#[cfg(feature = "draco")]
use super::draco::{self, Decoded};
use super::{
    super::ImportError,
    accessor::{Source, Values},
    budget::Budget,
    document::{Kind, Primitive},
};

/// The attributes and indices of one primitive.
pub(super) struct Geometry<'s, 'a> {
    source: &'s Source<'a>,
    primitive: &'s Primitive<'a>,
    #[cfg(feature = "draco")]
    decoded: Option<Decoded>,
}

impl<'s, 'a> Geometry<'s, 'a> {
    /// Decodes the stream, if there is one.
    #[cfg(feature = "draco")]
    pub(super) fn new(
        source: &'s Source<'a>,
        primitive: &'s Primitive<'a>,
        at: &str,
        budget: &mut Budget,
    ) -> Result<Self, ImportError> {
        let decoded = match primitive.extensions.draco {
            Some(json) => Some(draco::decode(source, primitive, json, at, budget)?),
            None => None,
        };
        Ok(Self { source, primitive, decoded })
    }

    #[cfg(not(feature = "draco"))]
    pub(super) fn new(
        source: &'s Source<'a>,
        primitive: &'s Primitive<'a>,
        at: &str,
        _: &mut Budget,
    ) -> Result<Self, ImportError> {
        if primitive.extensions.draco.is_some() {
            let place = super::super::Place::Path(at.into());
            let reason =
                "it is compressed with Draco, which this build does not read (feature `draco`)".into();
            return Err(ImportError::Format { place, reason });
        }
        Ok(Self { source, primitive })
    }

    /// An attribute; `None` if the primitive does not have it.
    pub(super) fn open(
        &self,
        name: &str,
        kinds: &[Kind],
        budget: &mut Budget,
    ) -> Result<Option<Values<'_>>, ImportError> {
        #[cfg(feature = "draco")]
        if let Some(values) = self.decoded.as_ref().and_then(|d| d.attribute(name)) {
            return Ok(Some(values));
        }
        match self.primitive.attributes.get(name) {
            Some(accessor) => self.source.open(*accessor, kinds, budget).map(Some),
            None => Ok(None),
        }
    }

    /// The corners of triangles; `None` if vertices stand in their order.
    pub(super) fn indices(&self, budget: &mut Budget) -> Result<Option<Values<'_>>, ImportError> {
        #[cfg(feature = "draco")]
        if let Some(decoded) = &self.decoded {
            return Ok(Some(decoded.indices()));
        }
        match self.primitive.indices {
            Some(accessor) => self.source.open(accessor, &[Kind::Scalar], budget).map(Some),
            None => Ok(None),
        }
    }

    /// The names of attributes like `TEXCOORD_0`, by number, as far as `most`.
    pub(super) fn sets(&self, name: &str, most: usize) -> usize {
        let number = |key: &String| key.strip_prefix(name)?.strip_prefix('_')?.parse::<usize>().ok();
        let numbers = self.primitive.attributes.keys().filter_map(number);
        numbers.filter(|n| *n < most).map(|n| n.saturating_add(1)).max().unwrap_or_default()
    }
}
