//! What a character is, whoever decides: clips, a pose, matrices, meshes.

use super::{
    PlayError,
    library::Library,
    skins::{self, Skin, SkinnedMesh},
};
use crate::{
    Clip, JointLod, Skeleton,
    archive::{Archive, ArchiveError, SectionKind},
    job::{JobError, LocalToModelJob, Mix, MixJob, MixScratch},
    pose::Pose,
    track::{MarkersView, Track, TrackView},
};
use alloc::{sync::Arc, vec, vec::Vec};
use lissom_math::{
    Mat4,
    soa::{Lanes, SoaTransform},
};

/// How much of a clip is seen, for what goes along with it: the weights of morph targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipShare {
    /// Its place in [`Body::clips`].
    pub clip: usize,
    /// Where it is, as a share of its length.
    pub ratio: f64,
    /// How much of it, against the others.
    pub weight: f32,
}

/// One character without a will: it shows the [`Mix`] that it is given. A [`Player`](super::Player) decides
/// by names and fades, a graph by its states.
#[derive(Clone, Debug)]
pub struct Body {
    skeleton: Arc<Skeleton>,
    library: Arc<Library>,
    mix: Mix,
    scratch: MixScratch,
    pose: Vec<SoaTransform>,
    models: Vec<Mat4>,
    /// True while all matrices follow from the pose: a change then costs what hangs on the joints that it changes.
    in_step: bool,
    /// The joints that it has; `None`: all.
    lod: Option<JointLod>,
    skins: Vec<Skin>,
}

impl Body {
    /// A character of the archive's only skeleton, in its rest pose, with all clips and meshes made for it,
    /// and buffers for mixes of this number of entries.
    ///
    /// # Errors
    ///
    /// [`PlayError::Skeletons`] if there is none or more than one; what is wrong with a mesh, a track or
    /// markers.
    pub fn new(archive: &Archive, entries: usize) -> Result<Self, PlayError> {
        let mut names = archive.names(SectionKind::Skeleton);
        match (names.next(), names.next()) {
            (Some(only), None) => Self::of_skeleton(archive, only, entries),
            _ => {
                Err(PlayError::Skeletons { known: ArchiveError::known(archive.names(SectionKind::Skeleton)) })
            }
        }
    }

    /// A character of the skeleton of this name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`]; what is wrong with the skeleton, a mesh, a track or markers.
    pub fn of_skeleton(archive: &Archive, skeleton: &str, entries: usize) -> Result<Self, PlayError> {
        let skeleton = archive.skeleton(skeleton)?;
        let skins = skins::of(archive, &skeleton)?;
        let library = Library::new(archive, &skeleton, &skins)?;
        let mut body = Self {
            scratch: MixScratch::with_room_for(&skeleton, library.clips(), entries),
            pose: skeleton.rest_pose().to_vec(),
            models: vec![Mat4::IDENTITY; skeleton.joint_count()],
            in_step: false,
            mix: Mix::EMPTY,
            lod: None,
            library: Arc::new(library),
            skeleton,
            skins,
        };
        body.show(Mix::EMPTY, &[], core::iter::empty())?;
        Ok(body)
    }

    /// Takes the pose of a mix, the matrices that follow from it, and the weights of morph targets: those of
    /// the clips by their shares. `masks` are those of a [`MixJob`].
    ///
    /// # Errors
    ///
    /// Those of a [`MixJob`]; nothing has then changed.
    pub fn show(
        &mut self,
        mix: Mix,
        masks: &[Lanes],
        shares: impl Iterator<Item = ClipShare> + Clone,
    ) -> Result<(), PlayError> {
        self.show_changed(mix, masks, shares, |_| Ok(()))
    }

