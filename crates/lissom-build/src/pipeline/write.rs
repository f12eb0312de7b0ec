//! Scenes, cooked clips and graphs become one archive.

use super::{Cooked, Input, InputError, MatchingReport, PipelineError, Plan, Report, file::Opened, stamp};
use crate::{
    archive::{SceneWriter, clip_version},
    cook::{CookedClip, Form},
    graph::Known,
    matching::CookedMatching,
    scene::Scene,
};
use lissom::{
    archive::{
        SectionKind,
        layout::{GRAPH_VERSION, MATCHING_VERSION},
    },
    clip::format,
};
use lissom_motion::{GraphParts, matching::Database};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Writes what could be cooked, the graphs that were given, and the stamp.
pub(super) fn archive(
    plan: &Plan,
    inputs: &[Input<'_>],
    opened: Vec<Result<Opened, InputError>>,
    clips: Vec<Vec<Result<CookedClip, InputError>>>,
    databases: Vec<Result<CookedMatching, InputError>>,
) -> Result<Cooked, PipelineError> {
    let mut writer = SceneWriter::new();
    let mut stamp = plan.head.clone();
    let (mut known, mut came) = (Known::default(), BTreeMap::new());
    let mut reports = Vec::with_capacity(inputs.len());
    let opened_rules = opened.iter().flatten().map(|o| o.prepared.edited.used.clone()).collect::<Vec<_>>();
    let used = |rule: &usize| opened_rules.iter().any(|used| used.get(*rule) == Some(&true));
    let unused = (0..plan.rules.len()).filter(|rule| !used(rule)).collect();
    for ((input, opened), clips) in inputs.iter().zip(opened).zip(clips) {
        reports.push((|| {
            let mut opened = opened?;
            let clips = clips.into_iter().collect::<Result<Vec<CookedClip>, InputError>>()?;
            tell_of_keys(plan, &mut opened.file.scene, &clips);
            tell_of_archive(&mut opened, &clips);
            let scene = &mut opened.file.scene;
            // A graph that was given takes the place of one that came along.
            let given = plan.graphs.iter().map(|own| &own.name).chain(plan.like.iter().map(|own| &own.name));
            let given: BTreeSet<&String> = given.collect();
            scene.graphs.retain(|own| !given.contains(&own.name));
            came.extend(scene.graphs.iter().map(|own| (own.name.clone(), own.parts.clone())));
            known.add(scene);
            let report = Report::new(input, &opened, &clips);
            let clips = clips.into_iter().map(|c| c.bytes).collect();
            writer
                .add(&opened.file.stem, &opened.file.scene, &opened.skeletons, clips)
                .map_err(|source| InputError::Write { name: input.name().to_owned(), source })?;
            stamp.push_str(&opened.file.stamp);
            Ok(report)
        })());
    }
    if !plan.graphs.is_empty() || !plan.like.is_empty() {
        // What is wrong with one is told where it is written.
        let cooked = databases.iter().flatten();
        let made =
            cooked.filter_map(|own| Some((own.name.clone(), Arc::new(Database::new(&own.parts).ok()?))));
        known.databases = Some(made.collect());
    }
    let graphs = write_graphs(plan, came, &known, &mut writer)?;
    let matching = write_databases(databases, &mut writer)?;
    // One without a graph or database that was asked for must not take the place of one that has it.
    let archive = if reports.iter().any(Result::is_ok)
        && graphs.iter().all(Result::is_ok)
        && matching.iter().all(Result::is_ok)
    {
        writer.carry(stamp::KIND, stamp::VERSION, 0, stamp::NAME, stamp.as_bytes())?;
        Some(writer.finish().finish()?)
    } else {
        None
    };
    Ok(Cooked { archive, inputs: reports, graphs, matching, unused, stamp })
}

/// Graphs are checked against the clips and joints that the archive has, then added; then those that are like them, or like those that
/// came with the inputs.
fn write_graphs(
    plan: &Plan,
    mut there: BTreeMap<String, GraphParts>,
    known: &Known,
    writer: &mut SceneWriter,
) -> Result<Vec<Result<String, InputError>>, PipelineError> {
    let mut all = Vec::with_capacity(plan.graphs.len() + plan.like.len());
    let mut put = |name: &String, parts: GraphParts, there: &mut BTreeMap<String, GraphParts>| {
        let bytes = parts.to_bytes();
        there.insert(name.clone(), parts);
        writer.carry(SectionKind::Graph, GRAPH_VERSION, 0, name, &bytes).map(|()| Ok(name.clone()))
    };
    for graph in &plan.graphs {
        all.push(match graph.file.check_with(known) {
            Ok((parts, _)) => put(&graph.name, parts, &mut there)?,
            Err(source) => Err(InputError::Graph { name: graph.path.clone(), source }),
        });
    }
    for rule in &plan.like {
        let wrong = |text| Err(InputError::GraphLike { name: rule.name.clone(), line: rule.line, text });
        if there.contains_key(&rule.name) {
            all.push(wrong("there is another graph of this name".into()));
            continue;
        }
        all.push(match rule.apply(&there, known) {
            Ok(parts) => put(&rule.name, parts, &mut there)?,
            Err(text) => wrong(text),
        });
    }
    Ok(all)
}

fn write_databases(
    databases: Vec<Result<CookedMatching, InputError>>,
    writer: &mut SceneWriter,
) -> Result<Vec<Result<MatchingReport, InputError>>, PipelineError> {
    let mut all = Vec::with_capacity(databases.len());
    for database in databases {
        all.push(match database {
            Ok(cooked) => {
                let bytes = cooked.parts.to_bytes();
                writer.carry(SectionKind::Matching, MATCHING_VERSION, 0, &cooked.name, &bytes)?;
                Ok(MatchingReport::new(cooked, bytes.len()))
            }
            Err(error) => Err(error),
        });
    }
    Ok(all)
}

/// A clip that was cooked from a cooked one: two errors add up, and one of them is known.
fn tell_of_archive(opened: &mut Opened, clips: &[CookedClip]) {
    let again = opened.copied(clips).filter(|copied| !copied).count();
    if opened.file.is_archive && again > 0 {
        let text = format!(
            "{again} of {} clips were cooked again: their errors are against this archive, not against what it was made of",
            clips.len()
        );
        opened.file.scene.warn("", text);
    }
}

/// Rows were asked for, and are not what every motion can be.
fn tell_of_keys(plan: &Plan, scene: &mut Scene, clips: &[CookedClip]) {
    if plan.cook.form != Form::Rows {
        return;
    }
    let keys = |clip: &CookedClip| clip_version(&clip.bytes) == format::keys::VERSION;
    let names = scene.animations.iter().zip(clips).filter(|(_, clip)| keys(clip));
    let names: Vec<String> = names.map(|(a, _)| a.motion.name.clone()).collect();
    for name in names {
        let text = "it steps, or lies on no even rate, so it was cooked as keys, not as rows";
        scene.warn(format!("clip {name:?}"), text);
    }
}
