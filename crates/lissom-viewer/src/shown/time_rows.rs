//! What happens in a clip, row by row: events, what lasts, keys of a joint, jump frames.

use lissom::{
    clip::{ChannelKind, ClipView},
    track::MarkersView,
};
use std::ops::ControlFlow;

/// Of what kind a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// Moments with a name.
    Events,
    /// What lasts, such as a foot on the ground.
    Lasts,
    /// Keys of the chosen joint.
    Keys(ChannelKind),
    /// Where playing can start without what is before.
    Jumps,
}

/// A row: from when to when; the same twice is a moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimeRow {
    pub name: String,
    pub kind: RowKind,
    pub marks: Vec<[f64; 2]>,
}

/// The rows of a clip.
pub(crate) struct TimeRows {
    of: (u64, Option<usize>),
    pub rows: Vec<TimeRow>,
    /// Frames a second of the file that it came from, as far as the clip tells.
    pub rate_hz: f64,
}

/// A file that does not tell how many frames it has has so many a second.
const RATE_HZ: f64 = 30.0;

impl TimeRows {
    /// Of a clip and a joint, if one is chosen.
    pub fn new(clip: ClipView<'_>, markers: Option<MarkersView<'_>>, joint: Option<usize>) -> Self {
        let mut rows: Vec<TimeRow> = Vec::new();
        for marker in markers.iter().flat_map(MarkersView::iter) {
            let kind = if marker.duration_s > 0.0 { RowKind::Lasts } else { RowKind::Events };
            let mark = [marker.time_s, (marker.time_s + marker.duration_s).min(clip.duration_s())];
            match rows.iter_mut().find(|row| row.name == marker.name && row.kind == kind) {
                Some(row) => row.marks.push(mark),
                None => rows.push(TimeRow { name: marker.name.into(), kind, marks: vec![mark] }),
            }
        }
        if let Some(joint) = joint {
            for (kind, name) in [
                (ChannelKind::Rotation, "rotation keys"),
                (ChannelKind::Translation, "translation keys"),
                (ChannelKind::Scale, "scale keys"),
            ] {
                let mut marks = Vec::new();
                // A stream that is not whole does not come here: documents are.
                let _ = clip.visit_keys(&mut |key| {
                    if key.joint == joint && key.kind == kind {
                        marks.push([clip.row_time_s(key.row); 2]);
                    }
                    ControlFlow::Continue(())
                });
                if !marks.is_empty() {
                    rows.push(TimeRow { name: name.into(), kind: RowKind::Keys(kind), marks });
                }
            }
        }
        let jumps =
            (0..clip.block_count()).filter_map(|block| clip.block(block)).map(|block| [block.time_s; 2]);
        rows.push(TimeRow { name: "jump frames".into(), kind: RowKind::Jumps, marks: jumps.collect() });
        Self { of: (clip.identity(), joint), rows, rate_hz: rate_hz(clip) }
    }

    /// True if they are of this clip and joint.
    pub fn are_of(&self, clip: ClipView<'_>, joint: Option<usize>) -> bool {
        self.of == (clip.identity(), joint)
    }
}

/// By the shortest step between two rows.
fn rate_hz(clip: ClipView<'_>) -> f64 {
    let times = (0..clip.row_count().min(4096)).map(|row| clip.row_time_s(row));
    let times: Vec<f64> = times.collect();
    let shortest =
        times.windows(2).map(|t| t[1] - t[0]).filter(|step| *step > 1e-6).fold(f64::INFINITY, f64::min);
    let rate = (1.0 / shortest).round();
    if (4.0..=480.0).contains(&rate) { rate } else { RATE_HZ }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn a_walk_has_steps_contacts_keys_and_jump_frames() {
        let document = Document::mannequin().unwrap();
        let body = document.player.body();
        let number = body.clip("walk").unwrap();
        let clip = body.clips()[number].view();
        let joint = body.skeleton().find("foot_l");
        let rows = TimeRows::new(clip, body.markers(number), joint);
        let row =
            |name: &str| rows.rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((row("step_left").kind, row("step_left").marks.len()), (RowKind::Events, 1));
        assert!(row("rotation keys").marks.len() > 4);
        assert_eq!(row("jump frames").marks[0], [0.0; 2]);
        assert!((rows.rate_hz - 30.0).abs() < 0.5, "{}", rows.rate_hz);
        for row in &rows.rows {
            assert!(
                row.marks.iter().all(|[from, to]| from <= to && *to <= clip.duration_s() + 1e-9),
                "{}",
                row.name
            );
        }
        assert!(rows.are_of(clip, joint) && !rows.are_of(clip, None));
        let without = TimeRows::new(clip, None, None);
        assert!(without.rows.iter().all(|row| row.kind == RowKind::Jumps), "nothing else is known");
    }
}
