//! Tables under `files`: how files of some names are read.

use super::{RecipeError, RecipeFile, value::Value};
use crate::{
    import::{ImportOptions, MotionFit},
    retarget::BoneNames,
    text::pattern::fits,
};

/// The keys of such a table: how one file is read. How clips are cooked is said by clip.
pub(super) const KEYS: &[&str] = &[
    "unit",
    "up",
    "forward",
    "rate",
    "as-is",
    "rebase",
    "bones",
    "no-mesh",
    "no-images",
    "influences",
    "layout",
    "strict",
];

/// The most tables under `files`.
const MOST: usize = 1000;

/// How files of some names are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileRule {
    /// Their names, or their paths as archives record them: `*` stands for any characters, `?` for one, upper and lower
    /// case are the same.
    pub files: String,
    /// What is said of them: how they are read, and nothing else.
    pub says: RecipeFile,
    /// Where that was said.
    pub line: Option<usize>,
}

impl FileRule {
    /// True if a file of this path is meant.
    #[must_use]
    pub fn fits(&self, path: &str) -> bool {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        fits(&self.files, path) || fits(&self.files, name)
    }

    /// The options, with what is said here in place of theirs. Bones are added to theirs.
    pub(crate) fn apply(&self, options: &mut ImportOptions) {
        let says = &self.says;
        options.unit = says.unit.unwrap_or(options.unit);
        options.up = says.up.or(options.up);
        options.forward = says.forward.or(options.forward);
        options.rate_hz = says.rate_hz.or(options.rate_hz);
        options.motion = MotionFit::asked(says.as_is, says.rebase).unwrap_or(options.motion);
        if let Some(bones) = &says.bones {
            options.bones.add(bones);
        }
        options.no_mesh = says.no_mesh.unwrap_or(options.no_mesh);
        options.no_images = says.no_images.unwrap_or(options.no_images);
        options.influences = says.influences.or(options.influences);
        options.layout = says.layout.or(options.layout);
        options.strict = says.strict.unwrap_or(options.strict);
    }
}

impl RecipeFile {
    /// Which joints are which bones when motions of this file are retargeted: what is said of all files, and of this one.
    #[must_use]
    pub fn bones_of(&self, path: &str) -> BoneNames {
        let mut names = self.bones.clone().unwrap_or_default();
        let rules = self.files.iter().filter(|rule| rule.fits(path));
        rules.filter_map(|rule| rule.says.bones.as_ref()).for_each(|bones| names.add(bones));
        names
    }
}

pub(super) fn rules(files: &Value<'_>) -> Result<Vec<FileRule>, RecipeError> {
    let tables = files.table()?.any_entries();
    if let Some(one) = tables.get(MOST) {
        return Err(one.wrong(format!("there are {} tables of files, at most {MOST} are read", tables.len())));
    }
    let rule = |value: &Value<'_>| {
        let table = value.table()?;
        let mut says = RecipeFile::default();
        for value in table.entries(KEYS, "")? {
            says.set(&value)?;
        }
        if says.as_is == Some(true) && says.rebase == Some(true) {
            return Err(value.wrong("as-is and rebase exclude each other"));
        }
        Ok(FileRule { files: value.key().to_owned(), says, line: Some(table.line()) })
    };
    tables.iter().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        import::{Axis, Unit},
        recipe::read,
    };

    #[test]
    fn files_of_some_names_are_read_otherwise_and_flags_go_before_that() {
        let text = "up = 'y'\n[files.'*.bvh']\nunit = 'cm'\nup = 'z'\n[files.'extra/*']\nno-mesh = true\n";
        let recipe = read(text.as_bytes()).unwrap();
        let [bvh, extra] = recipe.files.as_slice() else { panic!("{:?}", recipe.files) };
        assert!(bvh.fits("walk.BVH") && bvh.fits("a/b/walk.bvh") && !bvh.fits("walk.glb"));
        assert!(extra.fits("extra/walk.glb") && !extra.fits("walk.glb"));
        let read_as = |recipe: &RecipeFile| {
            let mut options = recipe.clone().options().import;
            recipe.files[0].apply(&mut options);
            (options.unit, options.up)
        };
        assert_eq!(read_as(&recipe), (Unit::Metres(0.01), Some(Axis::Z)));
        let asked = RecipeFile { unit: Some(Unit::Metres(1.0)), ..RecipeFile::default() };
        assert_eq!(
            read_as(&recipe.with(asked)),
            (Unit::Metres(1.0), Some(Axis::Z)),
            "what was asked for goes before"
        );
        let wrong = read(b"[files.'*.bvh']\nprecision = '1mm'\n").unwrap_err();
        assert_eq!(wrong.to_string(), r#"line 2: files."*.bvh" has no key "precision""#);
        assert!(read(b"files = 1").is_err() && read(b"[files]\na = 1").is_err());
        let both = read(b"[files.a]\nas-is = true\nrebase = true\n").unwrap_err();
        assert_eq!(both.to_string(), "line 1: files.a: as-is and rebase exclude each other");
    }

    #[test]
    fn bones_of_some_files_are_added_to_those_of_all() {
        let text = "bones = { head = 'Skull', source = { left_hand = 'Fist' } }
                [files.'a.bvh']\nbones = { source = { left_hand = 'Hook', hips = '' } }
                [files.'b.*']\nbones = { left_hand = 'Claw' }";
        let recipe = read(text.as_bytes()).unwrap();
        let line = |file: &str| recipe.bones_of(file).to_toml();
        assert_eq!(
            line("mocap/a.bvh"),
            r#"bones = { head = "Skull", source = { hips = "", left_hand = "Hook" } }"#.to_owned() + "\n"
        );
        assert_eq!(line("b.bvh"), r#"bones = { head = "Skull", left_hand = "Claw" }"#.to_owned() + "\n");
        assert_eq!(line("c.bvh"), recipe.bones.clone().unwrap_or_default().to_toml());
        let mut options = recipe.clone().options().import;
        recipe.files[0].apply(&mut options);
        assert_eq!(options.bones, recipe.bones_of("a.bvh"), "the pipeline does the same");
    }
}
