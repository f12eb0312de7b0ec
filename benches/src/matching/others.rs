//! Other ways to search, on the same numbers as floats: a scan, boxes of 16 and 64 frames, and a k-d tree.

use super::data::ZONE;
use lissom_motion::matching::{Database, DatabaseParts};

/// The numbers as floats, in steps of a deviation. All of them apply the same rules: start with the frame that plays, pass over
/// those around it and those that may not be found, and take another only if it costs less.
pub struct Rows {
    width: usize,
    values: Vec<f32>,
    /// Whether a frame may be found.
    open: Vec<bool>,
    /// The first frame of each frame's range, and its end.
    ranges: Vec<[u32; 2]>,
}

impl Rows {
    pub fn new(parts: &DatabaseParts, database: &Database) -> Self {
        let mut open = Vec::new();
        for range in &parts.ranges {
            open.extend((0..range.frames).map(|i| (range.entry_from..range.entry_to).contains(&i)));
        }
        let ranges = (0..parts.ranges.len() as u32).map(|range| database.frames_of(range));
        Self {
            width: parts.features.len(),
            values: parts.rows.iter().map(|v| f32::from(*v)).collect(),
            open,
            ranges: ranges.map(|range| [range.start, range.end]).collect(),
        }
    }

    /// A query's values, rounded as the rows are.
    pub fn rounded(&self, parts: &DatabaseParts, values: &[f32]) -> Vec<f32> {
        let most = f32::from(lissom_motion::matching::clamp(parts.columns()));
        let stored = |(v, f): (&f32, &lissom_motion::matching::Feature)| {
            let v = ((v - f.offset) * f.scale).round_ties_even();
            if v > most {
                most
            } else if v < -most {
                -most
            } else {
                v
            }
        };
        values.iter().zip(&parts.features).map(stored).collect()
    }

    fn row(&self, frame: usize) -> &[f32] {
        &self.values[frame * self.width..][..self.width]
    }

    fn cost(&self, frame: usize, query: &[f32]) -> f32 {
        self.row(frame).iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    fn start(&self, query: &[f32], current: Option<u32>) -> (f32, usize, core::ops::Range<usize>) {
        current.map_or((f32::MAX, usize::MAX, 0..0), |frame| {
            let at = self.ranges.partition_point(|range| range[0] <= frame) - 1;
            let [from, to] = self.ranges[at];
            let zone = frame.saturating_sub(ZONE).max(from)..(frame + ZONE + 1).min(to);
            (self.cost(frame as usize, query), frame as usize, zone.start as usize..zone.end as usize)
        })
    }

    /// Every frame.
    pub fn scan(&self, query: &[f32], current: Option<u32>) -> usize {
        let (mut best, mut found, zone) = self.start(query, current);
        for frame in 0..self.open.len() {
            if self.open[frame] && !zone.contains(&frame) {
                let cost = self.cost(frame, query);
                if cost < best {
                    (best, found) = (cost, frame);
                }
            }
        }
        found
    }

    pub fn bytes(&self) -> usize {
        self.values.len() * 4
    }
}

/// The idea of boxes in order of time: the least and the largest number of each feature over 64 frames, and over 16.
pub struct TimeBoxes<'a> {
    rows: &'a Rows,
    large: Vec<f32>,
    small: Vec<f32>,
}

impl<'a> TimeBoxes<'a> {
    pub fn new(rows: &'a Rows) -> Self {
        let boxes = |frames: usize| {
            let mut all = Vec::new();
            for block in rows.values.chunks(frames * rows.width) {
                let column = |c: usize| block.iter().skip(c).step_by(rows.width).copied();
                all.extend(
                    (0..rows.width).map(|c| column(c).fold(f32::MAX, |a, b| if b < a { b } else { a })),
                );
                all.extend(
                    (0..rows.width).map(|c| column(c).fold(f32::MIN, |a, b| if b > a { b } else { a })),
                );
            }
            all
        };
        Self { rows, large: boxes(64), small: boxes(16) }
    }

    /// Whether a box may hold something that costs less. The sum is given up as soon as it is too large.
    fn may(&self, boxes: &[f32], at: usize, query: &[f32], best: f32) -> bool {
        let width = self.rows.width;
        let (low, high) = boxes[at * 2 * width..][..2 * width].split_at(width);
        let mut sum = 0.0;
        for ((q, low), high) in query.iter().zip(low).zip(high) {
            let nearest = if q < low {
                low
            } else if q > high {
                high
            } else {
                q
            };
            sum += (q - nearest) * (q - nearest);
            if sum >= best {
                return false;
            }
        }
        true
    }

