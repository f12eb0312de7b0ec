//! Every backend gives the bits of the plain code, and the plain code is right.

use lissom_build::exact::{M34, Q4, Trs, V3};
use lissom_math::{Mat34, simd::Backend};
use lissom_testkit::{
    compare::{same_bits, ulps},
    kernels::{Inputs, KERNELS, Kernel},
    reference,
    rng::Rng,
};
use std::process::Command;

/// In rounds, so that the groups fit the cache; an odd count, so that the last group has spare lanes.
const ROUND: usize = 5_003;
const ROUNDS: usize = 21;
const _: () = assert!(ROUND * ROUNDS > 100_000);

fn assert_parity(kind: &str, make: fn(&mut Rng, usize) -> Inputs) {
    let backends: Vec<_> = Backend::all().collect();
    for kernel in &KERNELS {
        let mut rng = Rng::new(0x1155_0a11);
        let (mut lanes, mut nans) = (0, 0);
        for _ in 0..ROUNDS {
            let inputs = make(&mut rng, ROUND);
            let expected = (kernel.oracle)(&inputs);
            lanes += expected.len() / kernel.components.len();
            nans += expected.iter().filter(|v| v.is_nan()).count();
            for backend in &backends {
                let actual = (kernel.run)(*backend, &inputs);
                assert_eq!(actual.len(), expected.len());
                if let Some(at) = (0..actual.len()).find(|i| !same_bits(actual[*i], expected[*i])) {
                    let (lane, component) = (at / kernel.components.len(), at % kernel.components.len());
                    panic!(
                        "{} on {backend}, {kind} input, lane {lane} {}: {:e} ({:#010x}) instead of {:e} ({:#010x}), {:?} ulps",
                        kernel.name,
                        kernel.components[component],
                        actual[at],
                        actual[at].to_bits(),
                        expected[at],
                        expected[at].to_bits(),
                        ulps(actual[at], expected[at]),
                    );
                }
            }
        }
        assert!(lanes >= 100_000, "{}: only {lanes} inputs", kernel.name);
        // Nasty input must have reached the results, or it was not nasty; ordinary input must not.
        assert_eq!(nans > 0, kind == "nasty", "{}: {nans} NaN", kernel.name);
    }
}

#[test]
fn every_kernel_has_the_bits_of_the_plain_code_on_every_backend() {
    assert_parity("ordinary", Inputs::ordinary);
}

#[test]
fn every_kernel_has_the_bits_of_the_plain_code_on_nan_infinities_and_denormals() {
    assert_parity("nasty", Inputs::nasty);
}

#[test]
fn no_kernel_of_batch_is_left_out() {
    let source = include_str!("../src/batch.rs");
    let found: Vec<_> = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub fn "))
        .filter_map(|rest| rest.split('(').next())
        .collect();
    let tested: Vec<_> = KERNELS.iter().map(|k| k.name).collect();
    assert_eq!(found, tested);
}

/// The exact value of every component and the size of the numbers that went into it.
fn exact(kernel: &Kernel, i: &Inputs, j: usize) -> (Vec<f64>, f64) {
    let (q, r) = (Q4::from_f32(i.q[j]), Q4::from_f32(i.r[j]));
    let (u, v, t) = (V3::from_f32(i.u[j]), V3::from_f32(i.v[j]), f64::from(i.t[j]));
    let q4 = |q: Q4| vec![q.x, q.y, q.z, q.w];
    let v3 = |v: V3| vec![v.x, v.y, v.z];
    let m34 = |m: &Mat34| M34 { columns: m.columns.map(|[x, y, z]| V3::new(x.into(), y.into(), z.into())) };
    match kernel.name {
        "quat_mul" => (q4(q * r), 1.0),
        "quat_normalize" => (q4(q.normalize()), 1.0),
        // The sum of two unit rotations can be short, and then its rounding counts for more.
        "quat_nlerp" => {
            let sum = q.scaled(1.0 - t).plus(r.near(q).scaled(t));
            (q4(q.nlerp(r, t)), 1.0 / sum.dot(sum).sqrt())
        }
        "quat_rotate" => (v3(q.rotate(v)), v.length()),
        "vec3_lerp" => (v3(u.lerp(v, t)), u.length() + v.length()),
        "transform_to_mat34" => (reference::m34_to_array(&Trs::from_f32(i.locals[j]).to_m34()).to_vec(), 2.0),
        "mat34_mul" => (reference::m34_to_array(&m34(&i.m[j]).mul(&m34(&i.n[j]))).to_vec(), 8.0),
        name => panic!("no exact twin of {name}"),
    }
}

#[test]
fn the_plain_code_is_f64_within_a_few_roundings() {
    let mut rng = Rng::new(64);
    let inputs = Inputs::ordinary(&mut rng, 20_000);
    for kernel in &KERNELS {
        let actual = (kernel.oracle)(&inputs);
        let components = kernel.components.len();
        for (j, lane) in actual.chunks(components).enumerate() {
            let (expected, size) = exact(kernel, &inputs, j);
            for (c, (a, e)) in lane.iter().zip(expected).enumerate() {
                let error = (f64::from(*a) - e).abs();
                let allowed = 4.0 * f64::from(f32::EPSILON) * size;
                let component = kernel.components[c];
                assert!(error <= allowed, "{} lane {j} {component}: {a} instead of {e}", kernel.name);
            }
        }
    }
}

#[test]
fn a_backend_is_forced_by_name() {
    for backend in Backend::all() {
        assert_eq!(Backend::named(backend.name()).map(Backend::name), Ok(backend.name()));
    }
    #[cfg(feature = "scalar")]
    assert_eq!(Backend::scalar().name(), "scalar");
    assert!(Backend::named("AVX9").is_err());
}

/// What a child of this test binary prints of its backend; see the test below.
const CHILD: &str = "LISSOM_PARITY_CHILD";

#[test]
fn a_backend_is_forced_by_the_environment() {
    if std::env::var_os(CHILD).is_some() {
        let asked = match Backend::from_env() {
            Ok(None) => "unset",
            Ok(Some(b)) => b.name(),
            Err(_) => "unknown",
        };
        // A panic's message leaves the test harness whole, whatever it captures.
        panic!("best={} asked={asked}", Backend::best());
    }
    let child = |simd: Option<&str>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "a_backend_is_forced_by_the_environment", "--nocapture"]).env(CHILD, "1");
        match simd {
            Some(name) => command.env("LISSOM_SIMD", name),
            None => command.env_remove("LISSOM_SIMD"),
        };
        let output = command.output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let assert_child = |simd: Option<&str>, expected: &str| {
        let output = child(simd);
        assert!(output.contains(expected), "LISSOM_SIMD={simd:?}: {expected} not in {output}");
    };
    for b in Backend::all() {
        assert_child(Some(b.name()), &format!("best={b} asked={b}"));
    }
    assert_child(None, &format!("best={} asked=unset", Backend::detect()));
    assert_child(Some("mmx"), &format!("best={} asked=unknown", Backend::detect()));
}