    /// The same, with the pose changed before the matrices follow from it: by inertia, IK, or whatever else.
    ///
    /// # Errors
    ///
    /// Those of a [`MixJob`]; nothing has then changed. What `change` says: the pose is then shown as `change` left it.
    pub fn show_changed(
        &mut self,
        mix: Mix,
        masks: &[Lanes],
        shares: impl Iterator<Item = ClipShare> + Clone,
        change: impl FnOnce(&mut Pose<'_>) -> Result<(), JobError>,
    ) -> Result<(), PlayError> {
        MixJob {
            skeleton: &self.skeleton,
            clips: self.library.clips(),
            decoded: &[],
            masks,
            mix: &mix,
            lod: self.lod.as_ref(),
            scratch: &mut self.scratch,
            output: &mut self.pose,
        }
        .run()?;
        self.mix = mix;
        self.in_step = false;
        for (index, skin) in self.skins.iter_mut().enumerate() {
            skin.weigh(|clip, target| self.library.morph(clip, index, target), shares.clone());
        }
        self.change(change)
    }

    /// Changes the pose that is shown, and makes the matrices that follow from it. Of a pose that is shown, matrices are made again only
    /// for what hangs on a joint that was changed.
    ///
    /// # Errors
    ///
    /// What `change` says: the pose is then shown as `change` left it.
    pub fn change<R>(
        &mut self,
        change: impl FnOnce(&mut Pose<'_>) -> Result<R, JobError>,
    ) -> Result<R, PlayError> {
        let (skeleton, lod) = (&self.skeleton, self.lod.as_ref());
        let mut pose = if self.in_step {
            Pose::in_step(skeleton, &mut self.pose, &mut self.models, lod)?
        } else {
            Pose::new(skeleton, &mut self.pose, &mut self.models, lod)?
        };
        let changed = change(&mut pose);
        pose.finish()?;
        self.in_step = true;
        Ok(changed?)
    }

    /// The pose of a mix, without showing it.
    ///
    /// # Errors
    ///
    /// Those of a [`MixJob`].
    pub fn pose_of(
        &mut self,
        mix: &Mix,
        masks: &[Lanes],
        output: &mut [SoaTransform],
    ) -> Result<(), PlayError> {
        let (skeleton, clips) = (&self.skeleton, self.library.clips());
        let scratch = &mut self.scratch;
        MixJob { skeleton, clips, decoded: &[], masks, mix, lod: None, scratch, output }.run()?;
        Ok(())
    }

    /// Makes the matrices of the pose: after it was changed by [`Body::pose_mut`].
    ///
    /// # Errors
    ///
    /// None: the buffers are its own.
    pub fn pose_to_models(&mut self) -> Result<(), PlayError> {
        self.in_step = false;
        self.change(|_| Ok(()))
    }

    /// The skeleton.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// What was shown last.
    #[must_use]
    pub fn mix(&self) -> &Mix {
        &self.mix
    }

    /// The clips that it can show; a mix names them by number.
    #[must_use]
    pub fn clips(&self) -> &[Clip] {
        self.library.clips()
    }

    /// Their names.
    pub fn clip_names(&self) -> impl Iterator<Item = &str> {
        self.library.names()
    }

    /// The number of the clip of this name; the last part of a name is enough
    /// ([`clip_called`](crate::archive::clip_called)).
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists what there is; [`PlayError::OtherSkeleton`]; what is wrong with
    /// the clip.
    pub fn clip(&self, name: &str) -> Result<usize, PlayError> {
        self.library.find(name)
    }

    /// The markers of a clip; `None` if it has none, or there is no such clip.
    #[must_use]
    pub fn markers(&self, clip: usize) -> Option<MarkersView<'_>> {
        self.library.markers(clip).map(|markers| markers.view())
    }

    /// A user track of a clip: `NAME` of what the archive calls `CLIP/NAME`.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists the clip's tracks.
    pub fn track(&self, clip: usize, name: &str) -> Result<TrackView<'_>, PlayError> {
        Ok(self.library.track(clip, name)?.view())
    }

    /// The same, to keep, and without an error: `None` if there is none.
    #[must_use]
    pub fn find_track(&self, clip: usize, name: &str) -> Option<&Track> {
        self.library.find_track(clip, name)
    }

    /// The local pose, in groups.
    #[must_use]
    pub fn pose(&self) -> &[SoaTransform] {
        &self.pose
    }

    /// The local pose, to be written as a whole; then [`Body::pose_to_models`]. For single joints and IK: [`Body::change`].
    pub fn pose_mut(&mut self) -> &mut [SoaTransform] {
        self.in_step = false;
        &mut self.pose
    }

    /// The model-space matrices, one a joint.
    #[must_use]
    pub fn models(&self) -> &[Mat4] {
        &self.models
    }

    /// The model-space matrices, to be changed: they are made anew with the next pose.
    pub fn models_mut(&mut self) -> &mut [Mat4] {
        self.in_step = false;
        &mut self.models
    }

