//! `lissom.toml` as a file: what is read, and what is refused in which words.

use lissom_build::{
    cook::{Effort, Form, Jumps},
    edit::{Additive, EditKind, Looping, RootEdit},
    import::{Axis, Unit},
    mesh::VertexLayout,
    raw::{RootMotionRule, RootReference, Travel},
    recipe::{LARGEST, RecipeError, RecipeFile, read},
    retarget::BoneNames,
    scene::Marker,
};
use std::num::NonZeroU8;

const WHOLE: &str = r#"
precision = "0.2mm"
shell = "2cm"
budget = "4KB"
jumps = 0.25
form = "rows"
effort = "max"
unit = "cm"
up = "z"
forward = "-y"
rate = 30
skeleton = "hero.glb"
no-mesh = false
no-images = true
influences = 4
layout = "skinning"
strict = true
clip = ["walk", "run"]

[clips."*"]
rate = 60
[clips."Armature|*"]
name = "*"
trim = [0.5, 1.75]
reverse = true
mirror = "z"
root-motion = { joint = "Hips", axes = "xyz", turn = false, reference = "rest", bake = false, loop = true }
in-place = "drift"
loop = "close"
events = { step = [0.25, 0.75], hit = { at = 0.5, lasts = 0.125 } }
precision = "1mm"
joints = { "*Hand*" = "0.02mm" }
additive = { clip = "idle", at = 0 }
skip = false
[clips.walk_right]
from = "walk"
mirror = true
"#;

