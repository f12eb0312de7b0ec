//! The plugin: joints as entities, palettes, or neither.

use crate::{
    Options, Way,
    bevy::{app, finished, phase},
    measure::{Clock, Frames, resident_kb},
    rig::Rig,
};
use bevy_asset::{
    AssetApp, AssetPlugin, AssetServer, Handle,
    io::{
        AssetSourceBuilder, AssetSourceId,
        memory::{Dir, MemoryAssetReader},
    },
};
use bevy_ecs::prelude::*;
use bevy_lissom::{
    Character, LissomArchive, LissomPlugin, LissomSystems, PlaybackSpeed, Plays, SceneJoints, Skin,
    WeightedClip,
};
use bevy_transform::TransformPlugin;
use std::{path::Path, time::Instant};

/// What follows a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    Scene,
    Skin,
    Nothing,
}

pub fn way(name: &'static str, rig: &Rig, options: &Options, draws: Draws) -> Way {
    let mut app = app(options);
    let files = Dir::default();
    files.insert_asset(Path::new("hero.lsm"), rig.archive.clone());
    app.register_asset_source(
        AssetSourceId::Default,
        AssetSourceBuilder::new(move || Box::new(MemoryAssetReader { root: files.clone() })),
    );
    app.add_plugins((
        AssetPlugin::default(),
        TransformPlugin,
        LissomPlugin::default(),
        Clock::from(LissomSystems::Bind),
    ));
    let mut app = finished(app);
    let archive: Handle<LissomArchive> = app.world().resource::<AssetServer>().load("hero.lsm");
    while !app.world().resource::<AssetServer>().is_loaded_with_dependencies(&archive) {
        app.update();
    }
    let names: Vec<_> = (0..rig.joints()).map(|joint| (rig.name(joint), rig.rest(joint))).collect();
    let (before_kb, began) = (resident_kb(), Instant::now());
    for character in 0..options.characters {
        let half = |clip: usize| WeightedClip {
            laps: phase(character),
            ..WeightedClip::new(rig.motions[clip].name.clone(), 0.5)
        };
        let plays = Plays::clips(archive.clone(), [half(0), half(1)]);
        let root = app.world_mut().spawn(plays).id();
        let mut root_mut = app.world_mut().entity_mut(root);
        if options.idle {
            root_mut.insert(PlaybackSpeed(0.0));
        }
        match draws {
            Draws::Nothing => {}
            Draws::Skin => drop(root_mut.insert(Skin::new("body"))),
            Draws::Scene => {
                root_mut.insert(SceneJoints::default());
                let mut joints: Vec<Entity> = Vec::with_capacity(rig.joints());
                for (joint, (name, rest)) in names.iter().enumerate() {
                    let parent = rig.skeleton.joints[joint].parent.map_or(root, |parent| joints[parent]);
                    joints.push(app.world_mut().spawn((name.clone(), *rest, ChildOf(parent))).id());
                }
            }
        }
    }
    // They join in the next frame.
    app.update();
    let spawn_us = began.elapsed().as_secs_f64() * 1e6 / options.characters as f64;
    for _ in 0..5 {
        app.update();
    }
    let playing = app.world_mut().query::<&Character>().iter(app.world()).count();
    assert_eq!(playing, options.characters, "everybody plays");
    let resident_kb = (resident_kb() - before_kb) / options.characters as f64;
    Way { name, app, spawn_us, resident_kb, frames: Frames::default() }
}
