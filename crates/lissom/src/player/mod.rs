//! One character that plays clips of an archive: names in, poses and vertices out.
//!
//! A [`Body`] owns what playing needs (cursors, pose, matrices, buffers of vertices) and shows the [`Mix`]
//! that it is given; a [`Player`] decides which: which clips, when, how much of each. Graphs decide better,
//! for the same body; below it, the jobs are there for who wants to hold every buffer.
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
//! At most [`Player::MAX_PLAYING`] clips sound at once; a further one takes the place of the oldest. The
//! newest leads: its share grows from 0 to 1 over its fade, and what is left goes to the ones before it, in
//! the same way. A clip whose share has gone is dropped; one that is replaced without a fade passes nothing
//! more. The first clip needs no fade.
//!
//! # Which markers are told
//!
//! Those of every clip that sounds, the oldest clip's first, each clip's in the order in which they were
//! passed, each exactly once (see [`track`](crate::track)). An [`Event`] says its clip and its share, so that
//! steps of a clip that is fading out can be left away. [`Player::seek`] passes nothing, [`Player::scrub`]
//! what lies on the way.

mod body;
mod error;
mod library;
mod skins;
mod voice;

pub use body::{Body, ClipShare};
pub use error::PlayError;
pub use skins::SkinnedMesh;
pub use voice::{Event, PlayOptions};

use crate::{
    Skeleton,
    archive::Archive,
    job::{JobError, Mix, MixEntry, SampleTime},
    pose::Pose,
    track::{Edges, TimeError, TrackValue},
};
use alloc::{sync::Arc, vec::Vec};
use lissom_math::{Mat4, soa::SoaTransform};
use voice::Voice;

/// One character. Made once; after the first frame nothing is allocated, whatever is played.
#[derive(Clone, Debug)]
pub struct Player {
    body: Body,
    /// The oldest first; the last one leads.
    voices: Vec<Voice>,
    paused: bool,
}

impl Player {
    /// The most clips that sound at once.
    pub const MAX_PLAYING: usize = 4;

    /// A character of the archive's only skeleton, in its rest pose, with all clips and meshes made for it.
    ///
    /// # Errors
    ///
    /// [`PlayError::Skeletons`] if there is none or more than one; what is wrong with a mesh, a track or
    /// markers.
    pub fn new(archive: &Archive) -> Result<Self, PlayError> {
        Ok(Self::of_body(Body::new(archive, Self::MAX_PLAYING)?))
    }

    /// A character of the skeleton of this name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`](crate::archive::ArchiveError::Missing); what is wrong with the skeleton, a
    /// mesh, a track or markers.
    pub fn of_skeleton(archive: &Archive, skeleton: &str) -> Result<Self, PlayError> {
        Ok(Self::of_body(Body::of_skeleton(archive, skeleton, Self::MAX_PLAYING)?))
    }

    fn of_body(body: Body) -> Self {
        Self { body, voices: Vec::with_capacity(Self::MAX_PLAYING), paused: false }
    }

    /// Plays a clip over and over, from its start, at once.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`](crate::archive::ArchiveError::Missing), which lists what there is;
    /// [`PlayError::OtherSkeleton`]; what is wrong with the clip.
    pub fn play(&mut self, clip: &str) -> Result<(), PlayError> {
        self.play_with(clip, PlayOptions::default())
    }

    /// Plays a clip: at a speed, over and over or once or to and fro, faded in. The pose follows with the
    /// next [`update`](Player::update).
    ///
    /// # Errors
    ///
    /// Those of [`Player::play`]; a speed, start or fade that is NaN or infinite, or a negative fade.
    pub fn play_with(&mut self, clip: &str, options: PlayOptions) -> Result<(), PlayError> {
        let clip = self.body.clip(clip)?;
        let voice = Voice::new(self.body.library(), clip, options)?;
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

    /// Moves the leading clip to a time of its present lap, in seconds from its start. No marker is passed;
    /// the pose follows with the next [`update`](Player::update).
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
        self.evaluate(|_| Ok(()))
    }

    /// Advances by `dt_s` seconds: pose, matrices, morph weights and events are then those of the new moment.
    ///
    /// # Errors
    ///
    /// A time that is negative, NaN or infinite, or too long for a clip's speed; nothing has then moved.
    pub fn update(&mut self, dt_s: f64) -> Result<(), PlayError> {
        self.update_with(dt_s, |_| Ok(()))
    }

