//! Scenes as sections: what belongs together is found again by name and identity (`FORMAT.md`).

use super::{ArchiveWriteError, ArchiveWriter, save::clip_version};
use crate::{
    BuiltSkeleton,
    import::UniqueNames,
    raw::RawUserTrack,
    scene::{Scene, SceneMesh},
};
use lissom::archive::{CLIP_ADDITIVE, SectionKind};
use std::collections::{BTreeMap, BTreeSet};

/// Gives clips, meshes and tracks of all scenes names that can stand in one archive. What is renamed is named in a
/// warning of its scene; tracks of morph weights follow their mesh, graphs their clips. `stem` stands in for a mesh's missing name.
pub fn settle_names<'a>(scenes: impl IntoIterator<Item = (&'a str, &'a mut Scene)>) {
    let (mut clips, mut meshes, mut tracks) =
        (UniqueNames::default(), UniqueNames::default(), UniqueNames::default());
    for (stem, scene) in scenes {
        let mut notes = Vec::new();
        let mut renamed = BTreeMap::new();
        for animation in &mut scene.animations {
            let name = &mut animation.motion.name;
            let was = name.clone();
            settle(&mut clips, name, "clip", &mut notes);
            if *name != was {
                // Of clips that share a name, a graph means the first.
                renamed.entry(was).or_insert_with(|| name.clone());
            }
        }
        scene.graphs.iter_mut().for_each(|graph| graph.parts.rename_clips(|clip| renamed.get(clip).cloned()));
        settle_meshes(scene, stem, &mut meshes, &mut notes);
        for (index, track) in scene.tracks.iter_mut().enumerate() {
            if track.name.is_empty() {
                track.name = format!("{stem}_{index}");
            }
            settle(&mut tracks, &mut track.name, "track", &mut notes);
        }
        for animation in &mut scene.animations {
            let mut own = UniqueNames::default();
            for (index, track) in animation.tracks.iter_mut().enumerate() {
                if track.name.is_empty() {
                    track.name = index.to_string();
                }
                settle(&mut own, &mut track.name, "track", &mut notes);
            }
        }
        notes.into_iter().for_each(|(place, text)| scene.warn(place, text));
    }
}

fn settle(names: &mut UniqueNames, name: &mut String, what: &str, notes: &mut Vec<(String, String)>) {
    let given = names.give(name);
    if given != *name {
        notes.push((format!("{what} {name:?}"), format!("this name is taken; it is now {given:?}")));
        *name = given;
    }
}

fn settle_meshes(scene: &mut Scene, stem: &str, names: &mut UniqueNames, notes: &mut Vec<(String, String)>) {
    let before: Vec<String> = scene.meshes.iter().map(|m| m.mesh.name.clone()).collect();
    for (index, SceneMesh { mesh, .. }) in scene.meshes.iter_mut().enumerate() {
        let was = mesh.name.clone();
        if mesh.name.is_empty() {
            mesh.name = stem.to_owned();
        }
        // Primitives of one mesh share its name: that they are apart now is nothing to warn of.
        let primitive = before.iter().take(index).any(|n| *n == was);
        let mut silent = Vec::new();
        settle(names, &mut mesh.name, "mesh", if primitive { &mut silent } else { notes });
        if mesh.name == was {
            continue;
        }
        // Meshes of the same name share their weights; the last of them takes the track, the others a copy.
        let last = !before.iter().skip(index + 1).any(|n| *n == was);
        let (from, to) = (format!("morph/{was}/"), format!("morph/{}/", mesh.name));
        for animation in &mut scene.animations {
            let mut copies = Vec::new();
            for track in &mut animation.tracks {
                let Some(target) = track.name.strip_prefix(&from) else { continue };
                let name = format!("{to}{target}");
                let shared = before.iter().filter(|n| **n == was).count() > 1;
                if last && !shared {
                    track.name = name;
                } else {
                    copies.push(RawUserTrack { name, ..track.clone() });
                }
            }
            animation.tracks.extend(copies);
        }
    }
}

/// Collects scenes for one archive. Equal skeletons are stored once.
#[derive(Clone, Debug, Default)]
pub struct SceneWriter {
    writer: ArchiveWriter,
    skeletons: BTreeSet<u64>,
    names: UniqueNames,
    materials: UniqueNames,
    images: UniqueNames,
    extras: UniqueNames,
    graphs: UniqueNames,
}

