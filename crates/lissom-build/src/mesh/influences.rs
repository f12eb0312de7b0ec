//! Which joints vertices follow, and how much.

use core::num::NonZeroU8;

/// The joints of all vertices: the same count for each of them, as the runtime's
/// [`SkinMesh`](lissom::mesh::SkinMesh) has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// Joints of a vertex, 1 to [`MAX_INFLUENCES`](lissom::mesh::MAX_INFLUENCES).
    pub each: usize,
    /// Indices of raw joints, `each` a vertex; unused ones are 0 with weight 0.
    pub joints: Vec<u16>,
    /// As many: not negative, falling within a vertex, with sum 1.
    pub weights: Vec<f32>,
}

impl Influences {
    /// Every vertex follows one joint.
    #[must_use]
    pub fn rigid(joint: u16, vertices: usize) -> Self {
        Self { each: 1, joints: vec![joint; vertices], weights: vec![1.0; vertices] }
    }

    /// From rows of the same length.
    #[must_use]
    pub fn from_rows<const N: usize>(joints: &[[u16; N]], weights: &[[f32; N]]) -> Self {
        Self { each: N, joints: joints.as_flattened().to_vec(), weights: weights.as_flattened().to_vec() }
    }

    /// How many vertices have theirs.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.joints.len().checked_div(self.each).unwrap_or(0)
    }

    /// Joints and weights of a vertex, the unused ones too; none for a vertex that there is not.
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        let start = vertex.saturating_mul(self.each);
        let range = start..start.saturating_add(self.each);
        let joints = self.joints.get(range.clone()).unwrap_or_default();
        let weights = self.weights.get(range).unwrap_or_default();
        joints.iter().copied().zip(weights.iter().copied())
    }

    /// The vertices that each of `joints` joints moves: with a weight above 0, rising.
    #[must_use]
    pub fn by_joint(&self, joints: usize) -> Vec<Vec<u32>> {
        let mut out = vec![Vec::new(); joints];
        for vertex in 0..self.vertex_count() {
            for (joint, _) in self.of(vertex).filter(|(_, w)| *w > 0.0) {
                if let Some(list) = out.get_mut(usize::from(joint)) {
                    list.push(vertex as u32);
                }
            }
        }
        out
    }

    /// True if a joint is followed, one entry for each of `joints`.
    #[must_use]
    pub fn used(&self, joints: usize) -> Vec<bool> {
        let mut used = vec![false; joints];
        for (joint, weight) in self.joints.iter().zip(&self.weights) {
            if *weight > 0.0
                && let Some(used) = used.get_mut(usize::from(*joint))
            {
                *used = true;
            }
        }
        used
    }

    /// Keeps the `most` strongest of every vertex, which then sum to 1 again. Gives how many vertices lost one, and
    /// the largest share that a vertex lost.
    pub fn cut(&mut self, most: NonZeroU8) -> (usize, f32) {
        let most = usize::from(most.get());
        if most >= self.each {
            return (0, 0.0);
        }
        let (mut vertices, mut largest) = (0, 0.0);
        let mut out = Self { each: most, ..Self::default() };
        for vertex in 0..self.vertex_count() {
            let all: Vec<(u16, f32)> = self.of(vertex).collect();
            let (kept, lost) = all.split_at(most.min(all.len()));
            let lost: f32 = lost.iter().map(|(_, w)| w).sum();
            let sum: f32 = kept.iter().map(|(_, w)| w).sum();
            vertices += usize::from(lost > 0.0);
            largest = if lost > largest { lost } else { largest };
            out.joints.extend(kept.iter().map(|(j, _)| j));
            // Untouched vertices keep their bits.
            out.weights.extend(kept.iter().map(|(_, w)| if lost > 0.0 { w / sum } else { *w }));
        }
        *self = out;
        (vertices, largest)
    }
}

/// Influences of vertex after vertex, each with as many as it has. They become a rectangle as wide as the widest.
#[derive(Default)]
pub(crate) struct Collect {
    each: usize,
    ends: Vec<usize>,
    all: Vec<(u16, f32)>,
}

