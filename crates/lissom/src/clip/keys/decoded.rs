//! The keys around every row of a clip at once.

use super::{
    super::{
        stats::CursorStats,
        table::{Place, Shape, Table, places},
    },
    advance::{advance, bind},
    decode::decode,
    still::{mask_of, masks_of},
    view::View,
};
use alloc::{boxed::Box, vec::Vec};
use lissom_math::{
    dispatch,
    simd::Backend,
    soa::{SoaTransform, group_count},
};

/// Bytes of a clip's table; `None` if it has cubics, whose windows are wider.
pub(crate) fn table_bytes(clip: &View<'_>) -> Option<usize> {
    (!clip.has_cubics()).then(|| places_of(clip).1.bytes(clip.head.rows))
}

fn places_of(clip: &View<'_>) -> (Box<[Place]>, Shape) {
    places(group_count(clip.head.joints), true, |kind, group| mask_of(masks_of(clip, kind), group, 1))
}

/// The table of a clip, over the pose of what does not move. `None` if it has cubics, or a block is missing.
pub(crate) fn table(clip: &View<'_>, still: &[SoaTransform]) -> Option<Table> {
    if clip.has_cubics() {
        return None;
    }
    let (mut words, mut stats) = (Vec::new(), CursorStats::default());
    let mut state = bind(clip, &mut words);
    let (places, shape) = places_of(clip);
    let (layout, backend) = (&clip.layout.active, Backend::best());
    let mut table = Table::new(places, shape, clip.head.rows);
    let moving = if shape.stride() > 0 { clip.head.rows } else { 0 };
    for row in 0..moving {
        advance(backend, &mut state, &mut words, &mut stats, clip, row).ok()?;
        dispatch!(backend, s => decode(s, &mut state, &mut words, clip));
        let floats: &[f32] = bytemuck::cast_slice(&words);
        // Sets come in pairs, linear and cubic.
        for right in [false, true] {
            table.put(row, right, still, |kind, component, channel| {
                let set = &layout.sets[2 * kind];
                floats[set.key(usize::from(right)) + component * set.lanes() + channel]
            });
        }
        table.put_spans(row, |kind, channel| {
            let set = &layout.sets[2 * kind];
            (words[layout.ticks_start() + set.tick() + channel], floats[set.inverse_span() + channel])
        });
    }
    Some(table)
}
