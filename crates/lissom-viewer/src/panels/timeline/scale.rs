//! From times to places and back, and where numbers stand.

use egui::Rangef;

/// A part of time along a part of the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub across: Rangef,
    pub from_s: f64,
    pub to_s: f64,
}

/// A line on the ruler; those with words are longer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub time_s: f64,
    pub words: Option<String>,
}

impl Scale {
    pub fn x(&self, time_s: f64) -> f32 {
        let share = (time_s - self.from_s) / (self.to_s - self.from_s);
        self.across.min + self.across.span() * share as f32
    }

    pub fn time_s(&self, x: f32) -> f64 {
        let share = f64::from((x - self.across.min) / self.across.span().max(1.0));
        self.from_s + (self.to_s - self.from_s) * share
    }

    /// Points a second.
    pub fn points(&self) -> f64 {
        f64::from(self.across.span()) / (self.to_s - self.from_s).max(1e-12)
    }

    /// Lines with numbers so far apart that words of this width never touch: seconds, or, with a rate, frames.
    pub fn ticks(&self, width: f32, rate_hz: Option<f64>) -> Vec<Tick> {
        let unit_s = rate_hz.map_or(1.0, |rate| 1.0 / rate);
        let apart = f64::from(width) / (self.points() * unit_s);
        let least = if rate_hz.is_some() { 1.0 } else { 1e-3 };
        let mut power = least;
        let step = loop {
            if let Some(step) = [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|step| *step >= apart) {
                break step;
            }
            power *= 10.0;
        };
        // Four lines without words between two with, or as many as there are frames.
        let parts = match rate_hz {
            Some(_) => (step as u64).clamp(1, 5),
            None => 5,
        };
        let fine = step / parts as f64;
        let decimals = if rate_hz.is_some() { 0 } else { (-step.log10()).ceil().max(0.0) as usize };
        let (first, last) =
            ((self.from_s / unit_s / fine).ceil() as i64, (self.to_s / unit_s / fine).floor() as i64);
        (first..=last)
            .map(|n| {
                let value = n as f64 * fine;
                let words = (n.rem_euclid(parts as i64) == 0).then(|| format!("{value:.decimals$}"));
                Tick { time_s: value * unit_s, words }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(from_s: f64, to_s: f64, width: f32) -> Scale {
        Scale { across: Rangef::new(100.0, 100.0 + width), from_s, to_s }
    }

    #[test]
    fn numbers_never_touch_and_are_never_too_few() {
        for rate_hz in [None, Some(30.0), Some(24.0)] {
            for length_s in [0.03, 0.4, 1.067, 7.3, 95.0, 4000.0] {
                for width in [120.0, 700.0, 2500.0] {
                    let scale = scale(length_s * 0.1, length_s * 1.1, width);
                    let ticks = scale.ticks(50.0, rate_hz);
                    let named: Vec<f32> =
                        ticks.iter().filter(|t| t.words.is_some()).map(|t| scale.x(t.time_s)).collect();
                    assert!(named.windows(2).all(|x| x[1] - x[0] >= 49.9), "{rate_hz:?} {length_s} {width}");
                    assert!(ticks.len() < 400, "{}", ticks.len());
                    if rate_hz.is_none() {
                        assert!(
                            named.len() as f32 >= width / 50.0 / 2.6 - 1.5,
                            "{length_s} {width}: {}",
                            named.len()
                        );
                    }
                    assert!(ticks.iter().all(|t| scale.across.expand(0.1).contains(scale.x(t.time_s))));
                }
            }
        }
    }

    #[test]
    fn numbers_say_what_they_stand_at() {
        let words =
            |ticks: Vec<Tick>| ticks.into_iter().filter_map(|t| t.words).collect::<Vec<_>>().join(" ");
        assert_eq!(
            words(scale(0.0, 1.0, 600.0).ticks(50.0, None)),
            "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"
        );
        assert_eq!(words(scale(0.0, 1.0, 600.0).ticks(50.0, Some(30.0))), "0 5 10 15 20 25 30");
        assert_eq!(
            words(scale(2.0, 2.05, 600.0).ticks(50.0, None)),
            "2.000 2.005 2.010 2.015 2.020 2.025 2.030 2.035 2.040 2.045 2.050"
        );
        let scale = scale(0.5, 2.5, 800.0);
        assert!((scale.time_s(scale.x(1.234)) - 1.234).abs() < 1e-6);
    }
}
