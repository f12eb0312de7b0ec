//! The machine that a figure was measured on.

use crate::timing::calibration_ns;
use lissom_math::simd::Backend;
use serde_json::{Value, json};

/// The machine, in words.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The CPU's own name, or its architecture.
    pub cpu: String,
    /// Threads that may run at once.
    pub threads: usize,
    /// `linux x86_64`.
    pub system: String,
    /// What kernels run on.
    pub backend: &'static str,
    /// ns of one step of a dependent multiply and add: figures of two runs compare through it.
    pub calibration_ns: f64,
}

impl Machine {
    /// Looks at the machine, and takes the calibration (some 40 ms).
    #[must_use]
    pub fn look() -> Self {
        use std::env::consts::{ARCH, OS};
        Self {
            cpu: cpu_name().unwrap_or_else(|| ARCH.to_string()),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{OS} {ARCH}"),
            backend: Backend::best().name(),
            calibration_ns: calibration_ns(),
        }
    }

    /// All of it, and whether this is a debug build.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "cpu": self.cpu, "threads": self.threads, "system": self.system, "backend": self.backend,
            "calibration_ns": self.calibration_ns, "debug": cfg!(debug_assertions),
        })
    }
}

fn cpu_name() -> Option<String> {
    let name = if cfg!(target_os = "linux") {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        text.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':').map(|p| p.1.to_string()))?
    } else if cfg!(target_os = "macos") {
        let run = std::process::Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output();
        String::from_utf8(run.ok()?.stdout).ok()?
    } else {
        std::env::var("PROCESSOR_IDENTIFIER").ok()?
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}
