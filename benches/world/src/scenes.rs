//! The six worlds, as plain lists: what both sides build.

use lissom_measure::rng::Rng;

/// One local transform: rotation (x y z w), position. Scale is 1 on both sides.
#[derive(Clone, Copy)]
pub struct Local {
    pub rotation: [f32; 4],
    pub position: [f32; 3],
}

fn local(rng: &mut Rng) -> Local {
    let [x, y, z, w] = core::array::from_fn(|_| rng.unit() - 0.5);
    let l = (x * x + y * y + z * z + w * w + 1e-6).sqrt();
    Local { rotation: [x / l, y / l, z / l, w / l], position: core::array::from_fn(|_| rng.unit() - 0.5) }
}

/// `copies` equal trees.
pub struct Scene {
    pub key: &'static str,
    pub name: String,
    /// The parents of one tree, parents first.
    pub parents: Vec<Option<usize>>,
    pub locals: Vec<Local>,
    pub copies: usize,
}

impl Scene {
    pub fn new(
        key: &'static str,
        name: impl Into<String>,
        parents: Vec<Option<usize>>,
        copies: usize,
    ) -> Self {
        let mut rng = Rng::new(7);
        let locals = parents.iter().map(|_| local(&mut rng)).collect();
        Self { key, name: name.into(), parents, locals, copies }
    }

    pub fn entities(&self) -> usize {
        self.parents.len() * self.copies
    }
}

/// A humanoid's shape: spine, head, two arms with hands of five fingers of three, two legs.
fn humanoid() -> Vec<Option<usize>> {
    let mut p: Vec<Option<usize>> = vec![None];
    let chain = |p: &mut Vec<Option<usize>>, from: usize, n: usize| {
        let mut at = from;
        for _ in 0..n {
            p.push(Some(at));
            at = p.len() - 1;
        }
        at
    };
    let hips = chain(&mut p, 0, 1);
    let chest = chain(&mut p, hips, 4);
    chain(&mut p, chest, 3);
    for _ in 0..2 {
        let hand = chain(&mut p, chest, 4);
        for _ in 0..5 {
            chain(&mut p, hand, 4);
        }
        chain(&mut p, hips, 5);
    }
    p
}

/// A root, 3 children, 2 grandchildren each.
pub fn small_tree() -> Vec<Option<usize>> {
    vec![None, Some(0), Some(0), Some(0), Some(1), Some(1), Some(2), Some(2), Some(3), Some(3)]
}

pub fn wide_tree(levels: usize, branching: usize, limit: usize) -> Vec<Option<usize>> {
    let mut parents = vec![None];
    let mut level = 0..1;
    for _ in 0..levels {
        let start = parents.len();
        for parent in level {
            for _ in 0..branching {
                if parents.len() < limit {
                    parents.push(Some(parent));
                }
            }
        }
        level = start..parents.len();
    }
    parents
}

pub fn all(shrink: usize) -> Vec<Scene> {
    let by = |n: usize| (n / shrink).max(1);
    let joints = humanoid();
    assert_eq!(joints.len(), 67);
    vec![
        Scene::new("a", "1,000 trees of 67 joints", joints, by(1_000)),
        Scene::new("b", "10,000 trees of 1 + 9", small_tree(), by(10_000)),
        Scene::new("c", "1 M roots with a child", vec![None, Some(0)], by(1_000_000)),
        Scene::new("d", "a chain of 10,000", (0..by(10_000)).map(|i: usize| i.checked_sub(1)).collect(), 1),
        Scene::new(
            "e",
            "a root with 100,000 children",
            (0..=by(100_000)).map(|i| (i > 0).then_some(0)).collect(),
            1,
        ),
        Scene::new("f", "1 M, depth 6, branching 10", wide_tree(6, 10, by(1_111_111)), 1),
    ]
}

/// Entities chosen for a scenario, and who gets which parent: entity = copy · nodes + node.
pub struct Picks {
    pub one_percent: Vec<usize>,
    pub tenth_of_roots: Vec<usize>,
    /// For every round: entity and new parent, free of cycles in this order.
    pub moves: Vec<Vec<(usize, usize)>>,
}

pub fn picks(scene: &Scene, rounds: usize) -> Picks {
    let mut rng = Rng::new(11);
    let (nodes, n) = (scene.parents.len(), scene.entities());
    let one_percent = (0..n.div_ceil(100)).map(|_| rng.below(n)).collect();
    let tenth_of_roots = (0..scene.copies.div_ceil(10)).map(|_| rng.below(scene.copies) * nodes).collect();
    let mut parent: Vec<usize> =
        (0..n).map(|i| scene.parents[i % nodes].map_or(usize::MAX, |p| i / nodes * nodes + p)).collect();
    let mut moves = Vec::new();
    for _ in 0..rounds {
        let mut round = Vec::new();
        let mut tries = 0;
        while round.len() < n.div_ceil(100) && tries < n {
            tries += 1;
            let (entity, to) = (rng.below(n), rng.below(n));
            if parent[entity] == usize::MAX {
                continue;
            }
            let mut up = to;
            while up != usize::MAX && up != entity {
                up = parent[up];
            }
            if up == usize::MAX {
                parent[entity] = to;
                round.push((entity, to));
            }
        }
        moves.push(round);
    }
    Picks { one_percent, tenth_of_roots, moves }
}
