//! The same worlds in Lissom.

use crate::scenes::{Local, Scene};
use lissom_math::{Quat, Qvs, Vec3};
use lissom_world::{Entity, Keep, Prefab, World, oracles::Algorithm};

pub struct Ours {
    pub world: World,
    pub entities: Vec<Entity>,
    picked: Vec<Entity>,
}

pub fn qvs(l: &Local) -> Qvs {
    Qvs {
        rotation: Quat::from_xyzw(l.rotation[0], l.rotation[1], l.rotation[2], l.rotation[3]),
        position: Vec3::new(l.position[0], l.position[1], l.position[2]),
        scale: 1.0,
    }
}

pub fn prefab(parents: &[Option<usize>], locals: &[Local]) -> Prefab {
    let locals: Vec<Qvs> = locals.iter().map(qvs).collect();
    Prefab::new(parents, &locals).expect("the scenes are sound")
}

impl Ours {
    pub fn new(scene: &Scene, algorithm: Algorithm, parallel: bool) -> Self {
        let mut world = World::new();
        world.set_algorithm(algorithm);
        world.set_parallel(parallel);
        let mut entities = Vec::new();
        if scene.copies > 1 {
            let prefab = prefab(&scene.parents, &scene.locals);
            world.spawn_prefab(&prefab, scene.copies, None, &mut entities).expect("room");
        } else {
            for (parent, local) in scene.parents.iter().zip(&scene.locals) {
                let parent = parent.map(|p| entities[p]);
                entities.push(world.spawn(parent, qvs(local)).expect("room"));
            }
        }
        world.sync();
        Self { world, entities, picked: Vec::new() }
    }

    pub fn move_all(&mut self) {
        self.world.update_locals(|_, l| l.position.x += 0.001).expect("finite");
    }

    pub fn move_some(&mut self, picks: &[usize]) {
        self.picked.clear();
        self.picked.extend(picks.iter().map(|&i| self.entities[i]));
        self.world.update_each(&self.picked, |_, l| l.position.x += 0.001).expect("alive");
    }

    pub fn set_parents(&mut self, moves: &[(usize, usize)]) {
        for &(entity, parent) in moves {
            let parent = self.entities[parent];
            self.world.set_parent(self.entities[entity], Some(parent), Keep::Local).expect("no cycle");
        }
    }

    pub fn world_position(&self, i: usize) -> [f32; 3] {
        self.world.transform(self.entities[i]).map_or([f32::NAN; 3], |w| w.position.to_array())
    }
}
