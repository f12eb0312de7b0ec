//! Bevy's own animation: an entity a joint.

use crate::{
    Options, Way,
    measure::{Clock, Frames, resident_kb},
    rig::{MOTIONS, Rig},
};
use bevy_animation::{
    AnimatedBy, AnimationClip, AnimationPlayer, AnimationPlugin,
    graph::{AnimationGraph, AnimationGraphHandle},
};
use bevy_app::{AnimationSystems, App, TaskPoolOptions, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::{StaticTransformOptimizations, TransformPlugin, components::Transform};
use std::time::{Duration, Instant};

/// What every app of the bench has.
pub fn app(options: &Options) -> App {
    let mut pools = TaskPoolOptions::with_num_threads(options.threads + 2);
    pools.compute.min_threads = options.threads;
    pools.compute.max_threads = options.threads;
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin { task_pool_options: pools }, TimePlugin));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 60.0)));
    app
}

/// Ready: plugins have finished.
pub fn finished(mut app: App) -> App {
    app.finish();
    app.cleanup();
    app
}

/// Numbers that look random, the same in every way.
pub fn phase(character: usize) -> f64 {
    (character as f64 * 0.618_033_988_749_895).fract()
}

pub fn way(name: &'static str, rig: &Rig, options: &Options, optimised: bool) -> Way {
    let mut app = app(options);
    app.add_plugins((
        AssetPlugin::default(),
        TransformPlugin,
        AnimationPlugin,
        Clock::from(AnimationSystems),
    ));
    if !optimised {
        app.insert_resource(StaticTransformOptimizations::Disabled);
    }
    let mut app = finished(app);
    let mut graph = AnimationGraph::new();
    let blend = graph.add_blend(1.0, graph.root);
    let nodes: Vec<_> = (0..MOTIONS.len())
        .map(|motion| {
            let clip = app.world_mut().resource_mut::<Assets<AnimationClip>>().add(rig.clip(motion));
            graph.add_clip(clip, 0.5, blend)
        })
        .collect();
    let graph = app.world_mut().resource_mut::<Assets<AnimationGraph>>().add(graph);
    app.update();
    let targets: Vec<_> =
        (0..rig.joints()).map(|joint| (rig.name(joint), rig.target(joint), rig.rest(joint))).collect();
    let (before_kb, began) = (resident_kb(), Instant::now());
    for character in 0..options.characters {
        let mut player = AnimationPlayer::default();
        for (motion, node) in nodes.iter().enumerate() {
            let seconds = rig.motions[motion].duration_s * phase(character);
            let active = player.play(*node).repeat();
            active.seek_to(seconds as f32);
            if options.idle {
                active.pause();
            }
        }
        let root =
            app.world_mut().spawn((player, AnimationGraphHandle(graph.clone()), Transform::default())).id();
        let mut joints: Vec<Entity> = Vec::with_capacity(rig.joints());
        for (joint, (name, target, rest)) in targets.iter().enumerate() {
            let parent = rig.skeleton.joints[joint].parent.map_or(root, |parent| joints[parent]);
            let parts = (name.clone(), *target, AnimatedBy(root), *rest, ChildOf(parent));
            joints.push(app.world_mut().spawn(parts).id());
        }
    }
    let spawn_us = began.elapsed().as_secs_f64() * 1e6 / options.characters as f64;
    for _ in 0..5 {
        app.update();
    }
    let resident_kb = (resident_kb() - before_kb) / options.characters as f64;
    Way { name, app, spawn_us, resident_kb, frames: Frames::default() }
}
