//! Other moments of the clip that plays: before and after, and the way of a joint.

use crate::{
    document::Document,
    failure::Failure,
    lines::{Lines, sticks},
};
use lissom::{math::Vec3, player::Player};

/// A second player, which goes where it is asked to.
pub(crate) struct Ghost(Player);

/// Moments that are shown before and after, and how far apart they are in seconds.
const MOMENTS: i32 = 3;
const APART_S: f64 = 0.1;
/// Pieces of a way.
const PIECES: i32 = 96;

impl Ghost {
    pub fn new(document: &Document) -> Self {
        Self(document.player.clone())
    }

    /// The same clip as the document's at a time; false if nothing plays.
    fn go(&mut self, document: &Document, time_s: f64) -> Result<bool, Failure> {
        let Some(clip) = document.player.playing() else { return Ok(false) };
        if self.0.playing() != Some(clip) {
            self.0.play(clip)?;
        }
        self.0.scrub(time_s)?;
        Ok(true)
    }

    /// The skeleton a few moments before and after, fainter the farther away.
    pub fn onion(&mut self, document: &Document, duration_s: f64, lines: &mut Lines) -> Result<(), Failure> {
        let now = document.player.time_s();
        for step in (-MOMENTS..=MOMENTS).filter(|step| *step != 0) {
            let time_s = now + f64::from(step) * APART_S;
            // Beyond the ends there is nothing, but for what repeats.
            let looping = document
                .clips
                .iter()
                .any(|c| Some(c.name.as_str()) == document.player.playing() && c.looping);
            if !looping && !(0.0..=duration_s).contains(&time_s) {
                continue;
            }
            if self.go(document, time_s.rem_euclid(duration_s.max(1e-6)))? {
                let alpha = 0.45 / step.unsigned_abs() as f32;
                let color = if step < 0 { [0.95, 0.5, 0.35, alpha] } else { [0.4, 0.85, 0.5, alpha] };
                sticks(self.0.skeleton(), self.0.models(), color, lines);
            }
        }
        Ok(())
    }

    /// The way of a joint through the clip.
    pub fn trail(
        &mut self,
        document: &Document,
        duration_s: f64,
        joint: usize,
        lines: &mut Lines,
    ) -> Result<(), Failure> {
        let mut before: Option<Vec3> = None;
        for piece in 0..=PIECES {
            // The end of a lap is the start of the next.
            let time_s = duration_s * f64::from(piece) / f64::from(PIECES) * (1.0 - 1e-9);
            if !self.go(document, time_s)? {
                return Ok(());
            }
            let Some(place) = self.0.models().get(joint).map(|m| m.w_axis.truncate()) else { return Ok(()) };
            if let Some(before) = before {
                lines.add(before, place, [0.95, 0.8, 0.3, 0.9]);
            }
            before = Some(place);
        }
        Ok(())
    }
}
