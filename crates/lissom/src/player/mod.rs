//! One character that plays clips of an archive: names in, poses and vertices out.
//!
//! A [`Player`] owns what playing needs (cursors, pose, matrices, buffers of vertices) and decides what a
//! [`MixJob`] then does: which clips, when, how much of each. Above it, graphs decide better; below it, the jobs are
//! there for who wants to hold every buffer.
//!
//! ```no_run
//! use lissom::prelude::*;
//!
//! let archive = Archive::open("hero.lsm")?;
//! let mut player = Player::new(&archive)?;
//! player.play("walk")?;
//! for _frame in 0..600 {
//!     player.update(1.0 / 60.0)?;
//!     for event in player.events() {
//!         println!("{}", event.marker.name);
//!     }
//!     for mesh in player.skin()? {
//!         println!("{}: {} vertices", mesh.name, mesh.positions.len());
//!     }
//! }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Cross-fades
//!
//! At most [`Player::MAX_PLAYING`] clips sound at once; a further one takes the place of the oldest. The newest leads:
//! its share grows from 0 to 1 over its fade, and what is left goes to the ones before it, in the same way. A clip
//! whose share has gone is dropped; one that is replaced without a fade passes nothing more. The first clip needs no
//! fade.
//!
//! # Which markers are told
//!
//! Those of every clip that sounds, the oldest clip's first, each clip's in the order in which they were passed, each
//! exactly once (see [`track`](crate::track)). An [`Event`] says its clip and its share, so that steps of a clip
//! that is fading out can be left away. [`Player::seek`] passes nothing, [`Player::scrub`] what lies on the way.

mod error;
mod library;
mod skins;
mod voice;

pub use error::PlayError;
pub use skins::SkinnedMesh;
pub use voice::{Event, PlayOptions};

use crate::{
    Skeleton,
    archive::{Archive, ArchiveError, SectionKind},
    job::{LocalToModelJob, Mix, MixEntry, MixJob, MixScratch, Models, SampleTime, Update},
    track::{Edges, TimeError, TrackValue},
};
use alloc::{sync::Arc, vec, vec::Vec};
use library::Library;
use lissom_math::{Mat4, soa::SoaTransform};
use skins::Skin;
use voice::Voice;

/// One character. Made once; after the first frame nothing is allocated, whatever is played.
#[derive(Clone, Debug)]
pub struct Player {
    skeleton: Arc<Skeleton>,
    library: Arc<Library>,
    /// The oldest first; the last one leads.
    voices: Vec<Voice>,
    paused: bool,
    mix: Mix,
    scratch: MixScratch,
    pose: Vec<SoaTransform>,
    models: Vec<Mat4>,
    skins: Vec<Skin>,
}

impl Player {
    /// The most clips that sound at once.
    pub const MAX_PLAYING: usize = 4;

