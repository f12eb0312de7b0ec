//! Characters side by side are characters one by one: bit for bit.

use lissom::{
    JointLod, JointMask, Skeleton,
    job::{
        BatchJob, BatchPalettes, BatchPlan, BatchScratch, HalfRows, JobError, LocalToModelJob, PaletteRows,
        Update,
    },
    math::{
        Mat4, Mat34, Transform,
        scalar::half,
        simd::Backend,
        soa::{self, SoaTransform},
    },
};
use lissom_testkit::{
    alloc::assert_no_alloc,
    compare::{assert_same, same_bits},
    generate,
    rng::Rng,
};

const NONE: Mat4 = Mat4::ZERO;

/// Random characters of a random skeleton, some of their numbers no numbers, in rows that are in no order.
struct Stage {
    skeleton: Skeleton,
    poses: Vec<SoaTransform>,
    rows: Vec<usize>,
    binds: Vec<Mat34>,
    places: Vec<Mat34>,
}

impl Stage {
    fn new(rng: &mut Rng, joints: usize, characters: usize) -> Self {
        let skeleton = generate::skeleton(rng, joints);
        let mut poses = Vec::new();
        for _ in 0..characters {
            let pose =
                if rng.one_in(5) { generate::nasty_pose(rng, joints) } else { generate::pose(rng, joints) };
            poses.extend(soa::from_transforms(&pose));
        }
        let mut rows: Vec<usize> = (0..characters + 3).collect();
        for i in 0..rows.len() {
            rows.swap(i, rng.below(characters + 3));
        }
        rows.truncate(characters);
        let matrices = |rng: &mut Rng, count| -> Vec<Mat34> {
            generate::pose(rng, count).into_iter().map(Transform::to_mat34).collect()
        };
        let (binds, places) = (matrices(rng, joints), matrices(rng, characters));
        Self { skeleton, poses, rows, binds, places }
    }

    fn matrices(&self) -> usize {
        (self.rows.len() + 3) * self.skeleton.joint_count()
    }

    /// One job a character, and plain products.
    fn one_by_one(&self, lod: Option<&JointLod>, placed: bool) -> (Vec<Mat4>, Vec<Option<Mat34>>) {
        let (joints, groups) = (self.skeleton.joint_count(), self.skeleton.group_count());
        let mut models = vec![NONE; self.matrices()];
        let mut palettes = vec![None; self.matrices()];
        for (c, row) in self.rows.iter().enumerate() {
            let models = &mut models[row * joints..(row + 1) * joints];
            let locals = &self.poses[c * groups..(c + 1) * groups];
            let job = LocalToModelJob::new(&self.skeleton, locals, models);
            LocalToModelJob { lod, update: Update::All, ..job }
                .run_on(Backend::all().next().unwrap())
                .unwrap();
            for joint in 0..joints {
                let from = lod.map_or(Some(joint), |lod| lod.nearest(&self.skeleton, joint)).unwrap();
                let m = Mat34::from_mat4(&models[from]).mul(&self.binds[from]);
                palettes[row * joints + joint] = Some(if placed { self.places[c].mul(&m) } else { m });
            }
        }
        (models, palettes)
    }

    fn compare(&self, lod: Option<&JointLod>) {
        let plan = BatchPlan::new(&self.skeleton, lod).unwrap();
        let nearest = |joint| lod.map_or(joint, |lod| lod.nearest(&self.skeleton, joint).unwrap());
        let binds: Vec<PaletteRows> =
            (0..self.binds.len()).map(|joint| rows_of(&self.binds[nearest(joint)])).collect();
        let mut scratch = BatchScratch::default();
        for placed in [false, true] {
            let (wanted, wanted_palettes) = self.one_by_one(lod, placed);
            for backend in Backend::all() {
                let mut models = vec![NONE; self.matrices()];
                let mut floats: Vec<PaletteRows> = vec![[[7.0; 4]; 3]; self.matrices()];
                let mut halves: Vec<HalfRows> = vec![[[7; 4]; 3]; self.matrices()];
                let mut run = |models: &mut [Mat4], palettes| {
                    let (plan, locals, rows, binds) = (&plan, &self.poses, &self.rows, &binds);
                    let places = if placed { &self.places[..] } else { &[] };
                    BatchJob { plan, locals, rows, models, binds, places, palettes, scratch: &mut scratch }
                        .run_on(backend)
                        .unwrap();
                };
                run(&mut models, BatchPalettes::F32(&mut floats));
                assert_same(&format!("{backend}"), &models, &wanted);
                models.fill(NONE);
                run(&mut models, BatchPalettes::None);
                assert_same(&format!("{backend}, matrices alone"), &models, &wanted);
                run(&mut [], BatchPalettes::F16(&mut halves));
                for ((found, halves), wanted) in floats.iter().zip(&halves).zip(&wanted_palettes) {
                    let Some(wanted) = wanted.as_ref().map(rows_of) else {
                        // Rows of no character are left alone.
                        assert_eq!((found, halves), (&[[7.0; 4]; 3], &[[7; 4]; 3]));
                        continue;
                    };
                    for ((found, half_found), wanted) in
                        found.iter().flatten().zip(halves.iter().flatten()).zip(wanted.iter().flatten())
                    {
                        assert!(same_bits(*found, *wanted), "{backend}: {found}, not {wanted}");
                        let is_half = *half_found == half(*wanted);
                        assert!(is_half || wanted.is_nan() && half_found & 0x7fff > 0x7c00, "{backend}");
                    }
                }
            }
        }
    }
}

