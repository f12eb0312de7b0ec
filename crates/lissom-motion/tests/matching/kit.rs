//! Databases from a seed, and a search in ten lines.

use lissom_motion::matching::{
    Database, DatabaseParts, Feature, FeatureGroup, FeatureKind, Found, FrameRange, Query, clamp,
};
use lissom_testkit::rng::Rng;

pub const RATE: f32 = 32.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Every number by itself, the largest among them.
    Random,
    /// Frames that are like the frame before.
    Smooth,
    /// All frames are the same.
    Constant,
    /// Every range twice.
    Doubled,
    /// Few numbers, so that many frames cost the same.
    Coarse,
}

pub const SHAPES: [Shape; 5] = [Shape::Random, Shape::Smooth, Shape::Constant, Shape::Doubled, Shape::Coarse];

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Ask {
    pub values: Vec<f32>,
    pub tags: u32,
    /// The frame that plays, frames around it that are not found, and what a transition costs.
    pub playing: Option<(u32, u32, f32)>,
}

pub fn parts(rng: &mut Rng, shape: Shape, frames: usize, features: usize) -> DatabaseParts {
    let has_biases = rng.one_in(3);
    let columns = lissom_motion::matching::columns(features, has_biases);
    let most = i64::from(clamp(columns));
    let mut parts = DatabaseParts {
        skeleton: 7,
        rate_hz: RATE,
        tags: ["calm", "fast", "left"].map(String::from).to_vec(),
        groups: (0..3).map(|i| FeatureGroup { name: format!("group {i}"), weight: 1.0 }).collect(),
        features: (0..features).map(|i| feature(i as u32 % 3)).collect(),
        ..DatabaseParts::default()
    };
    let number = |rng: &mut Rng| match rng.below(8) {
        0 => most,
        1 => -most,
        _ => rng.below(2 * most as usize + 1) as i64 - most,
    };
    // Some columns vary more than others.
    let reach: Vec<i64> = (0..features).map(|_| 1 + rng.below(most as usize) as i64).collect();
    while frames_of(&parts) < frames {
        let left = frames - frames_of(&parts);
        let longest = *[1, 5, 16, 40, 300].get(rng.below(5)).unwrap();
        let count = (1 + rng.below(longest)).min(left);
        let range = range(rng, &parts, count);
        if range.clip as usize == parts.clips.len() {
            parts.clips.push(format!("clip {}", range.clip));
        }
        let mut row: Vec<i64> = reach.iter().map(|r| rng.below(2 * *r as usize + 1) as i64 - r).collect();
        let start = parts.rows.len();
        for _ in 0..count {
            match shape {
                Shape::Random => row.iter_mut().for_each(|v| *v = number(rng)),
                Shape::Smooth | Shape::Doubled => {
                    for (v, reach) in row.iter_mut().zip(&reach) {
                        let step = 1 + reach / 20;
                        *v += rng.below(2 * step as usize + 1) as i64 - step;
                    }
                }
                Shape::Constant => row.fill(3),
                Shape::Coarse => row.iter_mut().for_each(|v| *v = rng.below(3) as i64),
            }
            parts.rows.extend(row.iter().map(|v| (*v).clamp(-most, most) as i16));
        }
        let again = shape == Shape::Doubled && count * 2 <= left;
        parts.ranges.push(range.clone());
        if again {
            let rows = parts.rows[start..].to_vec();
            parts.rows.extend(rows);
            parts.clips.push(format!("clip {}", parts.clips.len()));
            parts.ranges.push(FrameRange { clip: parts.clips.len() as u32 - 1, ..range });
        }
    }
    if parts.ranges.iter().all(|r| r.entry_from == r.entry_to) {
        parts.ranges[0].entry_from = 0;
        parts.ranges[0].entry_to = 1;
    }
    if has_biases {
        let few = if shape == Shape::Random { most as usize } else { 2 };
        parts.biases = (0..frames).map(|_| rng.below(few + 1) as i16).collect();
    }
    parts
}

pub fn feature(group: u32) -> Feature {
    let kind = FeatureKind::JointPosition { joint: "foot".into() };
    Feature { group, kind, axis: 0, offset: 0.0, scale: 1.0 }
}

