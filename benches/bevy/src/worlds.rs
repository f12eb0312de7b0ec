//! The six worlds of the world's bench, here as lists of parents.

use lissom_measure::rng::Rng;

/// `copies` equal trees.
pub struct Scene {
    pub key: char,
    pub name: &'static str,
    /// The parents of one tree, parents first.
    pub parents: Vec<Option<usize>>,
    pub copies: usize,
}

impl Scene {
    pub fn entities(&self) -> usize {
        self.parents.len() * self.copies
    }

    /// One in a hundred entities.
    pub fn one_percent(&self) -> Vec<usize> {
        let mut rng = Rng::new(11);
        let n = self.entities();
        (0..n.div_ceil(100)).map(|_| rng.below(n)).collect()
    }

    /// For every round: entities and new parents for one in a hundred, free of cycles in this order.
    pub fn moves(&self, rounds: usize) -> Vec<Vec<(usize, usize)>> {
        let (nodes, n, mut rng) = (self.parents.len(), self.entities(), Rng::new(12));
        let mut parent: Vec<Option<usize>> =
            (0..n).map(|i| self.parents[i % nodes].map(|p| i / nodes * nodes + p)).collect();
        let mut round = || {
            let mut moves = Vec::new();
            for _ in 0..n {
                let (entity, to) = (rng.below(n), rng.below(n));
                let mut above = Some(to);
                while above.is_some_and(|above| above != entity) {
                    above = above.and_then(|above| parent[above]);
                }
                if parent[entity].is_some() && above.is_none() {
                    parent[entity] = Some(to);
                    moves.push((entity, to));
                }
                if moves.len() == n.div_ceil(100) {
                    break;
                }
            }
            moves
        };
        (0..rounds).map(|_| round()).collect()
    }
}

/// A humanoid's shape: spine, head, two arms with hands of five fingers, two legs.
fn humanoid() -> Vec<Option<usize>> {
    let mut parents: Vec<Option<usize>> = vec![None];
    let mut chain = |from: usize, links: usize| {
        let mut at = from;
        for _ in 0..links {
            parents.push(Some(at));
            at = parents.len() - 1;
        }
        at
    };
    let hips = chain(0, 1);
    let chest = chain(hips, 4);
    chain(chest, 3);
    for _ in 0..2 {
        let hand = chain(chest, 4);
        for _ in 0..5 {
            chain(hand, 4);
        }
        chain(hips, 5);
    }
    parents
}

/// All of them, by their keys there.
pub fn all() -> Vec<Scene> {
    let scene = |key, name, parents, copies| Scene { key, name, parents, copies };
    let small = vec![None, Some(0), Some(0), Some(0), Some(1), Some(1), Some(2), Some(2), Some(3), Some(3)];
    let wide = (0..1_111_111).map(|i: usize| i.checked_sub(1).map(|i| i / 10)).collect();
    let chain = (0..10_000).map(|i: usize| i.checked_sub(1)).collect();
    let children = (0..=100_000).map(|i| (i > 0).then_some(0)).collect();
    vec![
        scene('a', "1,000 trees of 67", humanoid(), 1_000),
        scene('b', "10,000 × (1 + 9)", small, 10_000),
        scene('c', "1 M roots with a child", vec![None, Some(0)], 1_000_000),
        scene('d', "a chain of 10,000", chain, 1),
        scene('e', "100,000 children", children, 1),
        scene('f', "1 M, depth 6", wide, 1),
    ]
}
