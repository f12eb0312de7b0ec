//! Options of the command and keys of a recipe: the same words, with the same meaning.

use super::*;
use clap::{Args, Command, FromArgMatches};
use lissom_build::recipe;
use std::collections::BTreeSet;

/// A key of a recipe with a value, and the same as an option.
const SAME: [(&str, &str, &[&str]); 23] = [
    ("precision", "'0.2mm'", &["--precision", "0.2mm"]),
    ("shell", "'2cm'", &["--shell", "2cm"]),
    ("budget", "'4KB'", &["--budget", "4KB"]),
    ("jumps", "0.25", &["--jumps", "0.25"]),
    ("form", "'rows'", &["--form", "rows"]),
    ("effort", "'max'", &["--effort", "max"]),
    ("unit", "'cm'", &["--unit", "cm"]),
    ("up", "'z'", &["--up", "z"]),
    ("forward", "'-y'", &["--forward", "-y"]),
    ("rate", "30", &["--rate", "30"]),
    ("skeleton", "'hero.glb'", &["--skeleton", "hero.glb"]),
    ("as-is", "true", &["--as-is"]),
    ("rebase", "true", &["--rebase"]),
    ("retarget", "'hero.glb'", &["--retarget", "hero.glb"]),
    ("goals", "'feet'", &["--goals", "feet"]),
    (
        "bones",
        "{ left_hand = 'Fist.L', source = { head = 'Skull' } }",
        &["--bone", "left_hand=Fist.L", "--bone", "source.head=Skull"],
    ),
    ("no-mesh", "true", &["--no-mesh"]),
    ("no-images", "true", &["--no-images"]),
    ("influences", "4", &["--influences", "4"]),
    ("layout", "'skinning'", &["--layout", "skinning"]),
    ("strict", "true", &["--strict"]),
    ("clip", "['walk', 'run']", &["--clip", "walk", "--clip", "run"]),
    ("graphs", "['hero.json']", &["--graph", "hero.json"]),
];

/// Options of one run: no recipe says them.
const ONE_RUN: [&str; 10] =
    ["output", "stream", "pack", "shard", "force", "threads", "config", "json", "quiet", "verbose"];

/// Edits of all clips: a recipe says them in a table of `clips`.
const EDITS: [&str; 12] = [
    "name",
    "trim",
    "reverse",
    "mirror",
    "root-motion",
    "in-place",
    "loop",
    "contacts",
    "gait",
    "additive",
    "event",
    "joint",
];

fn command() -> Command {
    Arguments::augment_args(Command::new("import"))
}

#[test]
fn every_key_is_an_option_and_means_the_same() {
    let known: BTreeSet<&str> =
        SAME.iter().map(|(key, ..)| *key).chain(["files", "clips", "graph", "matching"]).collect();
    assert_eq!(known, recipe::KEYS.iter().copied().collect());
    for (key, value, options) in SAME {
        let said = ["import", "hero.glb", "-o", "hero.lsm"].iter().chain(options);
        let matches = command().try_get_matches_from(said).unwrap();
        let asked = asked(&Arguments::from_arg_matches(&matches).unwrap()).unwrap();
        assert_ne!(asked, RecipeFile::default(), "{options:?} says nothing");
        assert_eq!(asked, recipe::read(format!("{key} = {value}").as_bytes()).unwrap(), "{key}");
    }
    let options: BTreeSet<String> =
        SAME.iter().map(|(_, _, options)| options[0].replacen("--", "", 1)).collect();
    for argument in command().get_arguments() {
        let Some(long) = argument.get_long() else { continue };
        let elsewhere = ONE_RUN.contains(&long) || EDITS.contains(&long);
        assert!(elsewhere != options.contains(long), "--{long}: a key of a recipe, or an option of one run?");
    }
}
