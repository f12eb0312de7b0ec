//! Sampling on every backend, beside ozz's figures and our goals.

use crate::{
    compression,
    table::{Line, Table, ns},
};
use anyhow::{Context, Result};
use lissom::{Clip, math::simd::Backend};
use lissom_bench::{
    ozz::{self, Goal},
    player::Way,
    rows::{self, Subject},
};
use lissom_build::{
    SkeletonBuilder,
    cook::{Effort, Form},
    import::{ozz as archive, rawclip},
};
use std::{fs, path::Path};

/// A set of raw clips that is printed as one row a way: the geometric mean of its quotients.
struct Set {
    name: &'static str,
    goals: [[f64; 2]; 4],
    clips: Vec<&'static Subject>,
}

/// What is sampled: made once, for all backends.
pub struct Stage {
    subjects: Vec<&'static Subject>,
    sets: Vec<Set>,
}

impl Stage {
    /// The mannequin; with a folder that holds `assets/ozz/bin` also ozz's walk, and with `rawclips` in it the sets that
    /// ozz was measured on.
    pub fn new(folder: Option<&Path>) -> Result<Self> {
        let mut subjects = Subject::of_mannequin()?;
        let mut sets = Vec::new();
        if let Some(folder) = folder {
            let bin = folder.join("assets/ozz/bin");
            let read = |file: &str| -> Result<archive::OzzArchive> {
                let path = bin.join(file);
                Ok(archive::read(&fs::read(&path).with_context(|| path.display().to_string())?)?)
            };
            let (skeleton, walk) = (read("pab_skeleton.ozz")?, read("pab_walk.ozz")?);
            let skeleton = skeleton.skeletons().next().context("no skeleton")?;
            let walk = walk.animations().next().context("no animation")?.clone();
            subjects.push(Subject::new("pab walk", skeleton, &walk, Form::Auto, Some(ozz::WALK))?);
            let raw = folder.join("rawclips");
            if raw.is_dir() {
                sets.push(read_set("27 CMU clips", "cmu", ozz::CMU, &raw)?);
                sets.push(read_set("104 glTF clips", "gltf", ozz::GLTF, &raw)?);
            }
        }
        Ok(Self { subjects, sets })
    }

    /// Every row on one backend.
    pub fn measure(&self, backend: Backend) -> Vec<Line> {
        let mut lines = Vec::new();
        for subject in &self.subjects {
            lines.extend(Table::new(backend).rows(rows::sampling(subject, backend)));
        }
        for set in &self.sets {
            let table = Table::new(backend);
            let mut logs = [0.0; Way::ALL.len()];
            for subject in &set.clips {
                for (log, mut row) in logs.iter_mut().zip(rows::sampling(subject, backend)) {
                    let goal = row.goal.expect("a set is what ozz was measured on");
                    *log += libm::log(table.quotient(ns(&mut row), goal));
                }
            }
            for (i, way) in Way::ALL.into_iter().enumerate() {
                let mean = libm::exp(logs[i] / set.clips.len() as f64);
                lines.push(table.mean(format!("{}, {}", set.name, way.name()), mean, set.goals[i]));
            }
        }
        if let Some(walk) = self.subjects.last() {
            lines.extend(Table::new(backend).rows(rows::character(walk, backend)));
        }
        lines
    }
}

fn read_set(name: &'static str, folder: &str, goals: [[f64; 2]; 4], raw: &Path) -> Result<Set> {
    let table = raw.join("ozz-0.16.csv");
    let table = fs::read_to_string(&table).with_context(|| table.display().to_string())?;
    let mut clips = Vec::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.first() != Some(&folder) {
            continue;
        }
        let file = raw.join(folder).join(format!("{}.rawclip", fields[1]));
        let source = rawclip::read(&fs::read(&file).with_context(|| file.display().to_string())?)?;
        let skeleton = SkeletonBuilder::build(&source.skeleton)?;
        let builder = compression::builder(&source, &skeleton, 0.01, Effort::Default);
        let cooked = builder.build(&skeleton, &source.animation)?;
        let mut ns = [0.0; 4];
        for (ns, field) in ns.iter_mut().zip(&fields[5..9]) {
            *ns = field.parse().with_context(|| line.to_owned())?;
        }
        let goals = core::array::from_fn(|i| Goal::new(ns[i], goals[i][0], goals[i][1]));
        let clip = Clip::from_bytes(&cooked.bytes)?;
        let subject =
            Subject { name: fields[1].into(), skeleton: skeleton.skeleton, clip, goals: Some(goals) };
        clips.push(&*Box::leak(Box::new(subject)));
    }
    Ok(Set { name, goals, clips })
}
