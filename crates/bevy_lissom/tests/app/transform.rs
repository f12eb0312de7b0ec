//! `LissomTransformPlugin` beside Bevy's own propagation.

use super::pools;
use bevy_app::{App, PostUpdate};
use bevy_ecs::prelude::*;
use bevy_lissom::LissomTransformPlugin;
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_transform::{
    TransformPlugin, TransformSystems,
    components::{GlobalTransform, Transform},
};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// What is there before anything happens.
#[derive(Clone, Copy, Debug)]
enum Start {
    Nothing,
    /// A root with so many children, every tenth of which has one too.
    Wide(usize),
    /// Roots with a child each.
    Forest(usize),
    Chain(usize),
}

#[derive(Clone, Copy, Debug)]
enum Change {
    /// Someone new, below another or not, with a transform or not.
    Spawn(Option<u16>, Option<Transform>),
    Move(u16, Transform),
    /// Marked changed, and not changed.
    Touch(u16),
    MoveAll,
    Adopt(u16, u16),
    Orphan(u16),
    /// With all that is below it.
    Despawn(u16),
}

fn transform() -> impl Strategy<Value = Transform> {
    let number = || -10.0f32..10.0;
    (
        prop::array::uniform3(number()),
        prop::array::uniform3(-3.0f32..3.0),
        prop::array::uniform3(0.25f32..3.0),
    )
        .prop_map(|(place, [x, y, z], scale)| Transform {
            translation: Vec3::from_array(place),
            rotation: Quat::from_euler(EulerRot::XYZ, x, y, z),
            scale: Vec3::from_array(scale),
        })
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![
        3 => Just(Start::Nothing),
        1 => (2_500usize..6_000).prop_map(Start::Wide),
        1 => (2_500usize..4_000).prop_map(Start::Forest),
        1 => (1usize..300).prop_map(Start::Chain),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let who = any::<u16>;
    prop_oneof![
        4 => (prop::option::weighted(0.8, who()), prop::option::weighted(0.9, transform()))
            .prop_map(|(parent, transform)| Change::Spawn(parent, transform)),
        4 => (who(), transform()).prop_map(|(who, to)| Change::Move(who, to)),
        1 => who().prop_map(Change::Touch),
        1 => Just(Change::MoveAll),
        3 => (who(), who()).prop_map(|(who, by)| Change::Adopt(who, by)),
        1 => who().prop_map(Change::Orphan),
        1 => who().prop_map(Change::Despawn),
    ]
}

/// A world that both get; entities are known by the order in which they were spawned.
struct Side {
    app: App,
    entities: Vec<Entity>,
}

/// Whose `GlobalTransform` was marked in the last frame.
#[derive(Resource, Default)]
struct Marked(HashSet<Entity>);

impl Side {
    fn new(ours: bool) -> Self {
        let mut app = App::new();
        app.add_plugins((pools(), TransformPlugin)).init_resource::<Marked>().add_systems(
            PostUpdate,
            (|all: Query<Entity, Changed<GlobalTransform>>, mut marked: ResMut<Marked>| {
                marked.0 = all.iter().collect();
            })
            .after(TransformSystems::Propagate),
        );
        if ours {
            app.add_plugins(LissomTransformPlugin);
        }
        app.finish();
        app.cleanup();
        Self { app, entities: Vec::new() }
    }

    fn spawn(&mut self, parent: Option<Entity>, transform: Option<Transform>) -> Entity {
        let mut new = self.app.world_mut().spawn_empty();
        if let Some(transform) = transform {
            new.insert(transform);
        }
        if let Some(parent) = parent {
            new.insert(ChildOf(parent));
        }
        let new = new.id();
        self.entities.push(new);
        new
    }

    fn start(&mut self, start: Start) {
        let step = Some(Transform::from_xyz(0.5, 1.0, -0.25).with_rotation(Quat::from_rotation_y(0.1)));
        match start {
            Start::Nothing => {}
            Start::Wide(children) => {
                let root = self.spawn(None, step);
                for child in 0..children {
                    let child_entity = self.spawn(Some(root), step);
                    if child % 10 == 0 {
                        self.spawn(Some(child_entity), step);
                    }
                }
            }
            Start::Forest(roots) => {
                for _ in 0..roots {
                    let root = self.spawn(None, step);
                    self.spawn(Some(root), step);
                }
            }
            Start::Chain(links) => {
                let mut last = None;
                for _ in 0..links {
                    last = Some(self.spawn(last, step));
                }
            }
        }
    }

    /// Somebody who is there.
    fn find(&self, who: u16) -> Option<Entity> {
        let at = usize::from(who) % self.entities.len().max(1);
        let entity = *self.entities.get(at)?;
        self.app.world().get_entity(entity).is_ok().then_some(entity)
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Spawn(parent, transform) => {
                let parent = parent.and_then(|parent| self.find(parent));
                self.spawn(parent, transform);
            }
            Change::Move(who, to) => {
                if let Some(who) = self.find(who) {
                    self.app.world_mut().entity_mut(who).insert(to);
                }
            }
            Change::Touch(who) => {
                let found = self.find(who);
                let world = self.app.world_mut();
                if let Some(mut transform) = found.and_then(|who| world.get_mut::<Transform>(who)) {
                    transform.set_changed();
                }
            }
            Change::MoveAll => {
                let mut all = self.app.world_mut().query::<&mut Transform>();
                all.iter_mut(self.app.world_mut()).for_each(|mut t| t.translation.x += 0.125);
            }
            Change::Adopt(who, by) => {
                let (Some(who), Some(by)) = (self.find(who), self.find(by)) else { return };
                let world = self.app.world_mut();
                let mut above = Some(by);
                while let Some(entity) = above {
                    if entity == who {
                        return;
                    }
                    above = world.get::<ChildOf>(entity).map(ChildOf::parent);
                }
                world.entity_mut(who).insert(ChildOf(by));
            }
            Change::Orphan(who) => {
                if let Some(who) = self.find(who) {
                    self.app.world_mut().entity_mut(who).remove::<ChildOf>();
                }
            }
            Change::Despawn(who) => {
                if let Some(who) = self.find(who) {
                    self.app.world_mut().entity_mut(who).despawn();
                }
            }
        }
    }

    fn global(&self, at: usize) -> Option<GlobalTransform> {
        self.app.world().get::<GlobalTransform>(self.entities[at]).copied()
    }

    /// The largest component on the way from an entity to its root.
    fn largest(&self, at: usize) -> f32 {
        let world = self.app.world();
        let (mut largest, mut above) = (0.0f32, Some(self.entities[at]));
        while let Some(entity) = above {
            let global = world.get::<GlobalTransform>(entity);
            let components = global.map(|global| global.affine().to_cols_array()).unwrap_or_default();
            largest = components.iter().fold(largest, |largest, component| largest.max(component.abs()));
            above = world.get::<ChildOf>(entity).map(ChildOf::parent);
        }
        largest
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn transforms_are_bevys_and_marked_exactly_where_they_changed(
        start in start(),
        frames in prop::collection::vec(prop::collection::vec(change(), 0..12), 1..10),
    ) {
        let (mut bevy, mut ours) = (Side::new(false), Side::new(true));
        bevy.start(start);
        ours.start(start);
        let mut before: HashMap<Entity, GlobalTransform> = HashMap::new();
        for changes in frames {
            for change in changes {
                bevy.apply(change);
                ours.apply(change);
            }
            bevy.app.update();
            ours.app.update();
            let marked = &ours.app.world().resource::<Marked>().0;
            let mut now = HashMap::new();
            for at in 0..ours.entities.len() {
                let (own, theirs) = (ours.global(at), bevy.global(at));
                prop_assert_eq!(own.is_some(), theirs.is_some());
                let (Some(own), Some(theirs)) = (own, theirs) else { continue };
                let [a, b] = [own, theirs].map(|global| global.affine().to_cols_array());
                let off = a.iter().zip(&b).fold(0.0f32, |off, (a, b)| off.max((a - b).abs()));
                prop_assert!(off <= 1e-6 * bevy.largest(at), "{}: {:?} is not {:?}", at, own, theirs);
                let entity = ours.entities[at];
                let moved = before.get(&entity) != Some(&own);
                prop_assert_eq!(marked.contains(&entity), moved, "{} is marked as it is not", at);
                now.insert(entity, own);
            }
            before = now;
        }
    }
}

#[test]
fn bevys_own_systems_are_gone_and_a_scene_that_stands_still_is_not_marked() {
    let mut ours = Side::new(true);
    ours.start(Start::Wide(3_000));
    ours.app.update();
    assert_eq!(ours.app.world().resource::<Marked>().0.len(), ours.entities.len());
    ours.app.update();
    assert!(ours.app.world().resource::<Marked>().0.is_empty());
    // Bevy would mark the root.
    ours.apply(Change::Move(7, Transform::from_xyz(1.0, 2.0, 3.0)));
    ours.app.update();
    assert_eq!(ours.app.world().resource::<Marked>().0, HashSet::from([ours.entities[7]]));
}
