//! The same worlds in Bevy.

use crate::scenes::{Local, Scene};
use bevy_ecs::{
    prelude::*,
    schedule::{Schedule, SingleThreadedExecutor},
};
use bevy_transform::{
    components::{GlobalTransform, Transform, TransformTreeChanged},
    systems::{
        StaticTransformOptimizations, mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms,
    },
};

/// Static optimisation on or off, and the executor of the three systems.
#[derive(Clone, Copy)]
pub struct Mode {
    pub name: &'static str,
    pub optimise: bool,
    pub single: bool,
}

pub const MODES: [Mode; 4] = [
    Mode { name: "static+multi", optimise: true, single: false },
    Mode { name: "all+multi", optimise: false, single: false },
    Mode { name: "static+single", optimise: true, single: true },
    Mode { name: "all+single", optimise: false, single: true },
];

pub struct Peer {
    pub world: World,
    pub entities: Vec<Entity>,
    schedule: Schedule,
    all: QueryState<&'static mut Transform>,
}

fn transform(l: &Local) -> Transform {
    let mut t = Transform::from_xyz(l.position[0], l.position[1], l.position[2]);
    t.rotation.x = l.rotation[0];
    t.rotation.y = l.rotation[1];
    t.rotation.z = l.rotation[2];
    t.rotation.w = l.rotation[3];
    t
}

impl Peer {
    pub fn new(scene: &Scene, mode: Mode) -> Self {
        let mut world = World::new();
        world.insert_resource(if mode.optimise {
            StaticTransformOptimizations::Enabled
        } else {
            StaticTransformOptimizations::Disabled
        });
        let mut schedule = Schedule::default();
        if mode.single {
            schedule.set_executor(SingleThreadedExecutor::new());
        }
        schedule.add_systems((mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms).chain());
        let all = world.query::<&mut Transform>();
        let mut peer = Self { world, entities: Vec::new(), schedule, all };
        peer.entities.reserve(scene.entities());
        for _ in 0..scene.copies {
            let tree = peer.spawn_tree(&scene.parents, &scene.locals);
            peer.entities.extend(tree);
        }
        peer.sync();
        peer.frame_end();
        peer
    }

    pub fn spawn_tree(&mut self, parents: &[Option<usize>], locals: &[Local]) -> Vec<Entity> {
        let mut tree = Vec::with_capacity(parents.len());
        for (parent, local) in parents.iter().zip(locals) {
            let bundle = (transform(local), GlobalTransform::default(), TransformTreeChanged);
            let entity = match parent {
                None => self.world.spawn(bundle).id(),
                Some(p) => self.world.spawn((bundle, ChildOf(tree[*p]))).id(),
            };
            tree.push(entity);
        }
        tree
    }

    pub fn sync(&mut self) {
        self.schedule.run(&mut self.world);
    }

    /// What an app does between frames, not timed.
    pub fn frame_end(&mut self) {
        self.world.clear_trackers();
    }

    #[cfg(feature = "peer-threads")]
    pub fn move_all(&mut self) {
        self.all.par_iter_mut(&mut self.world).for_each(|mut t| t.translation.x += 0.001);
    }

    #[cfg(not(feature = "peer-threads"))]
    pub fn move_all(&mut self) {
        self.all.iter_mut(&mut self.world).for_each(|mut t| t.translation.x += 0.001);
    }

    pub fn move_some(&mut self, picks: &[usize]) {
        let picked = picks.iter().map(|&i| self.entities[i]);
        let mut all = self.all.iter_many_mut(&mut self.world, picked);
        while let Some(Ok(mut t)) = all.fetch_next() {
            t.translation.x += 0.001;
        }
    }

    pub fn set_parents(&mut self, moves: &[(usize, usize)]) {
        for &(entity, parent) in moves {
            let parent = self.entities[parent];
            self.world.entity_mut(self.entities[entity]).insert(ChildOf(parent));
        }
    }

    /// The x position of an entity in the world, to check that both sides did the same.
    pub fn world_position(&self, i: usize) -> [f32; 3] {
        self.world
            .get::<GlobalTransform>(self.entities[i])
            .map_or([f32::NAN; 3], |g| g.translation().to_array())
    }
}
