//! Cubics with implied slopes through as few keys as follow the source.

use super::candidates::{Fit, Track};

impl<V: Fit> Track<V> {
    /// Cubics with implied slopes: start sparse, add keys where they miss, then take out what is not needed.
    /// `None` if that does not work with half the keys.
    pub(super) fn fit_hermite(&self, tolerance: f64) -> Option<Vec<usize>> {
        const SPARSE: usize = 8;
        let last = self.len() - 1;
        if last < 4 {
            return None;
        }
        let mut keys: Vec<usize> =
            (0..=last).filter(|i| i % SPARSE == 0 || *i == last || self.locked[*i]).collect();
        // Whether the segment that starts at a key is known to be good.
        let mut good = vec![false; keys.len()];
        loop {
            let mut added = Vec::new();
            for i in 0..keys.len() - 1 {
                if good[i] {
                    continue;
                }
                match self.worst_of_cubic(&keys, i, tolerance) {
                    None => good[i] = true,
                    Some(_) if keys[i + 1] - keys[i] == 1 => {
                        // Too close already: only closer neighbours can help.
                        let before = i > 0 && keys[i] - keys[i - 1] > 1;
                        let after = keys.get(i + 2).is_some_and(|k| k - keys[i + 1] > 1);
                        if !before && !after {
                            return None;
                        }
                        if before {
                            added.push(keys[i] - 1);
                        }
                        if after {
                            added.push(keys[i + 1] + 1);
                        }
                    }
                    Some(at) => added.push(at.clamp(keys[i] + 1, keys[i + 1] - 1)),
                }
            }
            if added.is_empty() {
                break;
            }
            added.sort_unstable();
            added.dedup();
            if (keys.len() + added.len()) * 2 > last {
                return None;
            }
            (keys, good) = merge(&keys, &good, &added);
        }
        self.take_out(&mut keys, tolerance);
        Some(keys)
    }

    /// The test that the cubic from key i to the next misses most, as a candidate; `None` if it misses none.
    fn worst_of_cubic(&self, keys: &[usize], i: usize, tolerance: f64) -> Option<usize> {
        let each = self.tests_each;
        let mut worst = (tolerance, None);
        for (test, d) in self.off_cubic(keys, i) {
            if d > worst.0 {
                worst = (d, Some((test + each / 2) / each));
            }
        }
        worst.1
    }

    /// The tests between key i and the next, each with how far off it the cubic is.
    fn off_cubic(&self, keys: &[usize], i: usize) -> impl Iterator<Item = (usize, f64)> {
        let (a, b) = (keys[i], keys[i + 1]);
        let before = i.checked_sub(1).map(|i| keys[i]);
        let after = keys.get(i + 2).copied();
        let cubic = self.cubic(before, a, b, after);
        let tests = a * self.tests_each + 1..b * self.tests_each;
        tests.map(move |test| (test, V::distance(cubic(self.test_time(test)), self.test(test))))
    }

    /// The cubic that the player makes of four neighbouring keys; see [`Curve::Hermite`].
    fn cubic(&self, before: Option<usize>, a: usize, b: usize, after: Option<usize>) -> impl Fn(f64) -> V {
        let (p1, p2) = (self.values[a], self.values[b].near(self.values[a]));
        let (t1, t2) = (self.times[a], self.times[b]);
        let slope = |(t0, v0): (f64, V), (t3, v3): (f64, V)| {
            let k = 1.0 / (t3 - t0);
            V::mix(v3, k, v0, -k)
        };
        let p0 = before.map_or((t1, p1), |i| (self.times[i], self.values[i].near(p1)));
        let p3 = after.map_or((t2, p2), |i| (self.times[i], self.values[i].near(p2)));
        let (d1, d2) = (slope(p0, (t2, p2)), slope((t1, p1), p3));
        let span = t2 - t1;
        move |time_s| {
            let t = (time_s - t1) / span;
            let (u2, u3) = (t * t, t * t * t);
            let ends = V::mix(p1, 2.0 * u3 - 3.0 * u2 + 1.0, p2, 3.0 * u2 - 2.0 * u3);
            let slopes = V::mix(d1, (u3 - 2.0 * u2 + t) * span, d2, (u3 - u2) * span);
            V::mix(ends, 1.0, slopes, 1.0).settle()
        }
    }

    /// Takes out every key that its neighbours can do without, from the first to the last.
    fn take_out(&self, keys: &mut Vec<usize>, tolerance: f64) {
        let mut kept: Vec<usize> = vec![keys[0]];
        let mut i = 1;
        while i + 1 < keys.len() {
            let candidate = keys[i];
            let longest = 256;
            let from = *kept.last().expect("the first is kept");
            let fits = !self.locked[candidate] && keys[i + 1] - from <= longest && {
                // The three segments whose shape changes, with a neighbour on either side.
                let mut near: Vec<usize> = kept[kept.len().saturating_sub(3)..].to_vec();
                let first = near.len().saturating_sub(2);
                near.extend_from_slice(&keys[i + 1..(i + 4).min(keys.len())]);
                let end = (first + 3).min(near.len() - 1);
                (first..end).all(|s| self.off_cubic(&near, s).all(|(_, d)| d <= tolerance))
            };
            if !fits {
                kept.push(candidate);
            }
            i += 1;
        }
        kept.push(keys[keys.len() - 1]);
        *keys = kept;
    }
}

/// Two rising lists as one; segments near a new key must be looked at again.
fn merge(keys: &[usize], good: &[bool], added: &[usize]) -> (Vec<usize>, Vec<bool>) {
    let mut all = Vec::with_capacity(keys.len() + added.len());
    let mut flags = Vec::with_capacity(all.capacity());
    let mut fresh = Vec::new();
    let mut next = added.iter().copied().peekable();
    for (key, good) in keys.iter().zip(good) {
        while let Some(new) = next.next_if(|n| n < key) {
            fresh.push(all.len());
            all.push(new);
            flags.push(false);
        }
        // A key that is there already changes nothing.
        next.next_if(|n| n == key);
        all.push(*key);
        flags.push(*good);
    }
    for at in fresh {
        for s in at.saturating_sub(2)..(at + 2).min(flags.len()) {
            flags[s] = false;
        }
    }
    (all, flags)
}
