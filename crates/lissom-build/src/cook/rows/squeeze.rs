//! Fewer bits for a block of a channel: among integers near the targets those whose differences are smallest.
//!
//! All rows of a block pay for its largest difference. Often one row makes it large, and an integer next to the
//! nearest would not: the cheapest way through is found by dynamic programming over -1, 0, +1 for each row, and
//! taken if the caller finds that every key it changes still fits.

use super::block::{BLOCK, KeyTarget, nearest};
use lissom::clip::format::{
    rows::{difference, first_row},
    signed_bits,
};

/// Integers that are looked at for each row: the nearest, and one to each side.
const CHOICES: usize = 3;

/// A block of a channel.
pub(super) struct Squeeze<'a> {
    keys: &'a mut [[i32; 3]],
    targets: &'a [KeyTarget],
}

/// The bits that each row of a component needs, and whether the prediction goes on as before.
fn width(keys: &[[i32; 3]], component: usize, goes_on: bool) -> u32 {
    (first_row(goes_on)..keys.len())
        .map(|r| signed_bits(difference(keys, component, goes_on, r)))
        .max()
        .unwrap_or(0)
}

impl<'a> Squeeze<'a> {
    pub fn new(keys: &'a mut [[i32; 3]], targets: &'a [KeyTarget]) -> Self {
        Self { keys, targets }
    }

    /// Lowers the widths as long as `fits` allows the keys that this takes.
    pub fn run(mut self, fits: impl Fn(usize, [i32; 3]) -> bool) {
        let sum = |keys: &[[i32; 3]], on: bool| (0..3).map(|c| width(keys, c, on)).sum::<u32>();
        let goes_on = sum(self.keys, true) < sum(self.keys, false);
        let mut open = [true; 3];
        while open.contains(&true) {
            for (c, open) in open.iter_mut().enumerate() {
                *open = *open && self.lower(c, goes_on, &fits);
            }
        }
    }

    /// One bit less for a component, if that is possible.
    fn lower(&mut self, c: usize, goes_on: bool, fits: &impl Fn(usize, [i32; 3]) -> bool) -> bool {
        let now = width(self.keys, c, goes_on);
        if now == 0 || self.keys.len() <= first_row(goes_on) {
            return false;
        }
        let found = if goes_on { self.path_on(c, now - 1) } else { self.path_held(c, now - 1) };
        let Some(path) = found else { return false };
        let key = |r: usize| {
            let mut key = self.keys[r];
            key[c] = path[r];
            key
        };
        let changed = |r: &usize| path[*r] != self.keys[*r][c];
        if !(0..self.keys.len()).filter(changed).all(|r| fits(r, key(r))) {
            return false;
        }
        for (key, to) in self.keys.iter_mut().zip(path) {
            key[c] = to;
        }
        true
    }

    /// The integers to choose from at a row, and what each costs.
    fn choices(&self, c: usize, r: usize) -> [(i32, f64); CHOICES] {
        let target = self.targets[r][c];
        let middle = nearest(target);
        [-1, 0, 1].map(|d| {
            let n = middle + d;
            let off = f64::from(n) - target;
            (n, off * off)
        })
    }

    /// The best way with differences from the row before within a width.
    fn path_held(&self, c: usize, width: u32) -> Option<[i32; BLOCK]> {
        let rows = self.keys.len();
        let mut cost = self.choices(c, 0).map(|x| x.1);
        let mut from = [[0_u8; CHOICES]; BLOCK];
        let mut before = self.choices(c, 0);
        for (r, from) in from.iter_mut().enumerate().take(rows).skip(1) {
            let here = self.choices(c, r);
            let mut next = [f64::INFINITY; CHOICES];
            for (to, (n, own)) in here.iter().enumerate() {
                for (i, (b, _)) in before.iter().enumerate() {
                    if cost[i] + own < next[to] && holds(n - b, width) {
                        next[to] = cost[i] + own;
                        from[to] = i as u8;
                    }
                }
            }
            cost = next;
            before = here;
        }
        let mut at = least(&cost)?;
        let mut path = [0; BLOCK];
        for r in (0..rows).rev() {
            path[r] = self.choices(c, r)[at].0;
            at = usize::from(from[r][at]);
        }
        Some(path)
    }

    /// The best way with differences of differences within a width.
    fn path_on(&self, c: usize, width: u32) -> Option<[i32; BLOCK]> {
        const PAIRS: usize = CHOICES * CHOICES;
        let rows = self.keys.len();
        let mut cost = [0.0; PAIRS];
        let (mut a, mut b) = (self.choices(c, 0), self.choices(c, 1));
        for (i, cost) in cost.iter_mut().enumerate() {
            *cost = a[i / CHOICES].1 + b[i % CHOICES].1;
        }
        // For each row and pair (row before, row): the choice two rows before.
        let mut from = [[0_u8; PAIRS]; BLOCK];
        for (r, from) in from.iter_mut().enumerate().take(rows).skip(2) {
            let here = self.choices(c, r);
            let mut next = [f64::INFINITY; PAIRS];
            for (i, cost) in cost.iter().enumerate() {
                if *cost == f64::INFINITY {
                    continue;
                }
                let (x, y) = (a[i / CHOICES].0, b[i % CHOICES].0);
                let expected = y + (y - x);
                for (to, (n, own)) in here.iter().enumerate() {
                    let pair = (i % CHOICES) * CHOICES + to;
                    if cost + own < next[pair] && holds(n - expected, width) {
                        next[pair] = cost + own;
                        from[pair] = (i / CHOICES) as u8;
                    }
                }
            }
            cost = next;
            (a, b) = (b, here);
        }
        let mut pair = least(&cost)?;
        let mut path = [0; BLOCK];
        for r in (1..rows).rev() {
            path[r] = self.choices(c, r)[pair % CHOICES].0;
            let before = pair / CHOICES;
            pair = usize::from(from[r][pair]) * CHOICES + before;
            if r == 1 {
                path[0] = self.choices(c, 0)[before].0;
            }
        }
        Some(path)
    }
}

/// True if a number fits this number of bits.
fn holds(v: i32, width: u32) -> bool {
    signed_bits(v) <= width
}

fn least(costs: &[f64]) -> Option<usize> {
    let best = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
    (costs[best] < f64::INFINITY).then_some(best)
}
