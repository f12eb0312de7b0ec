//! A character in one file, its motions in others.

use super::{Case, Packs};
use anyhow::{Result, ensure};

pub const CASES: &[Case] = &[("a motion of another body is refused", another_body)];

/// *Praying* of one Mixamo body on another: the names agree, the bones do not.
fn another_body(packs: &Packs) -> Result<String> {
    let motion = packs.file("Animations/Praying.glb")?;
    let body = packs.file("Characters/goblin_d_shareyko_optimized.glb")?;
    let out = packs.temporary("praying.lsm");
    let said = packs.refused(&[&"import", &motion, &"--skeleton", &body, &"-o", &out])?;
    ensure!(said.contains("rests in another pose than the skeleton"), "{said}");
    ensure!(!out.exists(), "something was written");
    Ok(said)
}
