//! Bevy's transform propagation, done another way.
//!
//! ```text
//!  scan: which rows of Bevy's tables have new ticks?
//!    none  ──▶ done
//!    few   ──▶ climb from each to its root, marking the way  ──▶ from those roots down, along marks and below what moved
//!    many  ──▶ from every root down
//!  who has neither parent nor children ──▶ straight over its table
//! ```
//!
//! Nothing is kept from frame to frame, so spawning, despawning and new parents cost what they touch.
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

mod descend;

use bevy_app::{App, Plugin, PostStartup, PostUpdate};
use bevy_ecs::{
    change_detection::{ContiguousRef, Tick},
    prelude::*,
    schedule::{ScheduleCleanupPolicy, ScheduleError, ScheduleLabel},
};
use bevy_transform::{
    TransformSystems,
    components::{GlobalTransform, Transform, TransformTreeChanged},
    systems::{mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms},
};
use std::ops::Range;
use tracing::error;

/// For apps in which most of a scene stands still: propagates transforms instead of Bevy's own systems in
/// [`TransformSystems::Propagate`], after startup and in every frame. Where everything moves it is no faster, and up to a third slower:
/// stay with Bevy's own there.
///
/// ```
/// # use bevy_app::{App, TaskPoolPlugin};
/// # use bevy_lissom::LissomTransformPlugin;
/// # use bevy_transform::TransformPlugin;
/// // `DefaultPlugins` has the first two.
/// App::new().add_plugins((TaskPoolPlugin::default(), TransformPlugin, LissomTransformPlugin)).update();
/// ```
///
/// `GlobalTransform`s are those that Bevy would compute, and are marked changed exactly where they are new or another: Bevy marks
/// every root below which something changed. `StaticTransformOptimizations` is not asked: whether little or much changed is
/// seen. [`TransformTreeChanged`] is not marked.
#[derive(Clone, Copy, Debug, Default)]
pub struct LissomTransformPlugin;

impl Plugin for LissomTransformPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Marks>();
        for schedule in [PostStartup.intern(), PostUpdate.intern()] {
            app.add_systems(schedule, propagate.in_set(TransformSystems::Propagate));
        }
    }

    fn finish(&self, app: &mut App) {
        // Now every plugin has added its systems, and none has run.
        for schedule in [PostStartup.intern(), PostUpdate.intern()] {
            let only = ScheduleCleanupPolicy::RemoveSystemsOnly;
            let removed = [
                app.remove_systems_in_set(schedule, mark_dirty_trees, only),
                app.remove_systems_in_set(schedule, propagate_parent_transforms, only),
                app.remove_systems_in_set(schedule, sync_simple_transforms, only),
            ];
            if let Err(why) = removed.into_iter().collect::<Result<Vec<usize>, ScheduleError>>() {
                error!("Bevy's own transform propagation stays in {schedule:?}: {why}");
            }
        }
    }
}

/// Entities in trees.
type Nodes<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        Ref<'static, Transform>,
        Mut<'static, GlobalTransform>,
        Option<Ref<'static, ChildOf>>,
        Option<&'static Children>,
    ),
    (With<TransformTreeChanged>, Or<(With<ChildOf>, With<Children>)>),
>;

/// What is to be visited in this frame: marked entities, or all.
#[derive(Resource, Default, Debug)]
pub(crate) struct Marks {
    all: bool,
    /// By the entities' indices.
    words: Vec<u64>,
}