    /// A character of the archive's only skeleton, in its rest pose, with all clips and meshes made for it.
    ///
    /// # Errors
    ///
    /// [`PlayError::Skeletons`] if there is none or more than one; what is wrong with a mesh, a track or markers.
    pub fn new(archive: &Archive) -> Result<Self, PlayError> {
        let mut names = archive.names(SectionKind::Skeleton);
        match (names.next(), names.next()) {
            (Some(only), None) => Self::of_skeleton(archive, only),
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
    pub fn of_skeleton(archive: &Archive, skeleton: &str) -> Result<Self, PlayError> {
        let skeleton = archive.skeleton(skeleton)?;
        let skins = skins::of(archive, &skeleton)?;
        let library = Library::new(archive, &skeleton, &skins)?;
        let mut player = Self {
            scratch: MixScratch::with_room_for(&skeleton, library.clips(), Self::MAX_PLAYING),
            pose: skeleton.rest_pose().to_vec(),
            models: vec![Mat4::IDENTITY; skeleton.joint_count()],
            voices: Vec::with_capacity(Self::MAX_PLAYING),
            paused: false,
            mix: Mix::EMPTY,
            library: Arc::new(library),
            skeleton,
            skins,
        };
        player.evaluate()?;
        Ok(player)
    }

    /// Plays a clip over and over, from its start, at once.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists what there is; [`PlayError::OtherSkeleton`]; what is wrong with the clip.
    pub fn play(&mut self, clip: &str) -> Result<(), PlayError> {
        self.play_with(clip, PlayOptions::default())
    }

    /// Plays a clip: at a speed, over and over or once or to and fro, faded in. The pose follows with the next
    /// [`update`](Player::update).
    ///
    /// # Errors
    ///
    /// Those of [`Player::play`]; a speed, start or fade that is NaN or infinite, or a negative fade.
    pub fn play_with(&mut self, clip: &str, options: PlayOptions) -> Result<(), PlayError> {
        let voice = Voice::new(&self.library, self.library.find(clip)?, options)?;
        if options.fade_s == 0.0 {
            // What they passed in the last frame can still be asked for.
            self.voices.iter_mut().for_each(|voice| voice.gone = true);
        }
        if self.voices.len() == Self::MAX_PLAYING {
            self.voices.remove(0);
        }
        self.voices.push(voice);
        Ok(())
    }

    /// Stops everything: the rest pose, with the next [`update`](Player::update).
    pub fn stop(&mut self) {
        self.voices.clear();
    }

    /// Time stands still while this is true.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// True if time stands still.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The speed of the leading clip; negative plays it backward.
    ///
    /// # Errors
    ///
    /// A speed that is NaN or infinite; [`PlayError::Silent`] if nothing plays.
    pub fn set_speed(&mut self, speed: f64) -> Result<(), PlayError> {
        voice::finite("speed", speed)?;
        self.voices.last_mut().ok_or(PlayError::Silent)?.speed = speed;
        Ok(())
    }

    /// Moves the leading clip to a time of its present lap, in seconds from its start. No marker is passed; the pose
    /// follows with the next [`update`](Player::update).
    ///
    /// # Errors
    ///
    /// A time that is NaN, infinite or too far; [`PlayError::Silent`] if nothing plays.
    pub fn seek(&mut self, time_s: f64) -> Result<(), PlayError> {
        let voice = self.voices.last_mut().ok_or(PlayError::Silent)?;
        voice.head = voice.timeline.seek(voice.head, time_s)?;
        Ok(())
    }

    /// Moves the leading clip to a time of its present lap, as one frame: the pose is that time's, and
    /// [`events`](Player::events) are the markers on the way there. The other clips, and fades, stand still.
    ///
    /// # Errors
    ///
    /// Those of [`Player::seek`].
    pub fn scrub(&mut self, time_s: f64) -> Result<(), PlayError> {
        let voice = self.voices.last().ok_or(PlayError::Silent)?;
        let to = voice.timeline.seek(voice.head, time_s)?;
        self.voices.retain(|voice| !voice.gone);
        let last = self.voices.len() - 1;
        for (i, voice) in self.voices.iter_mut().enumerate() {
            let to = if i == last { to } else { voice.head };
            voice.pass(voice.timeline.between(voice.head, to));
        }
        self.evaluate()
    }

    /// Goes on by so many seconds: pose, matrices, morph weights and events are then those of the new moment.
    ///
    /// # Errors
    ///
    /// A time that is negative, NaN or infinite, or too long for a clip's speed; nothing has then moved.
    pub fn update(&mut self, dt_s: f64) -> Result<(), PlayError> {
        if !(dt_s.is_finite() && dt_s >= 0.0) {
            let allowed = "finite, at least 0; a negative speed plays backward";
            return Err(TimeError { field: "dt_s", value: dt_s, allowed }.into());
        }
        let dt_s = if self.paused { 0.0 } else { dt_s };
        // All of them first: none moves if one cannot.
        for voice in &self.voices {
            voice.timeline.advance(voice.head, dt_s * voice.speed)?;
        }
        self.voices.retain(|voice| !voice.gone);
        for voice in &mut self.voices {
            let span = voice.timeline.advance(voice.head, dt_s * voice.speed)?;
            voice.pass(span);
            voice.age_s += dt_s;
        }
        self.evaluate()
    }

    /// Weights, then the pose and all that follows from it.
    fn evaluate(&mut self) -> Result<(), PlayError> {
        voice::share_out(&mut self.voices);
        self.mix = Mix::EMPTY;
        for voice in self.voices.iter().filter(|voice| voice.weight > 0.0) {
            let entry = MixEntry::new(voice.clip, SampleTime::Clamped(voice.time_s()), voice.weight);
            // There is room: fewer clips sound than a mix has entries.
            let _ = self.mix.push(entry);
        }
        MixJob {
            skeleton: &self.skeleton,
            clips: self.library.clips(),
            masks: &[],
            mix: &self.mix,
            lod: None,
            scratch: &mut self.scratch,
            output: &mut self.pose,
        }
        .run()?;
        LocalToModelJob {
            skeleton: &self.skeleton,
            locals: &self.pose,
            root: None,
            update: Update::All,
            lod: None,
            models: Models::Mat4(&mut self.models),
        }
        .run()?;
        for (index, skin) in self.skins.iter_mut().enumerate() {
            skin.weigh(&self.library, index, &self.voices);
        }
        Ok(())
    }

    /// True if nothing plays, or the leading clip is played once and has arrived.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.voices.last().is_none_or(Voice::is_over)
    }

    /// The name of the leading clip.
    #[must_use]
    pub fn playing(&self) -> Option<&str> {
        self.voices.last().map(|voice| self.library.name(voice.clip))
    }

    /// Where in the leading clip the character is, in seconds; 0 if nothing plays.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.voices.last().map_or(0.0, Voice::time_s)
    }