#[test]
fn a_whole_recipe_is_read_in_the_order_of_the_file() {
    let file = read(WHOLE.as_bytes()).unwrap();
    assert_eq!((file.precision_m, file.shell_m, file.budget), (Some(0.2 * 1e-3), Some(0.02), Some(4096)));
    assert_eq!(
        (file.jumps, file.form, file.effort),
        (Some(Jumps::Every(0.25)), Some(Form::Rows), Some(Effort::Max))
    );
    assert_eq!(
        (file.unit, file.up, file.forward),
        (Some(Unit::Metres(0.01)), Some(Axis::Z), Some(Axis::MinusY))
    );
    assert_eq!((file.rate_hz, file.skeleton), (Some(30.0), Some("hero.glb".into())));
    assert_eq!((file.no_mesh, file.no_images, file.strict), (Some(false), Some(true), Some(true)));
    assert_eq!((file.influences, file.clips.len()), (NonZeroU8::new(4), 2));
    assert_eq!(file.layout, Some(VertexLayout::Skinning));
    let names: Vec<&str> = file.rules.iter().map(|r| r.clips.as_str()).collect();
    assert_eq!(names, ["*", "Armature|*", "walk_right"]);
    assert_eq!((file.rules[1].line, file.rules[1].edits[1].line), (Some(22), Some(24)));
    let kinds: Vec<EditKind> = file.rules[1].edits.iter().map(|e| e.kind.clone()).collect();
    let event = |name: &str, time_s, duration_s| Marker { name: name.into(), time_s, duration_s };
    let wanted = [
        EditKind::Name("*".into()),
        EditKind::Trim(Some(0.5), Some(1.75)),
        EditKind::Reverse(true),
        EditKind::Mirror(Some(Axis::Z)),
        EditKind::RootMotion(Some(RootEdit {
            from_feet: false,
            joint: Some("Hips".into()),
            rule: RootMotionRule {
                axes: [true; 3],
                turn: false,
                reference: RootReference::Rest,
                bake: false,
                looping: true,
                ..RootMotionRule::default()
            },
        })),
        EditKind::InPlace(Some(Travel::Drift)),
        EditKind::Loop(Looping::Close),
        EditKind::Events(vec![event("step", 0.25, 0.0), event("step", 0.75, 0.0), event("hit", 0.5, 0.125)]),
        EditKind::Precision(1e-3),
        EditKind::Joints(vec![("*Hand*".into(), 0.02 * 1e-3)]),
        EditKind::Additive(Additive::Clip { name: "idle".into(), at_s: Some(0.0) }),
        EditKind::Skip(false),
    ];
    assert_eq!(kinds, wanted);
    let root = |text: &str| match &read(text.as_bytes()).unwrap().rules[0].edits[0].kind {
        EditKind::RootMotion(root) => root.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(root("[clips.a]\nroot-motion = true"), Some(RootEdit::default()));
    assert_eq!(root("[clips.a]\nroot-motion = false"), None);
    assert_eq!(root("[clips.a]\nroot-motion = 'hips'").unwrap().joint.as_deref(), Some("hips"));
    let by_feet = RootEdit { from_feet: true, ..RootEdit::default() };
    assert_eq!(root("[clips.a]\nroot-motion = 'from feet'"), Some(by_feet));
    assert_eq!(file.rules[2].from.as_deref(), Some("walk"));
    assert_eq!(read(b""), Ok(RecipeFile::default()));
    assert_eq!(read("\u{feff}rate = 30".as_bytes()).unwrap().rate_hz, Some(30.0));
}

#[test]
fn what_is_wrong_is_named_by_line_and_key() {
    for (text, message) in [
        ("precisoin = 1", r#"line 1: a recipe has no key "precisoin"; did you mean "precision"?"#),
        ("\n[clips.walk]\nlop = true", r#"line 3: clips.walk has no key "lop"; did you mean "loop"?"#),
        ("banana = 1", r#"line 1: a recipe has no key "banana""#),
        (
            "precision = 5",
            r#"line 1: precision: "5": a number alone is metres, and that is a lot: write 5mm"#,
        ),
        (
            "precision = 0.011",
            r#"line 1: precision: "0.011": a number alone is metres, and that is a lot: write 0.011mm"#,
        ),
        (
            "precision = \"5\"",
            r#"line 1: precision: "5": a number alone is metres, and that is a lot: write 5mm"#,
        ),
        (
            "[clips.\"a b\"]\n\nprecision = 1",
            r#"line 3: clips."a b".precision: "1": a number alone is metres, and that is a lot: write 1mm"#,
        ),
        (
            "[clips.a]\njoints = { hand = 2 }",
            r#"line 2: clips.a.joints.hand: "2": a number alone is metres, and that is a lot: write 2mm"#,
        ),
        (
            "[graph.tired]\nof = 'hero'",
            "line 1: graph.tired: it needs other clips: clips = { walk = \"limp\" }",
        ),
        (
            "\n[graph.tired]\nclips = { walk = 'limp' }",
            "line 2: graph.tired: it needs the graph that it is like: of = \"hero\"",
        ),
        ("[graph.tired]\nbase = 'hero'", r#"line 2: graph.tired has no key "base""#),
        (
            "[graph.tired]\nof = 'hero'\nclips = { walk = 2 }",
            "line 3: graph.tired.clips.walk: it must be a text in quotes",
        ),
        ("effort = \"lazy\"", r#"line 1: effort: it must be "fast" or "default" or "max""#),
        ("up = \"w\"", r#"line 1: up: "w": it must be an axis: x, y, z, -x, -y or -z"#),
        ("influences = 256", "line 1: influences: it must be 1 to 255"),
        ("rate = 1e9", "line 1: rate: it must be samples a second, above 0 and up to 1000"),
        ("[clips.a]\ntrim = [2, 1]", "line 2: clips.a.trim: the second time must be after the first"),
        (
            "[clips.a]\ntrim = 1",
            "line 2: clips.a.trim: it must be two times in seconds, [0.5, 2], or a range, \"0.5..\"",
        ),
        (
            "[clips.a]\nroot-motion = 1",
            r#"line 2: clips.a.root-motion: it must be true, false, a joint, "from feet", or { joint = "hips", axes = "xz" }"#,
        ),
        (
            "[clips.a]\nroot-motion = { axes = \"xw\" }",
            r#"line 2: clips.a.root-motion.axes: it must be some of x, y and z: "xz""#,
        ),
        ("[clips.a]\nloop = 1", r#"line 2: clips.a.loop: it must be true, false, "auto" or "close""#),
        ("[clips.a]\nevents = { x = -1 }", "line 2: clips.a.events.x: it must be seconds, not below 0"),
        (
            "[clips.a]\nevents = { x = { lasts = 1 } }",
            "line 2: clips.a.events.x: it needs a time: { at = 0.3 }",
        ),
        (
            "[clips.\"a*\"]\nfrom = \"b\"",
            "line 2: clips.\"a*\".from: a clip that is made of another has a name of its own, without * and ?",
        ),
        ("clips = 1", "line 1: clips: it must be a table"),
        ("[clips]\na = 1", "line 2: clips.a: it must be a table"),
        ("rate = nan", "line 1: rate: it must be samples a second, above 0 and up to 1000"),
    ] {
        assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), message, "{text}");
    }
    assert_eq!(read(b"a\n\xff").unwrap_err(), RecipeError::NoText { line: 2 });
    assert!(matches!(read(b"rate = 30\nrate ="), Err(RecipeError::Syntax { line: 2, .. })));
    assert!(matches!(read(&vec![b'#'; LARGEST + 1]), Err(RecipeError::TooLong { .. })));
    let many: String = (0..1001).map(|i| format!("[clips.c{i}]\n")).collect();
    let error = read(many.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "line 1001: clips.c1000: there are 1001 tables of clips, at most 1000 are read");
    // A hundredth of a metre is the most that needs no unit.
    assert_eq!(read(b"precision = 0.01").unwrap().precision_m, Some(0.01));
    assert_eq!(read(b"precision = '20mm'").unwrap().precision_m, Some(0.02));
}

#[test]
fn depth_costs_no_stack() {
    for deep in [
        "a.".repeat(50_000) + "b = 1",
        "a = ".to_owned() + &"[".repeat(200_000),
        "[".to_owned() + &"a.".repeat(100_000) + "b]",
    ] {
        assert!(read(deep.as_bytes()).is_err());
    }
}

#[test]
fn names_of_joints_are_read_as_they_were_written() {
    let mut names = BoneNames::default();
    for (key, joint) in [
        ("left_hand", "a \"quoted\" one"),
        ("source.head", "C:\\back\\slash"),
        ("source.hips", "tab\tline\nbell\u{7}del\u{7f}"),
        ("target.neck", ""),
        ("target.right_little_3", "Zeh'ns Größe 骨"),
    ] {
        names.set(key, joint).unwrap();
    }
    assert_eq!(read(names.to_toml().as_bytes()).unwrap().bones, Some(names));
    assert_eq!(BoneNames::default().to_toml(), "");
}
