//! The error of a cooked clip over time: the worst joint, the mean, and a map of all joints.

use super::deviation::Deviation;
use crate::stage::{Stage, StageClip};
use lissom_build::exact::larger;
use lissom_draw::chart::{Anchor, Ink, Panel, Shape, Sketch, legend, nice};

/// Rows of a map that is not to be too long.
pub const MOST_ROWS: usize = 48;

/// Draws what was measured; the map shows the joints that are worst off, `most` of them.
pub fn draw(stage: &Stage, clip: &StageClip, deviation: &Deviation, most: usize) -> Sketch {
    let precision = deviation.precision_m;
    const MM: f64 = 1000.0;
    let mut rows: Vec<usize> = (0..deviation.joints).filter(|j| deviation.worst_of(*j) > 0.0).collect();
    rows.sort_by(|a, b| deviation.worst_of(*b).total_cmp(&deviation.worst_of(*a)).then(a.cmp(b)));
    rows.truncate(most);
    rows.sort_unstable();
    let line_height = 13.0;
    let map_top = 262.0;
    let height = map_top + line_height * rows.len() as f64 + 44.0;
    let (worst, joint, time) = deviation.worst();
    let title = format!(
        "{}: {}, error at most {:.4} mm ({} at {time:.2} s)",
        stage.name,
        clip.name,
        worst * MM,
        stage.skeleton.name(joint)
    );
    let mut sketch = Sketch::new(800.0, height, &title);
    sketch.heading((16.0, 26.0), title);
    let duration = clip.clip.view().duration_s();
    let top = larger(worst, precision) * MM;
    let panel = Panel {
        left: 140.0,
        top: 62.0,
        width: 636.0,
        height: 158.0,
        x: (0.0, duration),
        y: nice((0.0, top), 4),
    };
    sketch.text((16.0, 50.0), "mm", Anchor::Start, Ink::Soft);
    panel.grid(&mut sketch, true);
    let over = |f: &dyn Fn(&[f64]) -> f64| -> Vec<(f64, f64)> {
        (0..deviation.times.len()).map(|i| (deviation.times[i], f(deviation.at(i)) * MM)).collect()
    };
    let worst_line = over(&|e| e.iter().copied().fold(0.0, larger));
    let mean_line = over(&|e| e.iter().sum::<f64>() / e.len() as f64);
    panel.hill(&mut sketch, &worst_line, Ink::Series(0));
    panel.curve(&mut sketch, &mean_line, Ink::Series(2));
    sketch.dashes(panel.at(0.0, precision * MM), panel.at(duration, precision * MM), Ink::Text);
    let names = [
        ("worst joint", Ink::Series(0)),
        ("mean of all", Ink::Series(2)),
        ("precision asked for", Ink::Text),
    ];
    legend(&mut sketch, 776.0, 50.0, &names);

    let columns = deviation.times.len();
    let shares = rows.iter().flat_map(|j| (0..columns).map(|i| (deviation.at(i)[*j] / precision) as f32));
    let size = (panel.width, line_height * rows.len() as f64);
    let corner = (panel.left, map_top);
    sketch.shapes.push(Shape::Cells { corner, size, columns, shares: shares.collect(), ink: Ink::Series(0) });
    for (row, j) in rows.iter().enumerate() {
        let y = map_top + line_height * (row as f64 + 0.5) + 4.0;
        sketch.text((panel.left - 8.0, y), short(stage.skeleton.name(*j)), Anchor::End, Ink::Soft);
    }
    let note = format!(
        "seconds; each row a joint, full colour is {} mm, measured {} cm round it and at its vertices",
        precision * MM,
        deviation.shell_m * 100.0
    );
    sketch.text((panel.left, height - 14.0), note, Anchor::Start, Ink::Soft);
    sketch
}

/// A name that fits beside the map.
pub fn short(name: &str) -> String {
    const MOST: usize = 18;
    let count = name.chars().count();
    if count <= MOST {
        name.into()
    } else {
        format!("..{}", name.chars().skip(count - MOST + 2).collect::<String>())
    }
}
