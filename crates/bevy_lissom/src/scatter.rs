//! Many small lists into one large one.

use bevy_math::Mat4;
use bevy_tasks::ComputeTaskPool;

/// Matrices that a task copies, at least: less is not worth a task.
const GRAIN: usize = 4096;

/// Copies palettes to their places in a buffer, on Bevy's compute pool: `places` is where each starts, in any order, which is
/// sorted here. What does not fit into the buffer, or overlaps one that starts before it, is left out; the number of those is
/// returned.
pub fn scatter_palettes(mut buffer: &mut [Mat4], places: &mut [(usize, &[Mat4])]) -> usize {
    places.sort_unstable_by_key(|(start, _)| *start);
    let (mut at, mut left_out) = (0, 0);
    let mut pairs: Vec<(&mut [Mat4], &[Mat4])> = Vec::with_capacity(places.len());
    for (start, palette) in places {
        let gap = start.checked_sub(at);
        let Some(gap) = gap.filter(|gap| gap.saturating_add(palette.len()) <= buffer.len()) else {
            left_out += 1;
            continue;
        };
        let (head, rest) = buffer.split_at_mut(gap + palette.len());
        pairs.push((&mut head[gap..], palette));
        (buffer, at) = (rest, *start + palette.len());
    }
    let copy = |pairs: &mut [(&mut [Mat4], &[Mat4])]| {
        pairs.iter_mut().for_each(|(to, from)| to.copy_from_slice(from));
    };
    let matrices: usize = pairs.iter().map(|(to, _)| to.len()).sum();
    match ComputeTaskPool::try_get().filter(|pool| pool.thread_num() > 1 && matrices > GRAIN) {
        None => copy(&mut pairs),
        Some(pool) => {
            let each = pairs.len().div_ceil(matrices.div_ceil(GRAIN)).max(1);
            pool.scope(|scope| {
                pairs.chunks_mut(each).for_each(|some| scope.spawn(async move { copy(some) }));
            });
        }
    }
    left_out
}
