//! Saves as plain data, for files and networks (feature `serde`).

use crate::{
    character::{CharacterError, CharacterSave, Characters, Kept},
    clips::{Fade, Solo},
    components::WeightedClip,
    crowds::CrowdOf,
    springs::Swing,
    steps::{SavedStay, SavedStep, Steps},
};
use bevy_ecs::prelude::*;
use lissom::{job::JobError, track::Repeat};
use lissom_motion::{GraphState, PoseMemory, Save, StateError, crowd::Member};
use serde::{Deserialize, Serialize};

/// A character, saved for a file or another machine: what [`Characters::save`] gives, in names and bytes. Made by
/// [`Characters::saved`], put back by [`Characters::restore_saved`]. What is read may come from anywhere: it is checked.
///
/// What it does afterwards has the same bits, of a graph; clips without a graph go on within a billionth of a lap. It is posed with the next
/// update, whatever its update rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedCharacter {
    plays: SavedPlays,
    clock_s: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<SavedStep>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stays: Vec<SavedStay>,
    /// Of each spring.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    springs: Vec<Vec<f32>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum SavedPlays {
    Graph { state: Vec<u8>, memory: Vec<u8> },
    Clips { clips: Vec<SavedClip>, lead: usize, told: f64, fade: Option<Fade> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedClip {
    name: String,
    weight: f32,
    speed: f32,
    repeat: SavedRepeat,
    laps: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SavedRepeat {
    Once,
    Loop,
    PingPong,
}

impl From<Repeat> for SavedRepeat {
    fn from(repeat: Repeat) -> Self {
        match repeat {
            Repeat::Once => Self::Once,
            Repeat::Loop => Self::Loop,
            Repeat::PingPong => Self::PingPong,
        }
    }
}

impl From<SavedRepeat> for Repeat {
    fn from(repeat: SavedRepeat) -> Self {
        match repeat {
            SavedRepeat::Once => Self::Once,
            SavedRepeat::Loop => Self::Loop,
            SavedRepeat::PingPong => Self::PingPong,
        }
    }
}

impl Characters<'_, '_> {
    /// All that decides what comes, as plain data.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn saved(&self, entity: Entity) -> Result<SavedCharacter, CharacterError> {
        let CharacterSave { kept, steps, clock_s, swing, .. } = self.save(entity)?;
        let (crowd_of, _) = self.find(entity)?;
        let name = |clip: u16| crowd_of.clips.get(usize::from(clip)).map(|fact| fact.name.to_string());
        let plays = match kept {
            Kept::Graph(Save { state, memory, .. }) => {
                let mut bytes = Vec::new();
                memory.write(&mut bytes);
                SavedPlays::Graph { state: state.to_bytes().into(), memory: bytes }
            }
            Kept::Clips(save, solo) => {
                let clip = |played: lissom_motion::crowd::PlayedClip| SavedClip {
                    name: name(played.clip).unwrap_or_default(),
                    weight: played.weight,
                    speed: played.speed,
                    repeat: played.repeat.into(),
                    laps: played.laps,
                };
                let (lead, told, fade) = solo.saved();
                SavedPlays::Clips { clips: save.clips().map(clip).collect(), lead, told, fade }
            }
        };
        let (steps, stays) = steps.saved(name);
        let springs = swing.map(|swing| swing.to_numbers()).unwrap_or_default();
        Ok(SavedCharacter { plays, clock_s, steps, stays, springs })
    }

    /// Puts that back, of the same graph or the same clips by name.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`]; a save of another graph or skeleton, or of clips where this is played by a graph; clips that are not
    /// there; numbers that no save has. Nothing has then changed.
    pub fn restore_saved(&mut self, entity: Entity, saved: &SavedCharacter) -> Result<(), CharacterError> {
        let SavedCharacter { plays, clock_s, steps, stays, springs } = saved;
        let (crowd_of, member) = self.find(entity)?;
        let number = |name: &str| crowd_of.clip(name).ok();
        if !clock_s.is_finite() {
            return Err(CharacterError::Value {
                what: "clock_s",
                value: *clock_s,
                allowed: "a finite number",
            });
        }
        let steps = Steps::of_saved(steps, stays, number);
        let swing = read_springs(crowd_of, member, springs)?;
        let kept = match plays {
            SavedPlays::Graph { state, memory } => {
                let graph = crowd_of.graph_of(member).ok_or(CharacterError::NoGraph { entity })?;
                let state = GraphState::read(graph, state)?;
                let memory = PoseMemory::read(graph, crowd_of.crowd.skeleton(), memory);
                let memory = memory.map_err(StateError::from)?;
                Kept::Graph(Save::new(state, memory))
            }
            SavedPlays::Clips { clips, lead, told, fade } => {
                if crowd_of.graph_of(member).is_some() {
                    return Err(CharacterError::NoClips { entity });
                }
                let clip = |saved: &SavedClip| {
                    let SavedClip { name, weight, speed, repeat, laps } = saved;
                    let (repeat, laps) = ((*repeat).into(), *laps);
                    WeightedClip { name: name.clone(), weight: *weight, speed: *speed, repeat, laps }
                };
                let clips: Vec<WeightedClip> = clips.iter().map(clip).collect();
                let solo = Solo::of_saved(*lead, *told, *fade, clips.len())?;
                let (crowd_of, member) = self.find_mut(entity)?;
                let played = clips.iter().map(|clip| crowd_of.played(clip)).collect::<Result<Vec<_>, _>>()?;
                crowd_of.crowd.set_played_clips(member, &played)?;
                Kept::Clips(crowd_of.crowd.save_clips(member)?, solo)
            }
        };
        self.restore(entity, &CharacterSave::new(kept, steps, *clock_s, swing))
    }
}

/// How the springs of a member swing; those of other joints start at rest.
fn read_springs(crowd_of: &CrowdOf, member: Member, saved: &[Vec<f32>]) -> Result<Option<Swing>, JobError> {
    let Some(mut swing) = Swing::of(&crowd_of.hands.swings, member.index()).filter(|_| !saved.is_empty())
    else {
        return Ok(None);
    };
    swing.set_numbers(saved)?;
    Ok(Some(swing))
}
