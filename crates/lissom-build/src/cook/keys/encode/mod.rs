//! From a plan to the bytes of a clip. `FORMAT.md` describes them; `lissom::clip` plays them.

mod quantise;
mod sequence;

use super::plan::{ClipPlan, Jumps, PlanKeys};
use crate::{
    cook::{seal::seal_words, timeline::TimePoints},
    exact::smaller,
    raw::ChannelKind,
};
use lissom::{
    clip::format::{
        BitWriter,
        keys::{self as format, word},
    },
    math::soa::{GROUP, group_count},
};
use quantise::{Constant, Quantised};
use sequence::Sequence;

/// Why a plan cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// Fewer than two rows, or times that do not rise, are not finite, or do not start at 0.
    #[error("time {row} of the plan is {time_s} s: times must rise from 0")]
    Times {
        /// The row.
        row: usize,
        /// Its time.
        time_s: f64,
    },
    /// Two times that the format cannot tell apart.
    #[error("times {row} and {row} + 1 are closer than a billionth of the duration")]
    TooClose {
        /// The first row.
        row: usize,
    },
    /// A channel is out of order, for a joint that does not exist, or given twice.
    #[error("channel {index} of the plan (joint {joint}, {channel}) is out of order or out of range")]
    Channel {
        /// Its place in the plan.
        index: usize,
        /// The joint.
        joint: u16,
        /// The channel.
        channel: ChannelKind,
    },
    /// A channel's keys do not start at row 0, rise, and end at the last row; or its curve cannot be stored.
    #[error("joint {joint}, {channel}: its keys must rise from row 0 to the last row")]
    Keys {
        /// The joint.
        joint: u16,
        /// The channel.
        channel: ChannelKind,
    },
    /// A value that f32 cannot hold as exactly as asked.
    #[error("joint {joint}, {channel}: a tolerance of {tolerance} cannot be met")]
    Tolerance {
        /// The joint.
        joint: u16,
        /// The channel.
        channel: ChannelKind,
        /// What was asked for.
        tolerance: f64,
    },
    /// A jump spacing that is zero, negative or not finite.
    #[error("a jump spacing of {seconds} s is not possible")]
    Jumps {
        /// What was asked for.
        seconds: f64,
    },
    /// The clip would be larger than 16 GiB.
    #[error("the clip would be larger than 16 GiB")]
    TooLarge,
}

/// Writes a plan as the bytes of a clip.
///
/// # Errors
///
/// Every case of [`EncodeError`].
pub fn encode(plan: &ClipPlan) -> Result<Vec<u8>, EncodeError> {
    let clock = Clock::new(&plan.times)?;
    let sorted = Sorted::new(plan, &clock)?;
    let jumps = jump_rows(plan, &clock)?;

    let mut words = vec![0_u32; format::HEADER_WORDS];
    let mut flags = 0;
    flags |= if plan.looping { format::FLAG_LOOPING } else { 0 };
    flags |= if clock.listed.is_some() { format::FLAG_LISTED } else { 0 };
    flags |= if sorted.wide { format::FLAG_WIDE } else { 0 };

    push_bytes(&mut words, plan.name.as_bytes());
    words.extend(clock.listed.iter().flatten());
    sorted.push_masks(&mut words, plan.joint_count);
    sorted.push_tables(&mut words);
    for c in &sorted.channels {
        words.extend(c.sequence.entry(c.set, c.lane));
    }
    let blocks = write_blocks(&sorted.channels, &jumps);
    let (mut states, mut stream) = (Vec::new(), Vec::new());
    for block in &blocks {
        let (state_byte, stream_byte) = (states.len() as u32, stream.len() as u64);
        states.extend_from_slice(&block.state);
        stream.extend_from_slice(&block.stream);
        let split = |v: u64| [v as u32, (v >> 32) as u32];
        words.extend([block.first_row, state_byte]);
        words.extend(split(stream_byte));
        words.extend(split(block.stream_bits));
        words.extend(split(block.keys | u64::from(block.row_bits) << 56));
    }
    push_bytes(&mut words, &states);
    push_bytes(&mut words, &stream);

    let mut put = |at: usize, v: u64| {
        words[at] = v as u32;
        words[at + 1] = (v >> 32) as u32;
    };
    put(word::SKELETON, plan.skeleton_identity);
    put(word::DURATION, plan.times.duration_s().to_bits());
    put(word::TICKS_PER_SECOND, clock.ticks_per_s.to_bits());
    put(word::KEYS, sorted.channels.iter().map(|c| c.sequence.key_count()).sum());
    put(word::STREAM_BYTES, stream.len() as u64);
    words[word::MAGIC] = format::MAGIC;
    words[word::VERSION_FLAGS] = u32::from(format::VERSION) | u32::from(flags) << 16;
    words[word::TOTAL_WORDS] = u32::try_from(words.len()).map_err(|_| EncodeError::TooLarge)?;
    words[word::JOINTS] = plan.joint_count as u32;
    words[word::ROWS] = clock.rows;
    words[word::CHANNELS] = sorted.channels.len() as u32;
    words[word::BLOCKS] = blocks.len() as u32;
    words[word::NAME_BYTES] = plan.name.len() as u32;
    words[word::STATE_BYTES] = u32::try_from(states.len()).map_err(|_| EncodeError::TooLarge)?;
    for kind in 0..3 {
        words[word::LANES + kind * 3] = sorted.constants[kind].len() as u32;
        words[word::LANES + kind * 3 + 1] = sorted.lanes[kind * 2].len() as u32;
        words[word::LANES + kind * 3 + 2] = sorted.lanes[kind * 2 + 1].len() as u32;
    }
    seal_words(&mut words);
    Ok(words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

fn push_bytes(words: &mut Vec<u32>, bytes: &[u8]) {
    for four in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..four.len()].copy_from_slice(four);
        words.push(u32::from_le_bytes(word));
    }
}

