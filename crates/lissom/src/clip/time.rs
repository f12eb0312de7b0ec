//! Times in a clip.

/// A time in a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleTime {
    /// Seconds; before 0 is 0, after the end is the end.
    Clamped(f64),
    /// Seconds, repeating every duration: the end is the start again.
    Wrapped(f64),
    /// A share of the duration; before 0 is 0, above 1 is 1.
    Ratio(f64),
}

impl SampleTime {
    /// Seconds in [0, duration].
    pub(crate) fn seconds(self, duration_s: f64) -> f64 {
        let t = match self {
            Self::Clamped(t) => t,
            Self::Ratio(r) => r * duration_s,
            Self::Wrapped(t) => {
                let t = t % duration_s;
                if t < 0.0 { t + duration_s } else { t }
            }
        };
        if t < 0.0 {
            0.0
        } else if t > duration_s {
            duration_s
        } else {
            t
        }
    }

    pub(crate) fn value(self) -> f64 {
        match self {
            Self::Clamped(t) | Self::Wrapped(t) | Self::Ratio(t) => t,
        }
    }
}

/// A moment as kernels take it: a tick, and how far it is to the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    pub tick: u32,
    pub fraction: f32,
}
