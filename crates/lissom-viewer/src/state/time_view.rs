//! Which part of a clip's time is seen.

/// From one time to another, in seconds; both 0: all of the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TimeView {
    from_s: f64,
    to_s: f64,
}

/// The least that is seen, in seconds.
const LEAST_S: f64 = 0.02;

impl TimeView {
    /// From where to where, of a clip of this length.
    pub fn shown(self, duration_s: f64) -> [f64; 2] {
        let to_s = self.to_s.min(duration_s);
        if to_s - self.from_s > LEAST_S * 0.5 { [self.from_s, to_s] } else { [0.0, duration_s.max(1e-9)] }
    }

    /// True if all of the clip is seen.
    pub fn is_whole(self, duration_s: f64) -> bool {
        self.shown(duration_s) == [0.0, duration_s.max(1e-9)]
    }

    /// Nearer (above 1) or farther; what is at a time stays where it is.
    pub fn zoomed(self, at_s: f64, factor: f64, duration_s: f64) -> Self {
        let [from_s, to_s] = self.shown(duration_s);
        let length_s = ((to_s - from_s) / factor).clamp(LEAST_S.min(duration_s), duration_s);
        let share = ((at_s - from_s) / (to_s - from_s)).clamp(0.0, 1.0);
        Self::from(at_s - length_s * share, length_s, duration_s)
    }

    /// Later, or earlier.
    pub fn moved(self, by_s: f64, duration_s: f64) -> Self {
        let [from_s, to_s] = self.shown(duration_s);
        Self::from(from_s + by_s, to_s - from_s, duration_s)
    }

    /// Just as much of it that a time is seen.
    pub fn with(self, time_s: f64, duration_s: f64) -> Self {
        let [from_s, to_s] = self.shown(duration_s);
        match time_s {
            t if t < from_s => self.moved(t - from_s, duration_s),
            t if t > to_s => self.moved(t - to_s, duration_s),
            _ => self,
        }
    }

    fn from(from_s: f64, length_s: f64, duration_s: f64) -> Self {
        let from_s = from_s.clamp(0.0, (duration_s - length_s).max(0.0));
        Self { from_s, to_s: from_s + length_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_the_pointer_stays_there_while_it_is_zoomed() {
        let mut view = TimeView::default();
        assert!(view.is_whole(10.0));
        for factor in [2.0, 3.0, 1.5, 0.5] {
            let share = |view: TimeView| {
                let [from, to] = view.shown(10.0);
                (4.0 - from) / (to - from)
            };
            let before = share(view);
            view = view.zoomed(4.0, factor, 10.0);
            assert!((share(view) - before).abs() < 1e-9, "{view:?}");
        }
        assert!(!view.is_whole(10.0));
        assert!(view.zoomed(4.0, 1e-3, 10.0).is_whole(10.0), "no farther than all of it");
        let [from, to] = view.zoomed(4.0, 1e9, 10.0).shown(10.0);
        assert!((to - from - LEAST_S).abs() < 1e-9);
    }

    #[test]
    fn it_never_leaves_the_clip() {
        let near = TimeView::default().zoomed(1.0, 5.0, 10.0);
        for (view, shown) in [
            (near.moved(-100.0, 10.0), [0.0, 2.0]),
            (near.moved(100.0, 10.0), [8.0, 10.0]),
            (near.with(9.0, 10.0), [7.0, 9.0]),
        ] {
            let [from, to] = view.shown(10.0);
            assert!((from - shown[0]).abs() < 1e-9 && (to - shown[1]).abs() < 1e-9, "{from} {to}");
        }
        // Of a shorter clip all is seen.
        assert!(near.moved(100.0, 10.0).is_whole(3.0));
        assert_eq!(TimeView::default().shown(0.0)[0], 0.0);
    }
}