/// Rows as ticks.
struct Clock {
    rows: u32,
    ticks_per_s: f64,
    listed: Option<Vec<u32>>,
}

impl Clock {
    fn new(times: &TimePoints) -> Result<Self, EncodeError> {
        let wrong = |row: usize, time_s: f64| Err(EncodeError::Times { row, time_s });
        match times {
            TimePoints::Uniform { rate, count } => {
                if !(rate.is_finite() && *rate > 0.0) || *count < 2 || *count > 1 << 30 {
                    return wrong(*count as usize, *rate);
                }
                Ok(Self { rows: *count, ticks_per_s: *rate, listed: None })
            }
            TimePoints::Listed(list) => {
                let Some(end) = list.last().filter(|_| list.len() >= 2 && list[0] == 0.0) else {
                    return wrong(0, list.first().copied().unwrap_or(0.0));
                };
                if let Some(row) = (1..list.len()).find(|i| !(list[*i] > list[i - 1] && list[*i].is_finite()))
                {
                    return wrong(row, list[row]);
                }
                // As fine as 30 bits allow; a power of two, so that times scale exactly.
                let ticks_per_s = libm::exp2(libm::floor(libm::log2(f64::from(1 << 30) / end)));
                // Rounded down, so that a step has happened at the time it was asked for.
                let ticks: Vec<u32> = list.iter().map(|t| libm::floor(t * ticks_per_s) as u32).collect();
                match ticks.windows(2).position(|p| p[1] <= p[0]) {
                    Some(row) => Err(EncodeError::TooClose { row }),
                    None => Ok(Self { rows: ticks.len() as u32, ticks_per_s, listed: Some(ticks) }),
                }
            }
        }
    }
}

/// One animated channel, ready to be written.
struct StreamChannel {
    set: usize,
    lane: usize,
    sequence: Sequence,
}

/// The plan's channels by where they go.
struct Sorted {
    wide: bool,
    /// In stream order: by joint, then translation, rotation, scale.
    channels: Vec<StreamChannel>,
    /// Joints and decoding constants of each set.
    lanes: [Vec<(u16, Vec<f32>)>; 6],
    /// Joints and values of the constants of each kind.
    constants: [Vec<(u16, Vec<f32>)>; 3],
}

impl Sorted {
    fn new(plan: &ClipPlan, clock: &Clock) -> Result<Self, EncodeError> {
        let mut sorted = Self {
            wide: false,
            channels: Vec::new(),
            lanes: Default::default(),
            constants: Default::default(),
        };
        let mut before = None;
        for (index, c) in plan.channels.iter().enumerate() {
            let kind = match &c.keys {
                PlanKeys::Translation(_) => ChannelKind::Translation,
                PlanKeys::Rotation(_) => ChannelKind::Rotation,
                PlanKeys::Scale(_) => ChannelKind::Scale,
            };
            let here = (c.joint, kind as usize);
            if usize::from(c.joint) >= plan.joint_count || before.is_some_and(|b| here <= b) {
                return Err(EncodeError::Channel { index, joint: c.joint, channel: kind });
            }
            before = Some(here);
            let bad_keys = EncodeError::Keys { joint: c.joint, channel: kind };
            if let Some(Constant(value)) = quantise::constant(&c.keys) {
                sorted.constants[kind as usize].push((c.joint, value));
                continue;
            }
            let q: Quantised = quantise::quantise(&c.keys).map_err(|tolerance| EncodeError::Tolerance {
                joint: c.joint,
                channel: kind,
                tolerance,
            })?;
            let sequence = Sequence::new(&q, clock.rows).ok_or(bad_keys)?;
            let set = kind as usize * 2 + usize::from(sequence.is_cubic());
            sorted.wide |= sequence.is_wide();
            sorted.channels.push(StreamChannel { set, lane: sorted.lanes[set].len(), sequence });
            sorted.lanes[set].push((c.joint, q.constants));
        }
        let wide = sorted.wide;
        sorted.channels.iter_mut().for_each(|c| c.sequence.choose_predictor(wide));
        Ok(sorted)
    }