impl Collect {
    pub(crate) fn with_room_for(vertices: usize) -> Self {
        Self { each: 1, ends: Vec::with_capacity(vertices), all: Vec::with_capacity(vertices) }
    }

    /// Adds a vertex. The same joint twice counts once; what is not above 0 is left out; the rest is sorted and sums
    /// to 1. Of more than a vertex can have, the weakest go. `fallback` is followed if nothing is left; then false.
    pub(crate) fn push(&mut self, list: &mut Vec<(u16, f64)>, fallback: u16) -> bool {
        list.retain(|(_, w)| *w > 0.0 && w.is_finite());
        list.sort_by_key(|(joint, _)| *joint);
        list.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 += later.1;
            }
            same
        });
        // Falling; equal ones in the order of joints.
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
        list.truncate(lissom::mesh::MAX_INFLUENCES);
        let sum: f64 = list.iter().map(|(_, w)| w).sum();
        let start = self.all.len();
        if sum > 0.0 && sum.is_finite() {
            let shares = list.iter().map(|(joint, w)| (*joint, (w / sum) as f32));
            // What vanishes in f32 names no joint.
            self.all.extend(shares.filter(|(_, w)| *w > 0.0));
        }
        let found = self.all.len() > start;
        if !found {
            self.all.push((fallback, 1.0));
        }
        self.each = self.each.max(self.all.len() - start);
        self.ends.push(self.all.len());
        found
    }

    /// Joints of the vertex that has most.
    #[cfg(any(feature = "fbx", test))]
    pub(crate) fn widest(&self) -> usize {
        self.each
    }

    /// The rectangle: `widest` times as many entries as there are vertices.
    pub(crate) fn finish(self) -> Influences {
        let count = self.ends.len() * self.each;
        let (mut joints, mut weights) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut start = 0;
        for end in self.ends {
            let own = self.all.get(start..end).unwrap_or_default();
            joints.extend(own.iter().map(|(j, _)| j));
            weights.extend(own.iter().map(|(_, w)| w));
            joints.resize(joints.len() + self.each - own.len(), 0);
            weights.resize(joints.len(), 0.0);
            start = end;
        }
        Influences { each: self.each, joints, weights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_influences_stay_and_sum_to_1() {
        let mut all = Collect::with_room_for(3);
        let mut list =
            vec![(7, 0.1), (3, 0.2), (9, 0.4), (3, 0.2), (1, 0.05), (2, 0.05), (5, f64::NAN), (6, -1.0)];
        assert!(all.push(&mut list, 0));
        assert!(all.push(&mut vec![(1, 1.0), (2, 1e-300)], 0));
        assert!(!all.push(&mut vec![(1, 0.0), (2, f64::INFINITY)], 4));
        assert_eq!(all.widest(), 5);
        let found = all.finish();
        assert_eq!((found.each, found.vertex_count()), (5, 3));
        assert_eq!(found.joints, [3, 9, 7, 1, 2, 1, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
        assert_eq!(found.weights[5..], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        let first = &found.weights[..5];
        assert!((first.iter().sum::<f32>() - 1.0).abs() < 1e-6 && first.is_sorted_by(|a, b| a >= b));
        assert_eq!(found.by_joint(10)[1], [0, 1]);
        assert_eq!(found.used(10)[..5], [false, true, true, true, true]);
    }

    #[test]
    fn a_cut_keeps_the_strongest_and_says_what_was_lost() {
        let mut all = Influences::from_rows(
            &[[3, 2, 1, 5, 4], [8, 0, 0, 0, 0]],
            &[[0.4, 0.3, 0.15, 0.1, 0.05], [1.0, 0.0, 0.0, 0.0, 0.0]],
        );
        assert_eq!(all.cut(NonZeroU8::MAX), (0, 0.0));
        let (vertices, lost) = all.cut(const { NonZeroU8::new(2).unwrap() });
        assert_eq!((vertices, all.each, all.joints.as_slice()), (1, 2, &[3, 2, 8, 0][..]));
        assert!((lost - 0.3).abs() < 1e-6 && (all.weights[0] + all.weights[1] - 1.0).abs() < 1e-6);
        assert_eq!(all.weights[2..], [1.0, 0.0]);
    }
}
