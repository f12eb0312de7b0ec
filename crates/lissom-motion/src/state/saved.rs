//! A state as bytes, and back: what is read may come from anywhere.
//!
//! Little-endian, one after the other: the graph's shape; floats (what was set, what is); ints; flags; and for each layer
//! its voices and its one-shots, each list after its length.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{Float, GraphState, LayerState, OneShot, Shot, Voice};
use crate::{
    error::StateError,
    graph::{Graph, Layer},
    reader::{Reader, Result},
};
use alloc::{boxed::Box, vec::Vec};
use lissom::track::{Playhead, Repeat};

/// Where there is no transition.
const NONE: u16 = u16::MAX;
/// A head that is so many laps away is not read: the count must stay exact.
const MAX_LAP: i64 = 1 << 50;

impl GraphState {
    /// Adds its bytes.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let mut put = |part: &[u8]| bytes.extend_from_slice(part);
        put(&self.shape.to_le_bytes());
        for float in &self.floats {
            put(&float.target.to_le_bytes());
            put(&float.value.to_le_bytes());
        }
        for int in &self.ints {
            put(&int.to_le_bytes());
        }
        for flag in &self.flags {
            put(&[u8::from(*flag)]);
        }
        for layer in &self.layers {
            put(&[layer.voices.as_slice().len() as u8]);
            for voice in layer.voices.as_slice() {
                put(&voice.state.to_le_bytes());
                put(&voice.transition.unwrap_or(NONE).to_le_bytes());
                put(&[u8::from(voice.in_step)]);
                put(&voice.age_s.to_le_bytes());
                put_head(&mut put, voice.head);
            }
            put(&[layer.shots.as_slice().len() as u8]);
            for shot in layer.shots.as_slice() {
                put(&shot.clip.to_le_bytes());
                put(&shot.how.speed.to_le_bytes());
                put(&shot.how.fade_in_s.to_le_bytes());
                put(&shot.how.fade_out_s.to_le_bytes());
                put(&[shot.how.repeat as u8]);
                put(&shot.age_s.to_le_bytes());
                // Never negative: that says that it has not been stopped.
                put(&shot.stopping_s.unwrap_or(-1.0).to_le_bytes());
                put_head(&mut put, shot.head);
            }
        }
    }

    /// Reads what [`GraphState::write`] wrote for a graph of the same shape: the same parameters, states and layers.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::Format`] for anything that no update leads to.
    pub fn read(graph: &Graph, bytes: &[u8]) -> core::result::Result<Self, StateError> {
        let mut from = Reader::new(bytes);
        if from.array().map(u64::from_le_bytes)? != graph.shape {
            return Err(StateError::OtherGraph);
        }
        let mut state = Self::new(graph);
        for float in &mut state.floats {
            *float = Float { target: from.f32()?, value: from.f32()? };
        }
        for int in &mut state.ints {
            *int = i32::from_le_bytes(from.array()?);
        }
        for flag in &mut state.flags {
            *flag = from.bool()?;
        }
        for (layer, of) in state.layers.iter_mut().zip(&graph.layers) {
            *layer = from.layer(graph, of)?;
        }
        from.end()?;
        Ok(state)
    }

    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Box<[u8]> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes.into()
    }
}

fn put_head(put: &mut impl FnMut(&[u8]), head: Playhead) {
    put(&head.lap().to_le_bytes());
    put(&head.progress_s().to_le_bytes());
}

impl Reader<'_> {
    fn age(&mut self) -> Result<f64> {
        let age_s = self.f64()?;
        self.check(age_s >= 0.0, "a time before the start")?;
        Ok(age_s)
    }

    fn head(&mut self, graph: &Graph, repeat: Repeat) -> Result<Playhead> {
        let lap = self.array().map(i64::from_le_bytes)?;
        let progress = self.f64()?;
        self.check(
            (-MAX_LAP..=MAX_LAP).contains(&lap) && (0.0..1.0).contains(&progress),
            "no place in a lap",
        )?;
        let line = graph.unit(repeat);
        let ends = repeat == Repeat::Once;
        self.check(!ends || lap == 0 || (lap == 1 && progress == 0.0), "no place in the only lap")?;
        let lap = line.at(lap as f64).map_err(|_| self.wrong("too many laps"))?;
        // At the end of the only lap there is nothing to add.
        if ends && lap.lap() == 1 {
            return Ok(lap);
        }
        line.advance(lap, progress).map(|span| span.to()).map_err(|_| self.wrong("too far into a lap"))
    }

    fn layer(&mut self, graph: &Graph, of: &Layer) -> Result<LayerState> {
        let mut layer = LayerState::default();
        let count = self.u8()?;
        let has_states = !of.states.is_empty();
        self.check((count > 0) == has_states, "a layer plays a state if it has states")?;
        for i in 0..count {
            let state = self.u16()?;
            self.check(of.states.contains(&state), "no state of this layer")?;
            let way = self.u16()?;
            let leads_here =
                way == NONE || graph.transitions.get(usize::from(way)).is_some_and(|way| way.to == state);
            self.check(leads_here, "no transition to this state")?;
            let in_step = self.bool()?;
            self.check(!in_step || i > 0, "in step with nothing")?;
            let age_s = self.age()?;
            let head = self.head(graph, graph.state(state).repeat)?;
            let transition = (way != NONE).then_some(way);
            let fits = layer.voices.push(Voice { state, transition, in_step, age_s, head });
            self.check(fits, "more states than a layer plays at once")?;
        }
        for _ in 0..self.u8()? {
            let clip = self.u16()?;
            self.check(usize::from(clip) < graph.clips.len(), "no clip of this graph")?;
            let (speed, fade_in_s, fade_out_s) = (self.f32()?, self.f32()?, self.f32()?);
            let repeat = u32::from(self.u8()?);
            let repeat = self.repeat(repeat)?;
            let how = OneShot { speed, fade_in_s, fade_out_s, repeat };
            self.check(how.check().is_ok(), "no way to play a one-shot")?;
            let age_s = self.age()?;
            let stopping_s = self.f64()?;
            let stopping_s = (stopping_s >= 0.0).then_some(stopping_s);
            let head = self.head(graph, repeat)?;
            let fits = layer.shots.push(Shot { clip, how, age_s, stopping_s, head });
            self.check(fits, "more one-shots than a layer plays at once")?;
        }
        Ok(layer)
    }
}