    /// The same, with the pose changed before matrices follow from it: by IK, springs, or physics. See [`crate::pose`].
    ///
    /// # Errors
    ///
    /// Those of [`Player::update`]. What `change` says: time has then gone on, and the pose is shown as `change` left it.
    pub fn update_with(
        &mut self,
        dt_s: f64,
        change: impl FnOnce(&mut Pose<'_>) -> Result<(), JobError>,
    ) -> Result<(), PlayError> {
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
        self.evaluate(change)
    }

    /// Weights, then the pose and all that follows from it.
    fn evaluate(
        &mut self,
        change: impl FnOnce(&mut Pose<'_>) -> Result<(), JobError>,
    ) -> Result<(), PlayError> {
        voice::share_out(&mut self.voices);
        let mut mix = Mix::EMPTY;
        for voice in self.voices.iter().filter(|voice| voice.weight > 0.0) {
            let entry = MixEntry::new(voice.clip, SampleTime::Clamped(voice.time_s()), voice.weight);
            // There is room: fewer clips sound than a mix has entries.
            let _ = mix.push(entry);
        }
        let share =
            |voice: &Voice| ClipShare { clip: voice.clip, ratio: voice.ratio(), weight: voice.weight };
        self.body.show_changed(mix, &[], self.voices.iter().map(share), change)
    }

    /// True if nothing plays, or the leading clip is played once and has arrived.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.voices.last().is_none_or(Voice::is_over)
    }

    /// The name of the leading clip.
    #[must_use]
    pub fn playing(&self) -> Option<&str> {
        self.voices.last().map(|voice| self.body.library().name(voice.clip))
    }

    /// Where in the leading clip the character is, in seconds; 0 if nothing plays.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.voices.last().map_or(0.0, Voice::time_s)
    }

    /// The markers passed in the last frame; see [the module](self) for which and in what order.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.voices.iter().flat_map(|voice| voice.events(self.body.library()))
    }

    /// The value of a user track of the leading clip: `NAME` of what the archive calls `CLIP/NAME`.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`](crate::archive::ArchiveError::Missing), which lists the clip's tracks;
    /// [`PlayError::Silent`] if nothing plays.
    pub fn track(&self, name: &str) -> Result<TrackValue, PlayError> {
        let voice = self.voices.last().ok_or(PlayError::Silent)?;
        Ok(self.body.track(voice.clip, name)?.sample(voice.ratio()))
    }

    /// Where a track of one number of the leading clip crossed a threshold in the last frame.
    ///
    /// # Errors
    ///
    /// Those of [`Player::track`].
    pub fn edges(&self, name: &str, threshold: f32) -> Result<Edges<'_>, PlayError> {
        let voice = self.voices.last().ok_or(PlayError::Silent)?;
        Ok(self.body.track(voice.clip, name)?.edges(threshold, &voice.span))
    }

    /// Poses, matrices, meshes.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Poses, matrices, meshes: to skin, to take palettes, or to change the pose by IK.
    pub fn body_mut(&mut self) -> &mut Body {
        &mut self.body
    }

    /// The skeleton.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        self.body.skeleton()
    }

    /// What was mixed in the last frame; the entries' numbers are places in [`Player::clip_names`].
    #[must_use]
    pub fn mix(&self) -> &Mix {
        self.body.mix()
    }

    /// The names of the clips that it can play.
    pub fn clip_names(&self) -> impl Iterator<Item = &str> {
        self.body.clip_names()
    }

    /// The local pose of the last frame, in groups.
    #[must_use]
    pub fn pose(&self) -> &[SoaTransform] {
        self.body.pose()
    }

    /// The model-space matrices of the last frame, one a joint.
    #[must_use]
    pub fn models(&self) -> &[Mat4] {
        self.body.models()
    }

    /// The names of the meshes, in the order of [`Player::skin`].
    pub fn mesh_names(&self) -> impl Iterator<Item = &str> {
        self.body.mesh_names()
    }

    /// The weights of a mesh's morph targets in the last frame, in file order.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`](crate::archive::ArchiveError::Missing), which lists the meshes.
    pub fn morph_weights(&self, mesh: &str) -> Result<&[f32], PlayError> {
        self.body.morph_weights(mesh)
    }

    /// The palette of a mesh, for skinning elsewhere: joint matrix · inverse bind matrix.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`](crate::archive::ArchiveError::Missing), which lists the meshes.
    pub fn palette(&mut self, mesh: &str) -> Result<&[Mat4], PlayError> {
        self.body.palette(mesh)
    }

    /// Moves the vertices of all meshes: morph targets, then joints.
    ///
    /// # Errors
    ///
    /// None for what an archive gives; those of [`SkinJob`](crate::job::SkinJob) otherwise.
    pub fn skin(&mut self) -> Result<impl Iterator<Item = SkinnedMesh<'_>>, PlayError> {
        self.body.skin()
    }

    /// Moves the vertices of one mesh.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`](crate::archive::ArchiveError::Missing), which lists the meshes; those of
    /// [`Player::skin`].
    pub fn skin_mesh(&mut self, mesh: &str) -> Result<SkinnedMesh<'_>, PlayError> {
        self.body.skin_mesh(mesh)
    }
}
