//! Bytes by joint: where a clip's size goes.

use super::error::short;
use crate::stage::{Stage, StageClip};
use lissom::clip::JointBytes;
use lissom_draw::chart::{Bar, Bars, Ink, Sketch};

/// Bars; the joints after them are told of in a note.
const MOST_BARS: usize = 32;

/// Bars from the heaviest joint down.
pub fn draw(stage: &Stage, clip: &StageClip, weights: &[JointBytes]) -> Sketch {
    let mut order: Vec<usize> = (0..weights.len()).filter(|j| weights[*j].total() > 0.0).collect();
    order.sort_by(|a, b| weights[*b].total().total_cmp(&weights[*a].total()).then(a.cmp(b)));
    let bar = |j: &usize| {
        let w = &weights[*j];
        Bar {
            label: short(stage.skeleton.name(*j)),
            parts: vec![w.stream[0], w.stream[1], w.stream[2], w.jumps, w.constants, w.tables],
            text: format!("{:.0}", w.total()),
        }
    };
    let bars: Vec<Bar> = order.iter().take(MOST_BARS).map(bar).collect();
    let all = clip.clip.view().memory_bytes() as f64;
    let sum = |joints: &[usize]| joints.iter().map(|j| weights[*j].total()).sum::<f64>();
    let others = &order[bars.len()..];
    let mut note = format!("bytes; {:.0} more for header, masks and the table of blocks", all - sum(&order));
    if !others.is_empty() {
        note.push_str(&format!(", {:.0} for {} joints below these", sum(others), others.len()));
    }
    Bars {
        title: &format!("{}: {}, {all:.0} bytes", stage.name, clip.name),
        parts: &[
            ("translation", Ink::Series(0)),
            ("rotation", Ink::Series(2)),
            ("scale", Ink::Series(3)),
            ("jump frames", Ink::Series(1)),
            ("constants", Ink::Series(4)),
            ("tables", Ink::Series(5)),
        ],
        bars: &bars,
        note: &note,
    }
    .draw()
}
