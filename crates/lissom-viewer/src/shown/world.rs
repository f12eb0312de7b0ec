//! A world of things that turn, each carried by another: what is recomputed can be watched.

use crate::{failure::Failure, lines::Lines};
use lissom::math::{Quat, Qvs, Qvvs, Vec3};
use lissom_world::{Entity, Keep, SyncStats, World, WorldError};
use web_time::Instant;

/// Something in the world.
pub(crate) struct Thing {
    pub entity: Entity,
    pub name: String,
    /// Half of its side, in metres.
    size: f32,
    /// How fast it turns, in radians a second; 0: it stands.
    pub turns: f32,
    axis: Vec3,
    angle: f32,
    /// True if the last sync recomputed it.
    pub lit: bool,
}

/// Where something was, and how it had turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    parent: Option<Entity>,
    local: Qvs,
    axis: Vec3,
    angle: f32,
}

/// The world that the panel shows.
pub(crate) struct WorldScene {
    world: World,
    things: Vec<Thing>,
    pub stats: SyncStats,
    /// Seconds of a sync, a mean of the last ones.
    pub sync_s: f64,
    pub chosen: Option<usize>,
    /// What something that gets another parent keeps: its place, or its offset from the parent.
    pub keeps_place: bool,
}

impl WorldScene {
    /// A merry-go-round, a windmill, and a garden where nothing happens.
    pub fn new() -> Result<Self, Failure> {
        let mut made = Self {
            world: World::new(),
            things: Vec::new(),
            stats: SyncStats::default(),
            sync_s: 0.0,
            chosen: None,
            keeps_place: true,
        };
        made.furnish()?;
        made.update(0.0)?;
        Ok(made)
    }

