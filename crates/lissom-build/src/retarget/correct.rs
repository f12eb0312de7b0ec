//! Corrections: what somebody says of a bone goes before what was found.

use super::{Bone, BoneMap, RetargetError};
use crate::{raw::RawSkeleton, recipe::quoted, text::words::nearest};
use std::collections::BTreeMap;

/// Which joints bones are, by name. An empty name is no joint: the bone is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoneNames {
    /// Of whichever skeleton has a joint of that name, or of both.
    pub either: BTreeMap<Bone, String>,
    /// Of the skeleton that motions come from.
    pub source: BTreeMap<Bone, String>,
    /// Of the skeleton that motions are brought onto.
    pub target: BTreeMap<Bone, String>,
}

/// A word that is no bone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no bone {key:?}{}", .near.as_ref().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default())]
pub struct NoSuchBone {
    /// The word.
    pub key: String,
    /// What may have been meant.
    pub near: Option<String>,
}

impl NoSuchBone {
    fn new(key: &str) -> Self {
        let known: Vec<String> = Bone::all().map(Bone::key).collect();
        let near = nearest(key, known.iter().map(String::as_str)).map(str::to_owned);
        Self { key: key.to_owned(), near }
    }
}

impl BoneNames {
    /// Says which joint a bone is. The key is that of the bone ([`Bone::key`]), after `source.` or `target.` if it is for one of the
    /// skeletons only.
    ///
    /// ```
    /// use lissom_build::retarget::BoneNames;
    ///
    /// let mut names = BoneNames::default();
    /// names.set("left_hand", "Fist.L")?;
    /// names.set("source.head", "Skull")?;
    /// let error = names.set("left_hnd", "Fist.L").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no bone \"left_hnd\"; did you mean \"left_hand\"?");
    /// # Ok::<(), lissom_build::retarget::NoSuchBone>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoSuchBone`].
    pub fn set(&mut self, key: &str, joint: &str) -> Result<(), NoSuchBone> {
        let (names, key) = match (key.strip_prefix("source."), key.strip_prefix("target.")) {
            (Some(key), _) => (&mut self.source, key),
            (_, Some(key)) => (&mut self.target, key),
            _ => (&mut self.either, key),
        };
        let bone = Bone::from_key(key).ok_or_else(|| NoSuchBone::new(key))?;
        names.insert(bone, joint.to_owned());
        Ok(())
    }

    /// Adds what others say. What they say of a bone goes before what was said of it here.
    pub fn add(&mut self, others: &Self) {
        let Self { either, source, target } = others;
        // A name for one of the skeletons would hide a later one for either.
        self.source.retain(|bone, _| !either.contains_key(bone));
        self.target.retain(|bone, _| !either.contains_key(bone));
        for (own, new) in [(&mut self.either, either), (&mut self.source, source), (&mut self.target, target)]
        {
            own.extend(new.iter().map(|(bone, joint)| (*bone, joint.clone())));
        }
    }

    /// The line of a recipe that says all of it; empty if nothing is said.
    ///
    /// ```
    /// use lissom_build::{recipe, retarget::BoneNames};
    ///
    /// let mut names = BoneNames::default();
    /// names.set("left_hand", "Fist.L")?;
    /// names.set("source.head", "")?;
    /// let line = names.to_toml();
    /// assert_eq!(line, "bones = { left_hand = \"Fist.L\", source = { head = \"\" } }\n");
    /// assert_eq!(recipe::read(line.as_bytes())?.bones, Some(names));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_toml(&self) -> String {
        let entries = |names: &BTreeMap<Bone, String>| -> Vec<String> {
            names.iter().map(|(bone, joint)| format!("{} = {}", bone.key(), quoted(joint))).collect()
        };
        let mut all = entries(&self.either);
        for (side, names) in [("source", &self.source), ("target", &self.target)] {
            if !names.is_empty() {
                all.push(format!("{side} = {{ {} }}", entries(names).join(", ")));
            }
        }
        if all.is_empty() { String::new() } else { format!("bones = {{ {} }}\n", all.join(", ")) }
    }

    /// The bones of both skeletons.
    ///
    /// # Errors
    ///
    /// [`RetargetError::NoSuchName`].
    pub fn maps(
        &self,
        source: &RawSkeleton,
        target: &RawSkeleton,
    ) -> Result<(BoneMap, BoneMap), RetargetError> {
        let mut known = [Vec::new(), Vec::new()];
        for (bone, joint) in &self.either {
            let found = [source, target].map(|skeleton| find(skeleton, joint));
            if found == [None; 2] && !joint.is_empty() {
                return Err(no_such_name("source or target", &[source, target], *bone, joint));
            }
            for (known, found) in known.iter_mut().zip(found) {
                // A name that only one of them has says nothing of the other.
                if found.is_some() || joint.is_empty() {
                    known.push((*bone, found));
                }
            }
        }
        let own = [(&self.source, "source", source), (&self.target, "target", target)];
        for (known, (names, word, skeleton)) in known.iter_mut().zip(own) {
            for (bone, joint) in names {
                let found = find(skeleton, joint);
                if found.is_none() && !joint.is_empty() {
                    return Err(no_such_name(word, &[skeleton], *bone, joint));
                }
                known.retain(|(other, _)| other != bone);
                known.push((*bone, found));
            }
        }
        let [of_source, of_target] = known;
        Ok((BoneMap::corrected(source, &of_source), BoneMap::corrected(target, &of_target)))
    }
}

fn find(skeleton: &RawSkeleton, name: &str) -> Option<usize> {
    skeleton.joints.iter().position(|joint| joint.name == name)
}

fn no_such_name(
    skeleton: &'static str,
    skeletons: &[&RawSkeleton],
    bone: Bone,
    joint: &str,
) -> RetargetError {
    let names = skeletons.iter().flat_map(|skeleton| &skeleton.joints).map(|joint| joint.name.as_str());
    let near = nearest(joint, names).map(str::to_owned);
    RetargetError::NoSuchName { skeleton, bone, joint: joint.to_owned(), near }
}
