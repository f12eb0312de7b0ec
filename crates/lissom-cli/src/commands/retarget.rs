//! `lissom retarget`: which joint of one skeleton is which bone of another, before motions are brought over.

use crate::{
    commands::import::Config,
    options::{SomeRefused, bone_names},
    style::{Style, Table, Tone, plain},
};
use anyhow::{Context, Result};
use lissom_build::{
    import::{self, ImportOptions},
    retarget::{BoneNames, BoneRow, BoneTable, Found, Goals, Retarget, RetargetError, with_meshes},
    scene::{Scene, SceneMesh, SceneSkeleton},
};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file with the motions
    #[arg(value_name = "SOURCE")]
    source: PathBuf,
    /// The file with the skeleton that they are to be brought onto
    #[arg(value_name = "TARGET")]
    target: PathBuf,
    /// Every bone: its joint in each file, and how it was found
    #[arg(long)]
    table: bool,
    /// Which joint is which bone: left_hand=Fist.L, of one file only source.left_hand=Fist.L or target.left_hand=Fist.L; may be
    /// given several times
    #[arg(long, value_name = "BONE=JOINT")]
    bone: Vec<String>,
    /// `bones` from this recipe [default: the nearest lissom.toml in this folder or above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  lissom retarget dance.bvh hero.glb --table
  lissom retarget dance.bvh hero.glb --table --bone left_hand=Fist.L --bone right_hand=Fist.R
  lissom import dance.bvh --retarget hero.glb --bone left_hand=Fist.L -o dance.lsm

In lissom.toml:
  bones = { left_hand = \"Fist.L\" }                  # a joint of whichever file has it
  bones = { source = { head = \"Skull\" } }           # of the file with the motions
  bones = { target = { left_toes = \"\" } }           # no joint: this bone is left out";

#[derive(Serialize)]
struct Told {
    source: String,
    target: String,
    /// Why it cannot be done.
    refused: Option<String>,
    /// How much longer the target's legs are.
    ratio: Option<f64>,
    bones: Vec<Row>,
    /// Joints of the target that are no bones: those that go along with joints of the same name, and those that rest.
    same_names: Vec<String>,
    at_rest: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    bone: String,
    source: Option<Joint>,
    target: Option<Joint>,
}

#[derive(Serialize)]
struct Joint {
    joint: String,
    found: String,
}

impl Joint {
    fn new((joint, found): &(String, Found)) -> Self {
        Self { joint: joint.clone(), found: found.to_string() }
    }
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let recipe = Config::load(arguments.config.as_deref(), Path::new(""))?.recipe;
    let asked = bone_names(&arguments.bone)?;
    let names = asked.unwrap_or_else(|| recipe.bones_of(&arguments.source.to_string_lossy()));
    let source = body(&arguments.source, true)?;
    let target = body(&arguments.target, false)?;
    let (table, pair) = look(&source, &target, &names)?;
    let ratio = pair.as_ref().ok().map(|pair| pair.report().ratio);
    let refused = pair.err().map(|error| error.to_string());
    if arguments.json {
        let row = |row: &BoneRow| Row {
            bone: row.bone.key(),
            source: row.source.as_ref().map(Joint::new),
            target: row.target.as_ref().map(Joint::new),
        };
        let told = Told {
            source: arguments.source.display().to_string(),
            target: arguments.target.display().to_string(),
            refused: refused.clone(),
            ratio,
            bones: table.rows.iter().map(row).collect(),
            same_names: table.same_names,
            at_rest: table.at_rest,
        };
        serde_json::to_writer_pretty(&mut *out, &told)?;
        writeln!(out)?;
    } else {
        write(arguments, &table, ratio, out)?;
    }
    match refused {
        None => Ok(()),
        Some(text) => {
            writeln!(std::io::stderr(), "lissom: {}", plain(&text))?;
            Err(SomeRefused.into())
        }
    }
}

/// The bones of both, and what retargeting would be.
fn look(
    source: &(SceneSkeleton, Vec<SceneMesh>),
    target: &(SceneSkeleton, Vec<SceneMesh>),
    names: &BoneNames,
) -> Result<(BoneTable, Result<Retarget, RetargetError>)> {
    let (from, to) = (&source.0.skeleton, &target.0.skeleton);
    let (own, other) = names.maps(from, to)?;
    let (own, other) = (with_meshes(own, from, &source.1), with_meshes(other, to, &target.1));
    let table = BoneTable::new((from, &own), (to, &other));
    Ok((table, Retarget::new((from, &own), (to, &other), Goals::default())))
}

/// The skeleton of a file and its meshes: of a source the one that moves, of a target the first.
fn body(path: &Path, moves: bool) -> Result<(SceneSkeleton, Vec<SceneMesh>)> {
    let options = ImportOptions { no_images: true, ..ImportOptions::default() };
    let Scene { skeletons, animations, mut meshes, .. } = import::open(path, &options)?;
    let index = animations.iter().find_map(|clip| clip.skeleton).filter(|_| moves).unwrap_or(0);
    meshes.retain(|mesh| mesh.skeleton == index);
    let skeleton = skeletons.into_iter().nth(index);
    Ok((skeleton.with_context(|| format!("{}: it has no skeleton", path.display()))?, meshes))
}

fn write(arguments: &Arguments, table: &BoneTable, ratio: Option<f64>, out: &mut impl Write) -> Result<()> {
    let style = Style::stdout();
    for row in table.not_found() {
        let text = match (&row.source, &row.target) {
            (Some((joint, _)), _) => format!("not found in the target; in the source it is {joint:?}"),
            (_, Some((joint, _))) => format!("not found in the source; in the target it is {joint:?}"),
            _ => "not found in the source, nor in the target".to_owned(),
        };
        writeln!(out, "{}", style.bad(&format!("{}: {}", row.bone, plain(&text))))?;
    }
    if arguments.table {
        let mut shown = Table::new(&["bone", "source joint", "found by", "target joint", "found by"]);
        let cells = |joint: &Option<(String, Found)>| match joint {
            Some((joint, found)) => [plain(joint), found.to_string()],
            None => ["-".to_owned(), "not found".to_owned()],
        };
        for row in &table.rows {
            let tone = if row.is_matched() { Tone::Plain } else { Tone::Bad };
            let [[source, how], [target, other]] = [cells(&row.source), cells(&row.target)];
            shown.row(vec![row.bone.to_string(), source, how, target, other], tone);
        }
        for name in &table.same_names {
            let (name, how) = (plain(name), "same name".to_owned());
            shown.row(vec!["(no bone)".to_owned(), name.clone(), how.clone(), name, how], Tone::Faint);
        }
        shown.write(style, out)?;
    }
    let (matched, all) = table.matched();
    let along = if table.same_names.is_empty() {
        String::new()
    } else {
        format!(", {} joints of the same name go along", table.same_names.len())
    };
    let legs = ratio.map(|ratio| format!("; legs are {ratio:.2} times as long")).unwrap_or_default();
    writeln!(
        out,
        "{matched} of {all} bones match, fingers not counted{along}; {} joints of the target rest{legs}",
        table.at_rest.len()
    )?;
    if !arguments.table {
        writeln!(out, "{}", style.faint("--table shows every bone; --bone or a recipe correct it"))?;
    }
    Ok(())
}