    fn furnish(&mut self) -> Result<(), WorldError> {
        let (up, ahead) = (Vec3::Y, Vec3::Z);
        let at = Vec3::new;
        let round = self.add("merry-go-round", None, at(-2.2, 0.3, 0.0), 0.25, 0.5, up)?;
        for n in 0..4 {
            let angle = n as f32 * core::f32::consts::FRAC_PI_2;
            let place = at(libm::cosf(angle) * 1.5, 0.3, libm::sinf(angle) * 1.5);
            let cup = self.add(&format!("cup {}", n + 1), Some(round), place, 0.16, 1.4, up)?;
            self.add(&format!("rider {}", n + 1), Some(cup), at(0.3, 0.25, 0.0), 0.09, 0.0, up)?;
        }
        let mill = self.add("mill", None, at(2.2, 0.7, -0.8), 0.35, 0.0, up)?;
        let wheel = self.add("wheel", Some(mill), at(0.0, 0.8, 0.45), 0.12, 0.9, ahead)?;
        for n in 0..4 {
            let angle = n as f32 * core::f32::consts::FRAC_PI_2;
            let place = at(libm::cosf(angle) * 0.75, libm::sinf(angle) * 0.75, 0.1);
            self.add(&format!("sail {}", n + 1), Some(wheel), place, 0.14, 0.0, ahead)?;
        }
        let garden = self.add("garden", None, at(1.4, 0.05, 1.8), 0.1, 0.0, up)?;
        for n in 0..5 {
            let place = at(n as f32 * 0.55 - 1.1, 0.2, 0.3 * (n % 2) as f32);
            self.add(&format!("tree {}", n + 1), Some(garden), place, 0.15, 0.0, up)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: &str,
        parent: Option<Entity>,
        at: Vec3,
        size: f32,
        turns: f32,
        axis: Vec3,
    ) -> Result<Entity, WorldError> {
        let entity = self.world.spawn(parent, Qvs::from_position(at))?;
        self.things.push(Thing { entity, name: name.into(), size, turns, axis, angle: 0.0, lit: false });
        Ok(entity)
    }

    /// Turns what turns, and syncs.
    pub fn update(&mut self, dt_s: f64) -> Result<(), Failure> {
        let before = self.world.version();
        for thing in self.things.iter_mut().filter(|thing| thing.turns != 0.0 && dt_s > 0.0) {
            thing.angle = (thing.angle + thing.turns * dt_s as f32) % core::f32::consts::TAU;
            let rotation = Quat::from_axis_angle(thing.axis, thing.angle);
            self.world.update_local(thing.entity, |local| local.rotation = rotation)?;
        }
        let started = Instant::now();
        self.stats = self.world.sync();
        let took = started.elapsed().as_secs_f64();
        self.sync_s = if self.sync_s > 0.0 { self.sync_s * 0.9 + took * 0.1 } else { took };
        self.things.iter_mut().for_each(|thing| thing.lit = false);
        let things = &mut self.things;
        self.world.changed_since(before, |entity| {
            if let Some(thing) = things.iter_mut().find(|thing| thing.entity == entity) {
                thing.lit = true;
            }
        });
        Ok(())
    }

    fn place(&self, thing: usize) -> Result<Place, Failure> {
        let Thing { entity, axis, angle, .. } = self.things[thing];
        Ok(Place { parent: self.world.parent(entity)?, local: self.world.local(entity)?, axis, angle })
    }

    /// Gives something another parent, or none; where it was.
    pub fn put_under(&mut self, thing: usize, parent: Option<usize>) -> Result<Place, Failure> {
        let was = self.place(thing)?;
        let keep = if self.keeps_place { Keep::World } else { Keep::Local };
        let parent = parent.map(|parent| self.things[parent].entity);
        self.world.set_parent(self.things[thing].entity, parent, keep)?;
        // What it turns about is its own: it goes on from where it is.
        let local = self.world.local(self.things[thing].entity)?;
        let thing = &mut self.things[thing];
        let (axis, angle) = local.rotation.to_axis_angle();
        if thing.turns != 0.0 && angle.abs() > 1e-6 {
            (thing.axis, thing.angle) = (axis, angle);
        }
        Ok(was)
    }

    /// Puts something back; where it was.
    pub fn put_back(&mut self, thing: usize, place: Place) -> Result<Place, Failure> {
        let was = self.place(thing)?;
        let own = &mut self.things[thing];
        self.world.set_parent(own.entity, place.parent, Keep::Local)?;
        self.world.update_local(own.entity, |local| *local = place.local)?;
        (own.axis, own.angle) = (place.axis, place.angle);
        Ok(was)
    }

    pub fn things(&self) -> &[Thing] {
        &self.things
    }

    pub fn set_turns(&mut self, thing: usize, turns: f32) {
        self.things[thing].turns = turns;
    }

    /// Where something is, from its parent.
    pub fn position(&self, thing: usize) -> Result<Vec3, Failure> {
        Ok(self.world.local(self.things[thing].entity)?.position)
    }

    pub fn set_position(&mut self, thing: usize, position: Vec3) -> Result<(), Failure> {
        Ok(self.world.update_local(self.things[thing].entity, |local| local.position = position)?)
    }

    /// Everything as a list, parents first, each with how deep it is; what hangs on the same thing in the order in which it was made.
    pub fn rows(&self) -> Vec<(usize, usize)> {
        let parents: Vec<Option<Entity>> =
            self.things.iter().map(|thing| self.world.parent(thing.entity).ok().flatten()).collect();
        let mut rows = Vec::new();
        self.rows_below(None, 0, &parents, &mut rows);
        rows
    }

    fn rows_below(
        &self,
        above: Option<Entity>,
        depth: usize,
        parents: &[Option<Entity>],
        rows: &mut Vec<(usize, usize)>,
    ) {
        for thing in (0..parents.len()).filter(|thing| parents[*thing] == above) {
            rows.push((thing, depth));
            self.rows_below(Some(self.things[thing].entity), depth + 1, parents, rows);
        }
    }

    /// A ball that holds it.
    pub fn ball(&self) -> (Vec3, f32) {
        (Vec3::new(0.0, 0.8, 0.2), 3.4)
    }

    /// Boxes, and lines to what carries them.
    pub fn draw(&self, dark: bool, lines: &mut Lines) -> Result<(), Failure> {
        let still = if dark { [0.5, 0.6, 0.7, 1.0] } else { [0.35, 0.4, 0.45, 1.0] };
        for (index, thing) in self.things.iter().enumerate() {
            let place = self.world.transform(thing.entity)?;
            let color = if self.chosen == Some(index) {
                CHOSEN
            } else if thing.lit {
                LIT
            } else {
                still
            };
            boxed(&place, thing.size, color, lines);
            if let Some(parent) = self.world.parent_transform(thing.entity)? {
                let [r, g, b, _] = color;
                lines.add(parent.position, place.position, [r, g, b, 0.35]);
            }
        }
        Ok(())
    }
}

/// What was recomputed, and what is chosen; sRGB.
const LIT: [f32; 4] = [0.95, 0.6, 0.2, 1.0];
const CHOSEN: [f32; 4] = [0.35, 0.65, 1.0, 1.0];

/// A thing, as a box.
fn boxed(place: &Qvvs, size: f32, color: [f32; 4], lines: &mut Lines) {
    let side = |bit: bool| if bit { size } else { -size } * place.scale;
    let corner = |n: usize| {
        let at = Vec3::new(side(n & 1 != 0), side(n & 2 != 0), side(n & 4 != 0)) * place.stretch;
        place.position + place.rotation * at
    };
    lines.add_box(corner, color);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(scene: &WorldScene, name: &str) -> usize {
        scene.things.iter().position(|thing| thing.name == name).unwrap()
    }

    #[test]
    fn what_turns_and_what_it_carries_is_lit_and_nothing_else() {
        let mut scene = WorldScene::new().unwrap();
        scene.update(0.1).unwrap();
        for thing in &scene.things {
            let name = thing.name.split(' ').next().unwrap();
            let moves = ["merry-go-round", "cup", "rider", "wheel", "sail"].contains(&name);
            assert_eq!(thing.lit, moves, "{}", thing.name);
        }
        assert_eq!(scene.stats.changed, scene.things.iter().filter(|thing| thing.lit).count());
        scene.update(0.0).unwrap();
        assert!(scene.things.iter().all(|thing| !thing.lit), "at rest nothing is recomputed");
    }

    #[test]
    fn a_tree_that_is_put_on_the_merry_go_round_stays_where_it_is_and_then_goes_round() {
        let mut scene = WorldScene::new().unwrap();
        scene.update(0.7).unwrap();
        let (tree, round) = (thing(&scene, "tree 2"), thing(&scene, "merry-go-round"));
        let entity = scene.things[tree].entity;
        let place = |scene: &WorldScene| scene.world.transform(entity).unwrap().position;
        let before = place(&scene);
        scene.put_under(tree, Some(round)).unwrap();
        scene.update(0.0).unwrap();
        assert!(place(&scene).distance(before) < 1e-5);
        assert_eq!(scene.rows().iter().find(|row| row.0 == tree), Some(&(tree, 1)));
        scene.update(1.0).unwrap();
        assert!(scene.things[tree].lit && place(&scene).distance(before) > 0.1);
        // What carries it cannot be carried by it.
        let refused = scene.put_under(round, Some(tree)).unwrap_err().to_string();
        assert!(!refused.is_empty());
        scene.keeps_place = false;
        let offset = scene.position(tree).unwrap();
        scene.put_under(tree, None).unwrap();
        scene.update(0.0).unwrap();
        assert!(place(&scene).distance(offset) < 1e-6);
        assert_eq!(scene.rows().len(), scene.things.len());
    }
}