    /// The markers passed in the last frame; see [the module](self) for which and in what order.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.voices.iter().flat_map(|voice| voice.events(&self.library))
    }

    /// The value of a user track of the leading clip: `NAME` of what the archive calls `CLIP/NAME`.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists the clip's tracks; [`PlayError::Silent`] if nothing plays.
    pub fn track(&self, name: &str) -> Result<TrackValue, PlayError> {
        let voice = self.voices.last().ok_or(PlayError::Silent)?;
        Ok(self.library.track(voice.clip, name)?.view().sample(voice.ratio()))
    }

    /// Where a track of one number of the leading clip crossed a threshold in the last frame.
    ///
    /// # Errors
    ///
    /// Those of [`Player::track`].
    pub fn edges(&self, name: &str, threshold: f32) -> Result<Edges<'_>, PlayError> {
        let voice = self.voices.last().ok_or(PlayError::Silent)?;
        Ok(self.library.track(voice.clip, name)?.view().edges(threshold, &voice.span))
    }

    /// The skeleton.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// What was mixed in the last frame; the entries' numbers are places in [`Player::clip_names`].
    #[must_use]
    pub fn mix(&self) -> &Mix {
        &self.mix
    }

    /// The names of the clips that it can play.
    pub fn clip_names(&self) -> impl Iterator<Item = &str> {
        self.library.names()
    }

    /// The local pose of the last frame, in groups.
    #[must_use]
    pub fn pose(&self) -> &[SoaTransform] {
        &self.pose
    }

    /// The model-space matrices of the last frame, one a joint.
    #[must_use]
    pub fn models(&self) -> &[Mat4] {
        &self.models
    }

    /// The names of the meshes, in the order of [`Player::skin`].
    pub fn mesh_names(&self) -> impl Iterator<Item = &str> {
        self.skins.iter().map(Skin::name)
    }

    /// The weights of a mesh's morph targets in the last frame, in file order.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], which lists the meshes.
    pub fn morph_weights(&self, mesh: &str) -> Result<&[f32], PlayError> {
        Ok(self.skins[self.mesh(mesh)?].weights())
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
    /// [`ArchiveError::Missing`], which lists the meshes; those of [`Player::skin`].
    pub fn skin_mesh(&mut self, mesh: &str) -> Result<SkinnedMesh<'_>, PlayError> {
        let at = self.mesh(mesh)?;
        self.skins[at].run(&self.models)?;
        Ok(self.skins[at].skinned())
    }

    fn mesh(&self, name: &str) -> Result<usize, PlayError> {
        let found = self.mesh_names().position(|mesh| mesh == name);
        Ok(found.ok_or_else(|| ArchiveError::missing(SectionKind::Mesh, Some(name), self.mesh_names()))?)
    }
}