impl Marks {
    pub(crate) fn contains(&self, entity: Entity) -> bool {
        let index = entity.index_u32() as usize;
        self.all || self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// True if it was not marked.
    fn insert(&mut self, entity: Entity) -> bool {
        let index = entity.index_u32() as usize;
        if self.words.len() <= index / 64 {
            self.words.resize(index / 64 + 1, 0);
        }
        let (word, bit) = (&mut self.words[index / 64], 1 << (index % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn clear(&mut self) {
        self.all = false;
        self.words.fill(0);
    }
}

/// Where at least one in this number is new, everything is visited: to climb from each would cost more.
const MANY: usize = 4;

/// All of it.
pub(crate) fn propagate(
    mut nodes: Nodes,
    mut alone: Query<
        (Ref<Transform>, Mut<GlobalTransform>),
        (With<TransformTreeChanged>, Without<ChildOf>, Without<Children>),
    >,
    parents: Query<&ChildOf>,
    mut orphans: RemovedComponents<ChildOf>,
    mut marks: ResMut<Marks>,
    mut found: Local<Vec<Entity>>,
    mut roots: Local<Vec<Entity>>,
) {
    let mut new = 0;
    for (transforms, globals) in alone.contiguous_iter().expect(DENSE) {
        new += Ticks::new(&transforms, globals.added_ticks_slice(), &[]).count(0..transforms.len());
    }
    if new > 0 {
        alone.par_iter_mut().for_each(|(transform, mut global)| {
            if transform.is_changed() || global.is_added() {
                global.set_if_neq(GlobalTransform::from(*transform));
            }
        });
    }

    marks.clear();
    found.clear();
    roots.clear();
    for orphan in orphans.read() {
        if let Ok((transform, mut global)) = alone.get_mut(orphan) {
            global.set_if_neq(GlobalTransform::from(*transform));
        } else if nodes.contains(orphan) {
            // Who was despawned is left out: its index may be another's by now.
            found.push(orphan);
        }
    }
    let (mut rows, mut new) = (0, 0);
    for (entities, transforms, globals, child_of, _) in nodes.contiguous_iter().expect(DENSE) {
        let parents = child_of.as_ref().map_or(&[][..], ContiguousRef::changed_ticks_slice);
        rows += entities.len();
        new += Ticks::new(&transforms, globals.added_ticks_slice(), parents).count(0..entities.len());
    }
    if new == 0 && found.is_empty() {
        return;
    }
    marks.all = new * MANY >= rows;
    for (entities, transforms, globals, child_of, _) in nodes.contiguous_iter().expect(DENSE) {
        if !marks.all {
            let parents = child_of.as_ref().map_or(&[][..], ContiguousRef::changed_ticks_slice);
            Ticks::new(&transforms, globals.added_ticks_slice(), parents)
                .each(|row| found.push(entities[row]));
        } else if child_of.is_none() {
            roots.extend(entities);
        }
    }
    if !marks.all {
        for entity in &found {
            climb(*entity, &parents, &mut marks, &mut roots);
        }
    }
    descend::from_roots(&mut nodes, &marks, &roots);
}

const DENSE: &str = "transforms and parents lie in tables";

/// Marks the way from an entity to its root, as far as it is not marked.
fn climb(mut entity: Entity, parents: &Query<&ChildOf>, marks: &mut Marks, roots: &mut Vec<Entity>) {
    while marks.insert(entity) {
        let Ok(child_of) = parents.get(entity) else {
            roots.push(entity);
            return;
        };
        entity = child_of.parent();
    }
}

/// Ticks of a table's rows.
struct Ticks<'a> {
    columns: [&'a [Tick]; 3],
    last_run: Tick,
    this_run: Tick,
}

/// Rows that are looked at together.
const BLOCK: usize = 1024;

impl<'a> Ticks<'a> {
    /// When transforms changed, when globals were added, and when parents changed, where there are any.
    fn new(transforms: &ContiguousRef<'a, Transform>, globals: &'a [Tick], parents: &'a [Tick]) -> Self {
        Self {
            columns: [transforms.changed_ticks_slice(), globals, parents],
            last_run: transforms.last_run_tick(),
            this_run: transforms.this_run_tick(),
        }
    }

    fn is_new(&self, tick: Tick) -> bool {
        tick.is_newer_than(self.last_run, self.this_run)
    }

    /// How many ticks of these rows are new: no fewer than rows are.
    fn count(&self, rows: Range<usize>) -> usize {
        let column = |ticks: &&[Tick]| {
            let ticks = ticks.get(rows.clone()).unwrap_or_default();
            ticks.iter().filter(|tick| self.is_new(**tick)).count()
        };
        self.columns.iter().map(column).sum()
    }

    /// Every row that is new.
    fn each(&self, mut visit: impl FnMut(usize)) {
        let rows = self.columns[0].len();
        for start in (0..rows).step_by(BLOCK) {
            let block = start..rows.min(start + BLOCK);
            if self.count(block.clone()) == 0 {
                continue;
            }
            for row in block {
                if self.columns.iter().any(|ticks| ticks.get(row).is_some_and(|tick| self.is_new(*tick))) {
                    visit(row);
                }
            }
        }
    }
}