    pub fn search(&self, query: &[f32], current: Option<u32>) -> usize {
        let rows = self.rows;
        let (mut best, mut found, zone) = rows.start(query, current);
        let frames = rows.open.len();
        for large in 0..frames.div_ceil(64) {
            if !self.may(&self.large, large, query, best) {
                continue;
            }
            for small in large * 4..(large * 4 + 4).min(frames.div_ceil(16)) {
                if !self.may(&self.small, small, query, best) {
                    continue;
                }
                for frame in small * 16..(small * 16 + 16).min(frames) {
                    if !rows.open[frame] || zone.contains(&frame) {
                        continue;
                    }
                    let mut cost = 0.0;
                    for (a, b) in rows.row(frame).iter().zip(query) {
                        cost += (a - b) * (a - b);
                        if cost >= best {
                            break;
                        }
                    }
                    if cost < best {
                        (best, found) = (cost, frame);
                    }
                }
            }
        }
        found
    }

    pub fn bytes(&self) -> usize {
        self.rows.bytes() + 4 * (self.large.len() + self.small.len())
    }
}

/// A k-d tree: frames are cut in two at the median of the feature that varies most, down to 32 frames.
pub struct KdTree<'a> {
    rows: &'a Rows,
    /// Frames, and their numbers in the same order.
    frames: Vec<u32>,
    values: Vec<f32>,
    nodes: Vec<Node>,
}

enum Node {
    Leaf {
        from: usize,
        to: usize,
    },
    /// The feature, the border, and the second half; the first follows.
    Split {
        feature: usize,
        border: f32,
        right: usize,
    },
}

impl<'a> KdTree<'a> {
    pub fn new(rows: &'a Rows) -> Self {
        let frames = (0..rows.open.len() as u32).filter(|f| rows.open[*f as usize]).collect();
        let mut tree = Self { rows, frames, values: Vec::new(), nodes: Vec::new() };
        let all = tree.frames.len();
        tree.split(0, all);
        tree.values = tree.frames.iter().flat_map(|f| rows.row(*f as usize)).copied().collect();
        tree
    }

    fn split(&mut self, from: usize, to: usize) {
        if to - from <= 32 {
            self.nodes.push(Node::Leaf { from, to });
            return;
        }
        let rows = self.rows;
        let of = |frame: u32, feature: usize| rows.values[frame as usize * rows.width + feature];
        let spread = |feature: usize| {
            let values = self.frames[from..to].iter().map(|f| f64::from(of(*f, feature)));
            let (sum, squares) = values.fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
            squares - sum * sum / (to - from) as f64
        };
        let feature = (0..rows.width).max_by(|a, b| spread(*a).total_cmp(&spread(*b))).unwrap_or(0);
        let middle = (from + to) / 2;
        self.frames[from..to].select_nth_unstable_by(middle - from, |a, b| {
            of(*a, feature).total_cmp(&of(*b, feature)).then(a.cmp(b))
        });
        let border = of(self.frames[middle], feature);
        let node = self.nodes.len();
        self.nodes.push(Node::Split { feature, border, right: 0 });
        self.split(from, middle);
        let next = self.nodes.len();
        if let Node::Split { right, .. } = &mut self.nodes[node] {
            *right = next;
        }
        self.split(middle, to);
    }

    pub fn search(&self, query: &[f32], current: Option<u32>) -> usize {
        let (best, found, zone) = self.rows.start(query, current);
        let mut state = Visit { query, zone, best, found, off: vec![0.0; self.rows.width] };
        self.visit(0, 0.0, &mut state);
        state.found
    }

    /// `bound` is the squared distance from the node's half spaces.
    fn visit(&self, node: usize, bound: f32, state: &mut Visit<'_>) {
        match &self.nodes[node] {
            Node::Leaf { from, to } => {
                for at in *from..*to {
                    let frame = self.frames[at] as usize;
                    let row = &self.values[at * self.rows.width..][..self.rows.width];
                    let cost: f32 = row.iter().zip(state.query).map(|(a, b)| (a - b) * (a - b)).sum();
                    let is_better = cost < state.best || (cost == state.best && frame < state.found);
                    if is_better && !state.zone.contains(&frame) {
                        (state.best, state.found) = (cost, frame);
                    }
                }
            }
            Node::Split { feature, border, right } => {
                let off = state.query[*feature] - border;
                let (near, far) = if off < 0.0 { (node + 1, *right) } else { (*right, node + 1) };
                self.visit(near, bound, state);
                // Frames at the border may lie on either side.
                let was = state.off[*feature];
                let other = bound - was * was + off * off;
                if other <= state.best {
                    state.off[*feature] = off;
                    self.visit(far, other, state);
                    state.off[*feature] = was;
                }
            }
        }
    }

    pub fn bytes(&self) -> usize {
        4 * (self.values.len() + self.frames.len()) + self.nodes.len() * size_of::<Node>()
    }
}

struct Visit<'a> {
    query: &'a [f32],
    zone: core::ops::Range<usize>,
    best: f32,
    found: usize,
    /// How far the query is outside of the node, by feature.
    off: Vec<f32>,
}
