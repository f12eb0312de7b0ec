//! All rows of a clip at once.

use super::{
    super::{
        stats::CursorStats,
        table::{Place, Shape, Table, places},
    },
    advance::{advance, bind},
    arrays::{LEFT, RIGHT},
    still::mask_of,
    view::View,
};
use alloc::{boxed::Box, vec::Vec};
use lissom_math::{
    simd::Backend,
    soa::{SoaTransform, group_count},
};

/// Bytes of a clip's table.
pub(crate) fn table_bytes(clip: &View<'_>) -> usize {
    places_of(clip).1.bytes(clip.head.rows)
}

fn places_of(clip: &View<'_>) -> (Box<[Place]>, Shape) {
    places(group_count(clip.head.joints), false, |kind, group| match clip.tables.lanes[kind] {
        0 => 0,
        _ => mask_of(clip.bytes.get(clip.tables.moving_masks[kind]..).unwrap_or_default(), group),
    })
}

/// The table of a clip, over the pose of what does not move. `None` if a block is missing.
pub(crate) fn table(clip: &View<'_>, still: &[SoaTransform]) -> Option<Table> {
    let (mut words, mut stats) = (Vec::new(), CursorStats::default());
    let mut state = bind(clip, &mut words);
    let (arrays, rows) = (state.arrays, clip.head.rows);
    let (places, shape) = places_of(clip);
    let mut table = Table::new(places, shape, rows);
    // A clip that stands still has rows of no numbers.
    let moving = if shape.stride() > 0 { rows } else { 0 };
    for row in 0..moving {
        // The last row is the right key of the last interval.
        let last = row + 1 == rows;
        advance(Backend::best(), &mut state, &mut words, &mut stats, clip, row - u32::from(last)).ok()?;
        let from = if last { RIGHT } else { LEFT } * arrays.len();
        let keys: &[f32] = bytemuck::cast_slice(&words[from..]);
        table.put(row, false, still, |kind, component, channel| {
            keys[component * arrays.len() + arrays.first(kind) + channel]
        });
    }
    Some(table)
}
