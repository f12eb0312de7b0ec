//! Quick looks while a clip is searched for: few times, the source kept in model space.

use super::metric::ErrorMetric;
use crate::exact::{M34, larger};
use lissom::math::Transform;

/// The same times measured again and again, with the source kept in model space.
pub(crate) struct Probe<'m, 'a> {
    metric: &'m ErrorMetric<'a>,
    times: Vec<f64>,
    /// All joints at all times, as long as that is not too much memory.
    source_models: Vec<M34>,
}

/// Matrices that a probe keeps: 192 MB.
const KEPT_MODELS: usize = 2_000_000;

impl<'m, 'a> Probe<'m, 'a> {
    /// Measures at these times.
    pub(crate) fn new(metric: &'m ErrorMetric<'a>, times: Vec<f64>) -> Self {
        let n = metric.source().joints.len();
        let mut source_models = Vec::new();
        if times.len().saturating_mul(n) <= KEPT_MODELS {
            source_models = vec![M34::IDENTITY; times.len() * n];
            let mut walk = metric.source().walk();
            for (t, models) in times.iter().zip(source_models.chunks_exact_mut(n)) {
                walk.models(*t, models);
            }
        }
        Self { metric, times, source_models }
    }

    /// The worst error of each joint, ambiguous times left out.
    pub(crate) fn measure<E>(
        &self,
        mut decode: impl FnMut(f64, &mut [Transform]) -> Result<(), E>,
    ) -> Result<Vec<f64>, E> {
        let n = self.metric.source().joints.len();
        let mut worst = vec![0.0; n];
        let mut fresh = vec![M34::IDENTITY; n];
        let mut models = vec![M34::IDENTITY; n];
        let mut pose = vec![Transform::IDENTITY; n];
        let mut errors = vec![0.0; n];
        let mut doubtful = vec![false; n];
        let mut walk = self.metric.source().walk();
        for (i, time_s) in self.times.iter().enumerate() {
            decode(*time_s, &mut pose)?;
            let source_models = self.source_models.get(i * n..(i + 1) * n).unwrap_or_else(|| {
                walk.models(*time_s, &mut fresh);
                &fresh
            });
            self.metric.errors(source_models, &pose, &mut models, &mut errors);
            let any = self.metric.mark_ambiguous(*time_s, &mut doubtful);
            for j in 0..n {
                if !(any && doubtful[j]) {
                    worst[j] = larger(errors[j], worst[j]);
                }
            }
        }
        Ok(worst)
    }
}