impl SceneWriter {
    /// Without scenes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a scene whose names [`settle_names`] has settled. `skeletons` are those of the scene, built; `clips`
    /// the bytes of its animations, cooked, in their order. `stem` stands in for a skeleton's missing name.
    ///
    /// # Errors
    ///
    /// What [`ArchiveWriter`] refuses; the writer is then unchanged.
    pub fn add(
        &mut self,
        stem: &str,
        scene: &Scene,
        skeletons: &[BuiltSkeleton],
        clips: Vec<Vec<u8>>,
    ) -> Result<(), ArchiveWriteError> {
        let mut writer = ArchiveWriter::new();
        let mut identities = self.skeletons.clone();
        for (own, built) in scene.skeletons.iter().zip(skeletons) {
            if identities.insert(built.skeleton.identity()) {
                let name = self.names.give(if own.name.is_empty() { stem } else { &own.name });
                writer = writer.skeleton(&name, &built.skeleton)?.nodes(&name, &own.nodes, built)?;
            }
        }
        for (name, json) in [("asset", &scene.asset), ("scene", &scene.extras)] {
            if !json.is_empty() {
                writer = writer.extras(&self.extras.give(name), json)?;
            }
        }
        let mut images = Vec::with_capacity(scene.images.len());
        for (index, image) in scene.images.iter().enumerate() {
            let name = if image.name.is_empty() { format!("{stem}_{index}") } else { image.name.clone() };
            images.push(self.images.give(&name));
            writer = writer.image(images.last().map_or("", String::as_str), image)?;
        }
        let mut materials = Vec::with_capacity(scene.materials.len());
        for (index, material) in scene.materials.iter().enumerate() {
            let own = &material.name;
            let name = if own.is_empty() { format!("{stem}_{index}") } else { own.clone() };
            materials.push(self.materials.give(&name));
            writer = writer.material(materials.last().map_or("", String::as_str), material, &images)?;
        }
        for mesh in &scene.meshes {
            let Some(built) = skeletons.get(mesh.skeleton) else { continue };
            let material = mesh.material.and_then(|m| materials.get(m)).map_or("", String::as_str);
            writer = writer.scene_mesh(mesh, built, material)?;
            for morph in &mesh.morphs {
                writer = writer.morph(&mesh.mesh, morph)?;
            }
        }
        for (animation, bytes) in scene.animations.iter().zip(clips) {
            let clip = &animation.motion.name;
            let flags = if animation.motion.additive { CLIP_ADDITIVE } else { 0 };
            writer = writer.section(SectionKind::Clip, clip_version(&bytes), flags, clip, bytes)?;
            for track in &animation.tracks {
                writer = writer.track(&storable(track, format!("{clip}/{}", track.name)))?;
            }
            writer = writer.markers(clip, &animation.markers)?;
            writer = writer.extras(&format!("clip/{clip}"), &animation.extras)?;
        }
        for track in &scene.tracks {
            writer = writer.track(&storable(track, track.name.clone()))?;
        }
        for graph in &scene.graphs {
            writer = writer.graph(&self.graphs.give(&graph.name), &graph.parts)?;
        }
        self.writer.append(writer)?;
        self.skeletons = identities;
        Ok(())
    }

    /// Adds a section as it stands: a graph, a kind of the future.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn carry(
        &mut self,
        kind: SectionKind,
        version: u16,
        flags: u16,
        name: &str,
        payload: &[u8],
    ) -> Result<(), ArchiveWriteError> {
        let section = ArchiveWriter::new().section(kind, version, flags, name, payload.to_vec())?;
        self.writer.append(section)
    }

    /// The archive.
    #[must_use]
    pub fn finish(self) -> ArchiveWriter {
        self.writer
    }
}

/// The track with keys that can be told apart in f32: of those that cannot, the last stays.
fn storable(track: &RawUserTrack, name: String) -> RawUserTrack {
    let mut keys: Vec<crate::raw::UserKey> = Vec::with_capacity(track.keys.len());
    for key in &track.keys {
        if keys.last().is_some_and(|before| before.ratio as f32 >= key.ratio as f32) {
            keys.pop();
        }
        keys.push(*key);
    }
    RawUserTrack { name, kind: track.kind, keys }
}