    fn push_masks(&self, words: &mut Vec<u32>, joints: usize) {
        for kind in 0..3 {
            for group in 0..group_count(joints) {
                let mask = |list: &[(u16, Vec<f32>)]| {
                    let here = list.iter().map(|(j, _)| usize::from(*j)).filter(|j| j / GROUP == group);
                    here.fold(0_u32, |mask, j| mask | 1 << (j % GROUP))
                };
                let [linear, cubic] = [&self.lanes[kind * 2], &self.lanes[kind * 2 + 1]];
                words.push(mask(&self.constants[kind]) | mask(linear) << 16);
                words.push(mask(cubic));
            }
        }
    }

    /// Constants and decoding tables, one array a component.
    fn push_tables(&self, words: &mut Vec<u32>) {
        let mut push = |list: &[(u16, Vec<f32>)]| {
            for c in 0..list.first().map_or(0, |(_, v)| v.len()) {
                words.extend(list.iter().map(|(_, v)| v[c].to_bits()));
            }
        };
        for kind in 0..3 {
            push(&self.constants[kind]);
            push(&self.lanes[kind * 2]);
            push(&self.lanes[kind * 2 + 1]);
        }
    }
}

/// The rows that blocks start at, the first being 0.
fn jump_rows(plan: &ClipPlan, clock: &Clock) -> Result<Vec<u32>, EncodeError> {
    let times = &plan.times;
    let mut wanted: Vec<f64> = match &plan.jumps {
        Jumps::None => Vec::new(),
        Jumps::At(list) => list.clone(),
        Jumps::Every(s) if !(s.is_finite() && *s > 0.0) => return Err(EncodeError::Jumps { seconds: *s }),
        Jumps::Every(s) => {
            let count = smaller(times.duration_s() / s, f64::from(clock.rows)) as u32;
            (1..=count).map(|i| f64::from(i) * s).collect()
        }
    };
    if let Some(bad) = wanted.iter().find(|t| !t.is_finite()) {
        return Err(EncodeError::Jumps { seconds: *bad });
    }
    wanted.sort_by(f64::total_cmp);
    // The last row at or before each time; the end is no place to start from.
    let last = clock.rows - 1;
    let row_at = |t: f64| {
        let (mut low, mut high) = (0, last);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if times.time_s(middle) <= t { low = middle } else { high = middle - 1 }
        }
        low
    };
    let mut rows: Vec<u32> = wanted.into_iter().map(row_at).filter(|r| *r > 0 && *r < last).collect();
    rows.insert(0, 0);
    rows.dedup();
    Ok(rows)
}

/// A jump frame and the stream up to the next one.
struct Block {
    first_row: u32,
    keys: u64,
    row_bits: u32,
    state: Vec<u8>,
    stream: Vec<u8>,
    stream_bits: u64,
}

fn write_blocks(channels: &[StreamChannel], jumps: &[u32]) -> Vec<Block> {
    // Every record by the row it is needed at, then by channel.
    let mut events: Vec<(u32, u32, u32)> = Vec::new();
    for (c, channel) in channels.iter().enumerate() {
        events.extend(channel.sequence.needed().enumerate().map(|(i, row)| (row, c as u32, i as u32)));
    }
    events.sort_unstable();
    let mut keys: u64 = channels.iter().map(|c| c.sequence.first_keys()).sum();
    let mut next = 0;
    let mut blocks = Vec::with_capacity(jumps.len());
    // How many records of each channel came before the block.
    let mut passed = vec![0_usize; channels.len()];
    for (b, first_row) in jumps.iter().copied().enumerate() {
        let end = jumps.get(b + 1).copied().unwrap_or(u32::MAX);
        let row_bits = channels
            .iter()
            .zip(&passed)
            .map(|(c, at)| c.sequence.state_row_bits(*at, first_row))
            .fold(0, |a, b| if b > a { b } else { a });
        let mut state = BitWriter::default();
        for (c, at) in channels.iter().zip(&passed) {
            c.sequence.write_state(&mut state, *at, first_row, row_bits);
        }
        let (mut stream, keys_here) = (BitWriter::default(), keys);
        while let Some((_, c, i)) = events.get(next).filter(|e| e.0 <= end) {
            channels[*c as usize].sequence.write_record(&mut stream, *i as usize);
            passed[*c as usize] += 1;
            next += 1;
            keys += 1;
        }
        let stream_bits = stream.bits();
        blocks.push(Block {
            first_row,
            keys: keys_here,
            row_bits,
            state: state.into_bytes(),
            stream: stream.into_bytes(),
            stream_bits,
        });
    }
    blocks
}
