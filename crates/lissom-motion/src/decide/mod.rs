//! Deciding: one step of a graph.
//!
//! A layer plays a few states, its *voices*: the last one leads, and its share of the layer grows from 0 to 1 over the
//! fade of the transition that started it; what is left goes to the voices before it, in the same way. One-shots lie
//! over them.
//!
//! A step of a layer is: every voice goes on by dt; then at most one transition starts, whose state begins with the
//! next step; then shares are handed out. So a frame shows what was played during dt, with the weights at its end, and
//! a state that was left in it still tells what it passed.

mod decisions;
mod matched;
mod shots;
mod step;
mod tell;
mod transitions;
mod voices;
mod why;

pub(crate) use decisions::Chosen;
pub use decisions::{Decision, DecisionView, Decisions, MAX_TOLD_TESTS};
pub use why::{Verdict, Why};

use crate::{
    error::StateError,
    frame::Frame,
    graph::Graph,
    limits::MAX_SHOTS,
    state::{Float, GraphState, LayerState, Matching},
    time::{Head, Ticks},
};
use lissom::track::{Playhead, Repeat};

/// A step of all layers.
pub(crate) struct Step<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) floats: &'a [Float],
    pub(crate) ints: &'a [i32],
    pub(crate) flags: &'a mut [bool],
    pub(crate) step: Ticks,
    /// The same in seconds.
    pub(crate) dt_s: f64,
    /// The state that each layer led with before the step.
    pub(crate) leading: [Option<u16>; Graph::MAX_LAYERS],
    /// What the one-shots of each layer played before the step.
    pub(crate) shots_before: [[Option<u16>; MAX_SHOTS]; Graph::MAX_LAYERS],
    /// None if no state is matched.
    pub(crate) matching: Option<&'a mut Matching>,
    /// Whether searches may be made in this step.
    pub(crate) may_search: bool,
    pub(crate) frame: &'a mut Frame,
}

/// The states that layers lead with.
fn leading(layers: &[LayerState]) -> [Option<u16>; Graph::MAX_LAYERS] {
    let mut leading = [None; Graph::MAX_LAYERS];
    for (leads, layer) in leading.iter_mut().zip(layers) {
        *leads = layer.voices.as_slice().last().map(|voice| voice.state);
    }
    leading
}

/// What the one-shots of layers play that nobody has stopped, if a rule asks for them.
fn shots(graph: &Graph, layers: &[LayerState]) -> [[Option<u16>; MAX_SHOTS]; Graph::MAX_LAYERS] {
    let mut shots = [[None; MAX_SHOTS]; Graph::MAX_LAYERS];
    for (all, layer) in shots.iter_mut().zip(layers).filter(|_| graph.asks_shots) {
        for (plays, shot) in all.iter_mut().zip(layer.shots.as_slice()) {
            *plays = (!shot.is_stopped()).then_some(shot.plays);
        }
    }
    shots
}

impl Graph {
    /// Advances by `dt_s` seconds and says what is then shown. Allocates nothing if the frame was made for this graph.
    ///
    /// A step of 0 changes nothing: the frame shows the state as it is, with nothing passed. Steps are counted in units of 2⁻³² s, each
    /// rounded to the nearest; a step longer than 2³⁰ s counts as that.
    ///
    /// # Errors
    ///
    /// [`StateError::Value`] for a step that is negative, NaN or infinite; [`StateError::OtherGraph`]. State and frame are then
    /// as they were.
    pub fn update(&self, state: &mut GraphState, dt_s: f64, frame: &mut Frame) -> Result<(), StateError> {
        self.advance(state, Ticks::of_step(dt_s)?, frame)
    }

    /// The same of a step that was checked.
    pub(crate) fn advance(
        &self,
        state: &mut GraphState,
        step: Ticks,
        frame: &mut Frame,
    ) -> Result<(), StateError> {
        let dt_s = step.seconds();
        self.begin(state, dt_s)?;
        frame.begin(dt_s);
        frame.blend_threshold = self.blend_threshold;
        let GraphState { floats, ints, flags, layers, matching, .. } = state;
        let (leading, shots_before) = (leading(layers), shots(self, layers));
        let may_search = dt_s > 0.0 && matching.as_mut().is_some_and(|matching| matching.turn.next());
        let mut step = Step {
            graph: self,
            floats,
            ints,
            flags,
            step,
            dt_s,
            leading,
            shots_before,
            matching: matching.as_deref_mut(),
            may_search,
            frame,
        };
        for (number, layer) in layers.iter_mut().enumerate() {
            step.layer(number, layer);
        }
        if dt_s > 0.0 {
            self.read_curves(frame, floats);
        }
        Ok(())
    }

    /// Parameters that the clips set: layer over layer, each by as much of it as has the curve.
    fn read_curves(&self, frame: &Frame, floats: &mut [Float]) {
        for curves in &self.curves {
            let mut value = f64::from(self.floats[usize::from(curves.float)].start);
            for (number, layer) in frame.layers.iter().enumerate() {
                let (mut sum, mut share) = (0.0, 0.0);
                for entry in frame.entries.iter().filter(|entry| usize::from(entry.layer) == number) {
                    if let Some(curve) = curves.of(entry.clip) {
                        let seen = f64::from(entry.weight) * f64::from(layer.weight);
                        sum += seen * f64::from(curve.at(entry.ratio()));
                        share += seen;
                    }
                }
                value = if layer.additive { value + sum } else { value * (1.0 - share) + sum };
            }
            let value = value as f32;
            let value = if value.is_finite() { value } else { f32::MAX.copysign(value) };
            floats[usize::from(curves.float)] = Float::still(value);
        }
    }

    /// A head of a state as one of its clip: the same, unless clips are kept in step by markers.
    pub(crate) fn placed(&self, clip: u16, repeat: Repeat, head: Head) -> Playhead {
        let marks = self.clips[usize::from(clip)].marks.as_ref().filter(|_| repeat == Repeat::Loop);
        marks.map_or(head, |marks| head.seek(marks.at(head.share()))).playhead()
    }

    /// Checks, then parameters go on.
    pub(crate) fn begin(&self, state: &mut GraphState, dt_s: f64) -> Result<(), StateError> {
        if state.shape != self.shape {
            return Err(StateError::OtherGraph);
        }
        if dt_s > 0.0 {
            for (float, start) in state.floats.iter_mut().zip(&self.floats) {
                float.follow(start.half_life_s, dt_s);
            }
        }
        Ok(())
    }
}

impl Float {
    /// Half of the way in its half-life, whatever the steps are. What is near arrives.
    fn follow(&mut self, half_life_s: f32, dt_s: f64) {
        const NEAR: f64 = 1.0 / (1 << 20) as f64;
        if self.value == self.target && self.rest == 0.0 {
            return;
        }
        let left = if half_life_s > 0.0 { libm::exp2(-dt_s / f64::from(half_life_s)) } else { 0.0 };
        let target = f64::from(self.target);
        let off = (f64::from(self.value) + f64::from(self.rest) - target) * left;
        let size = if target.abs() > NEAR { target.abs() } else { NEAR };
        if off.abs() > NEAR * size {
            let value = target + off;
            self.value = value as f32;
            self.rest = (value - f64::from(self.value)) as f32;
        } else {
            *self = Self::still(self.target);
        }
    }
}

/// Where the share of something that began `age_s` ago stands.
fn risen(age_s: f64, fade_s: f32) -> f64 {
    let fade_s = f64::from(fade_s);
    if age_s < fade_s { age_s / fade_s } else { 1.0 }
}
