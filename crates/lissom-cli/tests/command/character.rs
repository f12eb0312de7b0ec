//! docs/CHARACTER.md: every command and every line of code of it runs, on the mannequin's own file.

use crate::common::{folder, good, write};
use lissom::archive::Archive;
use lissom_motion::{Animator, RootStep};
use std::fs;
use std::path::Path;

fn blocks(page: &str, kind: &str) -> Vec<String> {
    let start = format!("```{kind}\n");
    let parts = page.split(&start).skip(1);
    parts.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn a_character_in_an_afternoon() -> Result<(), Box<dyn std::error::Error>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/CHARACTER.md");
    let page = fs::read_to_string(page)?;
    let root = folder("character");
    write(root.join("lissom.toml"), &blocks(&page, "toml")[0]);
    write(root.join("hero.json"), &blocks(&page, "json")[0]);
    let commands = blocks(&page, "sh");
    let commands: Vec<&str> = commands.iter().flat_map(|block| block.lines()).collect();
    assert_eq!(commands.len(), 8);
    for command in commands {
        let words = command.split_whitespace().skip(1);
        // Files are those of the folder.
        let is_file =
            |word: &str| [".glb", ".json", ".lsm", ".svg", ".png"].iter().any(|end| word.ends_with(end));
        let place =
            |word: &str| if is_file(word) { root.join(word).display().to_string() } else { word.to_owned() };
        let said = good(&words.map(place).collect::<Vec<_>>());
        assert!(!said.is_empty(), "{command}");
    }
    // The code of the page is this.
    let own = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/character.rs"))?;
    for line in blocks(&page, "rust").iter().flat_map(|block| block.lines()) {
        let line = line.trim().replace("\"hero.lsm\"", "&path");
        assert!(own.contains(&line), "the page has a line that is not run: {line}");
    }
    let path = root.join("hero.lsm");

    let archive = Archive::open(&path)?;
    let mut hero = Animator::new(&archive, "hero")?;
    let (speed, crouch) = (hero.graph().float("speed")?, hero.graph().bool("crouch")?);
    let mut place = RootStep::IDENTITY;
    let mut steps = 0;
    hero.play("wave").on("upper_body").fade(0.2).start()?;
    for frame in 0..300 {
        hero.set(speed, if frame < 60 { 0.0 } else { 1.3 })?; // from your gamepad
        hero.set(crouch, frame >= 240)?;
        hero.update(1.0 / 60.0)?;
        place = place.then(&hero.root_delta()); // where your game puts the character
        steps += hero.events().filter(|event| event.marker.name == "step" && event.weight > 0.5).count();
        let _matrices = hero.models(); // for your renderer; or hero.palette("mesh"), hero.body_mut().skin()
    }
    println!("{:.1} m, {steps} steps", place.translation[2]);

    // Three seconds of walking, and a stand before and after.
    assert!((3.0..4.5).contains(&place.translation[2]), "{place:?}");
    assert!((4..=7).contains(&steps), "{steps}");
    assert_eq!(hero.state().leading(hero.graph(), 0), Some("crouch"));
    Ok(())
}