    /// How detailed it is; `None` for all joints. Joints outside the level keep their matrices; meshes move
    /// them with the nearest joint above them that it has.
    ///
    /// # Errors
    ///
    /// A level that was made for another skeleton; nothing has then changed.
    pub fn set_lod(&mut self, lod: Option<JointLod>) -> Result<(), PlayError> {
        let job = LocalToModelJob::new(&self.skeleton, &self.pose, &mut self.models);
        LocalToModelJob { lod: lod.as_ref(), ..job }.validate()?;
        let nearest = |lod: &JointLod, joint| lod.nearest(&self.skeleton, joint).unwrap_or(joint) as u16;
        let moved_by = lod
            .as_ref()
            .map(|lod| (0..self.skeleton.joint_count()).map(|joint| nearest(lod, joint)).collect());
        self.skins.iter_mut().for_each(|skin| skin.set_moved_by(moved_by.clone()));
        self.lod = lod;
        self.in_step = false;
        Ok(())
    }

    /// The joints that it has; `None`: all.
    #[must_use]
    pub fn lod(&self) -> Option<&JointLod> {
        self.lod.as_ref()
    }

    /// The names of the meshes, in the order of [`Body::skin`].
    pub fn mesh_names(&self) -> impl Iterator<Item = &str> {
        self.skins.iter().map(Skin::name)
    }

    /// The weights of a mesh's morph targets, in file order.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists the meshes.
    pub fn morph_weights(&self, mesh: &str) -> Result<&[f32], PlayError> {
        Ok(self.skins[self.mesh(mesh)?].weights())
    }

    /// The weights of all morph targets, one list per mesh in the order of [`Body::mesh_names`].
    pub fn morphs(&self) -> impl Iterator<Item = &[f32]> {
        self.skins.iter().map(Skin::weights)
    }

    /// The same, to be set: as they stay until the next [`Body::show`].
    pub fn morphs_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.skins.iter_mut().map(Skin::weights_mut)
    }

    /// The weights that a mesh's morph targets would have if clips had these shares, in file order: as many
    /// as there are, or as there is room for. The mesh by its place in [`Body::mesh_names`]; one that is
    /// not there has no targets.
    pub fn weigh_morphs(
        &self,
        mesh: usize,
        shares: impl Iterator<Item = ClipShare> + Clone,
        weights: &mut [f32],
    ) {
        if let Some(skin) = self.skins.get(mesh) {
            skin.weigh_into(|clip, target| self.library.morph(clip, mesh, target), shares, weights);
        }
    }

    /// The palette of a mesh, for skinning elsewhere: joint matrix · inverse bind matrix.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists the meshes.
    pub fn palette(&mut self, mesh: &str) -> Result<&[Mat4], PlayError> {
        let at = self.mesh(mesh)?;
        self.skins[at].palette(&self.models)
    }

    /// The palette of a mesh for other matrices, one a joint: those of the frame before, for motion vectors.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists the meshes; too few matrices.
    pub fn palette_of(&mut self, mesh: &str, models: &[Mat4]) -> Result<&[Mat4], PlayError> {
        let at = self.mesh(mesh)?;
        self.skins[at].palette(models)
    }

    /// Moves the vertices of all meshes: morph targets, then joints.
    ///
    /// # Errors
    ///
    /// None for what an archive gives; those of [`SkinJob`](crate::job::SkinJob) otherwise.
    pub fn skin(&mut self) -> Result<impl Iterator<Item = SkinnedMesh<'_>>, PlayError> {
        for skin in &mut self.skins {
            skin.run(&self.models)?;
        }
        Ok(self.skins.iter().map(Skin::skinned))
    }

    /// Moves the vertices of one mesh.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists the meshes; those of [`Body::skin`].
    pub fn skin_mesh(&mut self, mesh: &str) -> Result<SkinnedMesh<'_>, PlayError> {
        let at = self.mesh(mesh)?;
        self.skins[at].run(&self.models)?;
        Ok(self.skins[at].skinned())
    }

    fn mesh(&self, name: &str) -> Result<usize, PlayError> {
        let found = self.mesh_names().position(|mesh| mesh == name);
        Ok(found.ok_or_else(|| ArchiveError::missing(SectionKind::Mesh, Some(name), self.mesh_names()))?)
    }

    pub(super) fn library(&self) -> &Library {
        &self.library
    }
}
