//! Who owns a clip's bytes, and which bytes are no longer a clip.

use lissom::{
    Clip, ClipError, SharedBytes,
    archive::AlignedBytes,
    clip::format::keys::{self as format, word},
};
use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, Effort, Form},
    mannequin::{self, Motion},
};
use std::thread;

fn walk(form: Form) -> Vec<u8> {
    let skeleton = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let builder = ClipBuilder { precision: 0.01, effort: Effort::Fast, form, ..ClipBuilder::default() };
    builder.build(&skeleton, &mannequin::clip(Motion::Walk)).unwrap().bytes
}

#[test]
fn a_shared_clip_plays_where_it_is_and_keeps_its_bytes_alive() {
    let bytes = walk(Form::Rows);
    let mut file = vec![7; 64];
    file.extend_from_slice(&bytes);
    let all = SharedBytes::new(AlignedBytes::copy_of(&file));
    let at = all[64..].as_ptr();
    let clip = Clip::from_shared(all.slice(64..file.len()).unwrap()).unwrap();
    drop(all);
    let other = clip.clone();
    drop(clip);
    assert_eq!((other.as_bytes(), other.as_bytes().as_ptr()), (&*bytes, at));
    let copied = Clip::from_bytes(&bytes).unwrap();
    // Clips go to other threads.
    let name = thread::spawn(move || other.view().name().to_owned()).join().unwrap();
    assert_eq!(name, copied.view().name());
}

#[test]
fn shared_bytes_at_an_odd_place_are_refused_and_copied_bytes_are_not() {
    let bytes = walk(Form::Rows);
    let mut file = vec![7; 66];
    file.extend_from_slice(&bytes);
    let all = SharedBytes::new(AlignedBytes::copy_of(&file));
    let odd = all.slice(66..file.len()).unwrap();
    assert_eq!(Clip::from_shared(odd.clone()).unwrap_err(), ClipError::Misaligned);
    assert!(Clip::from_bytes(&odd).is_ok());
    assert!(matches!(Clip::from_shared(all.slice(64..67).unwrap()), Err(ClipError::Length { .. })));
}

#[test]
fn half_float_keys_are_refused_by_name() {
    let bytes = walk(Form::Keys);
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    assert!(Clip::from_words(words.clone().into()).is_ok());
    words[word::VERSION_FLAGS] |= u32::from(format::RETIRED_PLAIN16) << 16;
    let identity = format::checksum(&words);
    words[word::IDENTITY] = identity as u32;
    words[word::IDENTITY + 1] = (identity >> 32) as u32;
    let error = Clip::from_words(words.into()).unwrap_err();
    assert!(matches!(error, ClipError::Retired { offset: 4, .. }), "{error:?}");
    assert!(error.to_string().contains("plain16"), "{error}");
}