fn rows_of(m: &Mat34) -> PaletteRows {
    let [a, b, c, d] = m.columns;
    std::array::from_fn(|i| [a[i], b[i], c[i], d[i]])
}

#[test]
fn any_number_of_characters_has_the_bits_of_each_alone_on_every_backend() {
    let mut rng = Rng::new(5);
    for characters in [0, 1, 3, 4, 5, 8, 11, 16, 21] {
        let joints = 1 + rng.below(70);
        Stage::new(&mut rng, joints, characters).compare(None);
    }
}

#[test]
fn a_level_of_detail_leaves_matrices_alone_and_moves_palettes_with_what_is_above() {
    let mut rng = Rng::new(6);
    for _ in 0..6 {
        let joints = 5 + rng.below(60);
        let stage = Stage::new(&mut rng, joints, 13);
        let skeleton = &stage.skeleton;
        // The roots, and whatever else has its parent.
        let mut mask = JointMask::none(skeleton);
        for joint in 0..joints {
            if skeleton.parent(joint).is_none_or(|parent| mask.contains(parent) && !rng.one_in(4)) {
                mask.insert(joint);
            }
        }
        stage.compare(Some(&JointLod::from_mask(skeleton, mask).unwrap()));
        // Nothing moves a root that is left out.
        assert!(BatchPlan::new(skeleton, Some(&JointLod::prefix(0))).is_none());
    }
}

#[test]
fn what_is_too_short_is_named_and_nothing_is_written() {
    let stage = Stage::new(&mut Rng::new(7), 20, 5);
    let plan = BatchPlan::new(&stage.skeleton, None).unwrap();
    let binds: Vec<PaletteRows> = stage.binds.iter().map(rows_of).collect();
    let run = |locals: usize, models: usize, binds_len: usize, places: usize, palettes: usize| {
        let mut all = vec![NONE; models];
        let mut rows: Vec<PaletteRows> = vec![[[7.0; 4]; 3]; palettes];
        let done = BatchJob {
            plan: &plan,
            locals: &stage.poses[..locals],
            rows: &stage.rows,
            models: &mut all,
            binds: &binds[..binds_len],
            places: &stage.places[..places],
            palettes: BatchPalettes::F32(&mut rows),
            scratch: &mut BatchScratch::default(),
        }
        .run_on(Backend::best());
        if done.is_err() {
            assert!(all.iter().all(|m| *m == NONE) && rows.iter().all(|m| *m == [[7.0; 4]; 3]));
        }
        done
    };
    let (locals, matrices) = (stage.poses.len(), stage.matrices());
    assert_eq!(run(locals, matrices, 20, 5, matrices), Ok(()));
    let highest = (stage.rows.iter().max().unwrap() + 1) * 20;
    for (found, field) in [
        (run(locals - 1, matrices, 20, 5, matrices), "locals"),
        (run(locals, highest - 1, 20, 5, matrices), "models"),
        (run(locals, matrices, 19, 5, matrices), "binds"),
        (run(locals, matrices, 20, 4, matrices), "places"),
        (run(locals, matrices, 20, 5, highest - 1), "palettes"),
    ] {
        assert!(
            matches!(found, Err(JobError::TooShort { field: f, .. }) if f == field),
            "{field}: {found:?}"
        );
    }
}

#[test]
fn a_scratch_that_was_used_before_is_not_made_again() {
    let stage = Stage::new(&mut Rng::new(8), 30, 16);
    let plan = BatchPlan::new(&stage.skeleton, None).unwrap();
    let mut scratch = BatchScratch::default();
    scratch.reserve(&plan);
    let mut models = vec![NONE; stage.matrices()];
    assert_no_alloc(|| {
        for backend in Backend::all() {
            BatchJob::new(&plan, &stage.poses, &stage.rows, &mut models, &mut scratch)
                .run_on(backend)
                .unwrap();
        }
    });
}
