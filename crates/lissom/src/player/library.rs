//! What a character can play: the clips of its skeleton, with their markers and tracks.

use super::{PlayError, skins::Skin};
use crate::{
    Skeleton,
    archive::{Archive, ArchiveError, SectionKind, clip_called},
    clip::Clip,
    track::{Markers, Track},
};
use alloc::{boxed::Box, format, string::ToString, vec, vec::Vec};

/// Made once a player, shared by its clones.
#[derive(Debug)]
pub(super) struct Library {
    archive: Archive,
    skeleton: u64,
    /// Apart from the rest, since jobs take them as a slice.
    clips: Vec<Clip>,
    scores: Vec<Score>,
}

/// What goes along with a clip.
#[derive(Debug)]
struct Score {
    name: Box<str>,
    markers: Option<Markers>,
    tracks: Vec<(Box<str>, Track)>,
    /// A track for each morph target of each mesh, where there is one.
    morphs: Vec<Vec<Option<Track>>>,
}

impl Library {
    pub(super) fn new(archive: &Archive, skeleton: &Skeleton, skins: &[Skin]) -> Result<Self, PlayError> {
        let (mut clips, mut scores) = (Vec::new(), Vec::new());
        for (name, clip) in archive.clips() {
            // What cannot be read is told when it is asked for.
            let Ok(clip) = clip else { continue };
            if clip.view().skeleton_identity() != skeleton.identity() {
                continue;
            }
            let markers = match archive.markers(name) {
                Err(ArchiveError::Missing { .. }) => None,
                markers => Some(markers?),
            };
            let morphs = skins.iter().map(|skin| vec![None; skin.weights().len()]).collect();
            clips.push(clip);
            scores.push(Score { name: name.into(), markers, tracks: Vec::new(), morphs });
        }
        for (full_name, track) in archive.tracks() {
            let owner = archive.owner(SectionKind::Clip, full_name);
            let of_clip = owner.and_then(|(clip, name)| {
                let score = scores.iter_mut().find(|score: &&mut Score| *score.name == *clip)?;
                Some((score, name))
            });
            // A track of no clip, or of another skeleton's, is not played.
            let Some((score, name)) = of_clip else { continue };
            let track = track?;
            for (mesh, skin) in skins.iter().enumerate() {
                for (target, its_name) in skin.target_names().enumerate() {
                    if name == format!("morph/{}/{its_name}", skin.name()) {
                        score.morphs[mesh][target] = Some(track.clone());
                    }
                }
            }
            score.tracks.push((name.into(), track));
        }
        Ok(Self { archive: archive.clone(), skeleton: skeleton.identity(), clips, scores })
    }

    pub(super) fn clips(&self) -> &[Clip] {
        &self.clips
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.scores.iter().map(|score| &*score.name)
    }

    pub(super) fn name(&self, clip: usize) -> &str {
        &self.scores[clip].name
    }

    pub(super) fn markers(&self, clip: usize) -> Option<&Markers> {
        self.scores.get(clip)?.markers.as_ref()
    }

    /// The track of a morph target's weight in a clip.
    pub(super) fn morph(&self, clip: usize, mesh: usize, target: usize) -> Option<&Track> {
        self.scores.get(clip)?.morphs[mesh][target].as_ref()
    }

    pub(super) fn find(&self, name: &str) -> Result<usize, PlayError> {
        if let Some(found) = clip_called(self.names(), name) {
            return Ok(found);
        }
        match self.archive.clip(name) {
            Err(ArchiveError::Missing { .. }) => {
                Err(ArchiveError::missing(SectionKind::Clip, Some(name), self.names()).into())
            }
            Err(error) => Err(error.into()),
            Ok(other) => {
                debug_assert_ne!(other.view().skeleton_identity(), self.skeleton);
                Err(PlayError::OtherSkeleton { clip: name.to_string() })
            }
        }
    }

    pub(super) fn find_track(&self, clip: usize, name: &str) -> Option<&Track> {
        let tracks = &self.scores.get(clip)?.tracks;
        tracks.iter().find(|(track, _)| **track == *name).map(|(_, track)| track)
    }

    pub(super) fn track(&self, clip: usize, name: &str) -> Result<&Track, ArchiveError> {
        let names =
            || self.scores.get(clip).into_iter().flat_map(|score| &score.tracks).map(|(name, _)| &**name);
        self.find_track(clip, name)
            .ok_or_else(|| ArchiveError::missing(SectionKind::Track, Some(name), names()))
    }
}