/// A piece of a new clip, or what follows in the last one.
fn range(rng: &mut Rng, parts: &DatabaseParts, count: usize) -> FrameRange {
    let frames = count as u32;
    let (from, to) = (rng.below(count + 1) as u32, rng.below(count + 1) as u32);
    let (entry_from, entry_to) = match rng.below(3) {
        0 => (0, frames),
        1 => (0, frames - frames.min(20)),
        _ => (from.min(to), from.max(to)),
    };
    let tags = rng.below(8) as u32;
    match parts.ranges.last() {
        Some(last) if rng.one_in(3) => {
            let start_s = last.start_s + last.frames as f32 / RATE;
            FrameRange { start_s, tags, frames, entry_from, entry_to, ..last.clone() }
        }
        _ => {
            let clip = parts.clips.len() as u32;
            let start_s = rng.below(64) as f32 / RATE;
            FrameRange { clip, start_s, mirrored: rng.one_in(2), tags, frames, entry_from, entry_to }
        }
    }
}

pub fn frames_of(parts: &DatabaseParts) -> usize {
    parts.ranges.iter().map(|r| r.frames as usize).sum()
}

/// Something to look for that has an answer.
pub fn ask(rng: &mut Rng, parts: &DatabaseParts) -> Ask {
    let (frames, features) = (frames_of(parts), parts.features.len());
    let row = rng.below(frames);
    let noise = *[0.0, 1.0, 40.0, 9000.0].get(rng.below(4)).unwrap();
    let values = parts.rows[row * features..][..features]
        .iter()
        .map(|v| match rng.below(40) {
            0 => 1.0e30,
            1 => -70_000.0,
            _ => f32::from(*v) + (rng.signed() * noise).round(),
        })
        .collect();
    let range = &parts.ranges[rng.below(parts.ranges.len())];
    let has_entry = range.entry_from < range.entry_to;
    let tags = if has_entry { range.tags & rng.below(8) as u32 } else { 0 };
    let playing = rng.below(3) > 0;
    let playing = playing.then(|| {
        let cost = if rng.one_in(2) { 0.0 } else { rng.unit() * 3.0 };
        (if rng.one_in(2) { row } else { rng.below(frames) } as u32, rng.below(30) as u32, cost)
    });
    Ask { values, tags, playing }
}

pub fn query(database: &Database, ask: &Ask) -> Query {
    let query = database.query(&ask.values).unwrap().tagged(database, ask.tags).unwrap();
    match ask.playing {
        None => query,
        Some((frame, zone, cost)) => query.playing(database, frame, zone, cost).unwrap(),
    }
}

/// What a search must find: every frame that may be found, one after another.
pub fn plain(parts: &DatabaseParts, database: &Database, ask: &Ask) -> Found {
    let (features, most) = (parts.features.len(), i64::from(clamp(parts.columns())));
    let wanted: Vec<i64> =
        ask.values.iter().map(|v| (v.round_ties_even() as i64).clamp(-most, most)).collect();
    let cost = |frame: usize| {
        let row = &parts.rows[frame * features..][..features];
        let squares = row.iter().zip(&wanted).map(|(v, w)| (i64::from(*v) - w).pow(2)).sum::<i64>();
        squares + parts.biases.get(frame).map_or(0, |bias| i64::from(*bias).pow(2))
    };
    let (mut best, mut found, mut at) = (i64::MAX, Found::default(), 0);
    let firsts: Vec<usize> =
        parts.ranges.iter().scan(0, |at, r| Some(core::mem::replace(at, *at + r.frames as usize))).collect();
    let range_of = |frame: usize| firsts.iter().rposition(|first| *first <= frame).unwrap();
    let playing =
        ask.playing.filter(|(frame, ..)| parts.ranges[range_of(*frame as usize)].tags & ask.tags == ask.tags);
    if let Some((frame, _, transition)) = playing {
        let own = cost(frame as usize);
        best = own - i64::from(database.cost_of(transition));
        found = Found { frame, cost: own as i32, stays: true };
    }
    for range in &parts.ranges {
        for frame in at + range.entry_from as usize..at + range.entry_to as usize {
            let is_shut = playing.is_some_and(|(current, zone, _)| {
                let is_near = frame.abs_diff(current as usize) <= zone as usize;
                is_near && parts.ranges[range_of(current as usize)].clip == range.clip
            });
            if !is_shut && range.tags & ask.tags == ask.tags && cost(frame) < best {
                best = cost(frame);
                found = Found { frame: frame as u32, cost: best as i32, stays: false };
            }
        }
        at += range.frames as usize;
    }
    found
}
