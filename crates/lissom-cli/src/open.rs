//! From a file to a stage: the clip asked for, its skeleton, and the meshes on it.

use crate::exactness::Exactness;
use crate::load::{Content, archived_clip, load};
use crate::options::Reading;
use crate::stage::{Skin, Stage, StageClip, any_tangents, cook};
use anyhow::{Context, Result};
use lissom::{
    Clip, Skeleton,
    archive::{Archive, Limits, SectionKind},
};
use lissom_build::{SkeletonBuilder, cook::ClipBuilder, import, mesh::Influences, scene::Scene};
use std::path::Path;

/// Opens a file for showing. The clip asked for comes first, after it up to `count` in all of the same skeleton, in
/// file order and round again. A file without clips has none; asking for one of them is an error.
pub(crate) fn open_stage(path: &Path, clip: Option<&str>, reading: &Reading, count: usize) -> Result<Stage> {
    let file = load(path, &reading.options()?)?;
    let any = !file.clip_names()?.is_empty();
    let chosen = if any || clip.is_some() { Some(file.choose_clip(clip)?) } else { None };
    let name = import::stem(path);
    let stage = match &file.content {
        Content::Scene(scene) => of_scene(name, scene, chosen, count),
        Content::Archive(bytes) => of_archive(name, &file.archive(bytes)?, chosen, count),
    };
    stage.with_context(|| path.display().to_string())
}

fn of_scene(name: String, scene: &Scene, chosen: Option<usize>, count: usize) -> Result<Stage> {
    let place = match chosen {
        None => 0,
        Some(i) => scene.animations[i].skeleton.with_context(|| {
            let clip = &scene.animations[i].motion.name;
            format!("clip {clip:?} has no skeleton in this file; name one with --skeleton FILE")
        })?,
    };
    let raw = scene.skeletons.get(place).context("there is no skeleton in this file")?.skeleton.clone();
    let built = SkeletonBuilder::build(&raw)?;
    let all = &scene.animations;
    let from = chosen.unwrap_or(0);
    let animations = (0..all.len())
        .map(|i| &all[(from + i) % all.len()])
        .filter(|a| a.skeleton == Some(place))
        .take(count);
    let exactness = Exactness::of(scene.height());
    let builder = exactness.builder(&ClipBuilder::default());
    let animations = animations.map(|a| {
        let joints = exactness.joints(a, &built);
        (ClipBuilder { joints, ..builder.clone() }, a.motion.clone())
    });
    let clips = cook(&built, animations.collect())?;
    let own = scene.meshes.iter().filter(|m| m.skeleton == place);
    let skins = own.map(|m| Skin::new(&m.mesh, &built)).collect::<Result<_>>()?;
    // A file that asks for each joint asks for the same of most: the widest and the farthest stand for all.
    let stated = all.get(from).map(|a| exactness.joints(a, &built)).unwrap_or_default();
    let widest = |v: &mut dyn Iterator<Item = f64>| v.max_by(f64::total_cmp);
    let precision = widest(&mut stated.iter().filter_map(|j| j.precision)).unwrap_or(builder.precision);
    let shell = widest(&mut stated.iter().filter_map(|j| j.shell)).unwrap_or(builder.shell);
    Ok(Stage { name, skeleton: built.skeleton, clips, skins, raw: Some(raw), precision, shell })
}

fn of_archive(name: String, archive: &Archive<'_>, chosen: Option<usize>, count: usize) -> Result<Stage> {
    let skeleton = match chosen {
        Some(clip) => archived_clip(archive, clip)?.skeleton,
        None => {
            let first = archive.sections().iter().find(|s| s.kind == SectionKind::Skeleton);
            first.context("there is no skeleton in this file")?.skeleton(&Limits::default())?
        }
    };
    let sections: Vec<_> = archive.sections().iter().filter(|s| s.kind == SectionKind::Clip).collect();
    let mut clips = Vec::new();
    for i in 0..sections.len() {
        let section = sections[(chosen.unwrap_or(0) + i) % sections.len()];
        let clip = Clip::from_bytes(section.payload).with_context(|| format!("clip {:?}", section.name))?;
        if clips.len() < count && clip.view().skeleton_identity() == skeleton.identity() {
            clips.push(StageClip { name: section.name.to_owned(), clip, source: None });
        }
    }
    let skins = skins(archive, &skeleton)?;
    let ClipBuilder { precision, shell, .. } = ClipBuilder::default();
    Ok(Stage { name, skeleton, clips, skins, raw: None, precision, shell })
}

/// The meshes on this skeleton.
fn skins(archive: &Archive<'_>, skeleton: &Skeleton) -> Result<Vec<Skin>> {
    let mut skins = Vec::new();
    for section in archive.sections().iter().filter(|s| s.kind == SectionKind::Mesh) {
        let mesh = section.mesh().with_context(|| format!("mesh {:?}", section.name))?;
        let same = mesh.inverse_binds.len() == skeleton.joint_count();
        if same && mesh.skeleton_identity == skeleton.identity() {
            skins.push(Skin {
                positions: mesh.positions.to_vec(),
                normals: mesh.normals.to_vec(),
                tangents: any_tangents(mesh.tangents, mesh.positions.len()),
                influences: Influences {
                    each: mesh.influences,
                    joints: mesh.joints.to_vec(),
                    weights: mesh.weights.to_vec(),
                },
                indices: mesh.indices.to_vec(),
                inverse_binds: mesh.inverse_binds.to_vec(),
            });
        }
    }
    Ok(skins)
}
