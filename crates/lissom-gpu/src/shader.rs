//! The kernel's text: one workgroup a member, a lane a joint.
//!
//! A lane samples and blends its joint, then multiplies by the joint 1, 2, 4, 8 … above it, which lies in workgroup memory: as many steps
//! as the depth has bits, whatever the depth. Rigid skeletons multiply a rotation and a translation, others matrices. A skeleton of more
//! joints than a workgroup has lanes is posed block after block; joints stand depth-first, so that a block needs matrices of earlier
//! blocks alone, which lie in the buffer of models.

use crate::{
    clips::Layout,
    keys::KeyFormat,
    rig::{Rig, field},
};
use core::fmt::Write;
use lissom_motion::crowd::PaletteFormat;

const HEAD: &str = "
struct Frame {
    tick: u32, turn: u32, paused: u32, stride: u32,
    places: u32, keep: u32, most: u32, pad: u32,
}
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> members: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> rig: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> remembered: array<vec4<u32>>;
const NONE: u32 = 0xffffffffu;
struct Local { q: vec4<f32>, t: vec3<f32>, s: vec3<f32> }
struct Rows { a: vec4<f32>, b: vec4<f32>, c: vec4<f32> }
var<workgroup> e_first: array<u32, 16>;
var<workgroup> e_part: array<f32, 16>;
var<workgroup> e_weight: array<f32, 16>;
var<workgroup> e_kind: array<u32, 16>;
var<workgroup> l_weight: array<f32, 16>;
var<workgroup> l_kind: array<u32, 16>;

fn high(a: u32, b: u32) -> u32 {
    let al = a & 0xffffu; let ah = a >> 16u;
    let bl = b & 0xffffu; let bh = b >> 16u;
    let low = al * bl;
    let m = ah * bl + (low >> 16u);
    let n = al * bh + (m & 0xffffu);
    return ah * bh + (m >> 16u) + (n >> 16u);
}
fn four(field: u32, joint: u32) -> vec4<f32> { return bitcast<vec4<f32>>(rig[FIELDS + field * JOINTS + joint]); }
fn misc(joint: u32) -> vec4<u32> { return rig[FIELDS + MISC * JOINTS + joint]; }
fn word(at: u32) -> u32 { return members[at / 4u][at % 4u]; }
fn turned(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}
fn times(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}
fn unit(q: vec4<f32>) -> vec4<f32> {
    let l = dot(q, q);
    return select(vec4<f32>(0.0, 0.0, 0.0, 1.0), q * inverseSqrt(max(l, 1.0e-30)), l > 1.0e-30);
}
fn share(v: f32) -> f32 { return clamp(v, 0.0, 1.0); }
fn rows_of(q: vec4<f32>, t: vec3<f32>, s: vec3<f32>) -> Rows {
    let d = q.xyz + q.xyz;
    let x = q.x * d; let y = q.y * d; let w = q.w * d; let zz = q.z * d.z;
    return Rows(
        vec4<f32>((1.0 - (y.y + zz)) * s.x, (x.y - w.z) * s.y, (x.z + w.y) * s.z, t.x),
        vec4<f32>((x.y + w.z) * s.x, (1.0 - (x.x + zz)) * s.y, (y.z - w.x) * s.z, t.y),
        vec4<f32>((x.z - w.y) * s.x, (y.z + w.x) * s.y, (1.0 - (x.x + y.y)) * s.z, t.z),
    );
}
fn row(a: vec4<f32>, m: Rows) -> vec4<f32> {
    return vec4<f32>(
        a.x * m.a.xyz + a.y * m.b.xyz + a.z * m.c.xyz,
        a.x * m.a.w + a.y * m.b.w + a.z * m.c.w + a.w);
}
fn product(a: Rows, b: Rows) -> Rows { return Rows(row(a.a, b), row(a.b, b), row(a.c, b)); }
fn mask_at(mask: u32, joint: u32) -> f32 {
    if (mask == 0xffffu) { return 1.0; }
    return share(bitcast<f32>(rig[MASKS + mask * ((JOINTS + 3u) / 4u) + joint / 4u][joint % 4u]));
}
fn place_of(member: u32) -> Rows {
    let p = frame.places / 4u + member * 2u;
    return rows_of(bitcast<vec4<f32>>(members[p]), bitcast<vec4<f32>>(members[p + 1u]).xyz, vec3<f32>(1.0));
}
// A layer's weight of a joint, with what the layers above leave of it.
fn weight_of(layer: u32, layers: u32, joint: u32) -> f32 {
    if (layers == 0u) { return 1.0; }
    let own = share(l_weight[layer]) * mask_at(l_kind[layer] & 0xffffu, joint);
    if ((l_kind[layer] >> 16u) != 0u) { return own; }
    var left = own;
    for (var i = layer + 1u; i < layers; i++) {
        if ((l_kind[i] >> 16u) == 0u) { left *= 1.0 - share(l_weight[i]) * mask_at(l_kind[i] & 0xffffu, joint); }
    }
    return left;
}
";

const F32_KEYS: &str = "
@group(0) @binding(3) var<storage, read> keys: array<vec4<u32>>;
fn rotation(row: u32, joint: u32) -> vec4<f32> { return bitcast<vec4<f32>>(keys[row + joint]); }
fn vector(row: u32, at: u32) -> vec3<f32> { return bitcast<vec4<f32>>(keys[row + JOINTS + at]).xyz; }
// Rows lie on one side.
fn between(a: vec4<f32>, b: vec4<f32>, part: f32) -> vec4<f32> { return a + (b - a) * part; }
";

const PACKED_KEYS: &str = "
@group(0) @binding(3) var<storage, read> keys: array<vec2<u32>>;
fn rotation(row: u32, joint: u32) -> vec4<f32> {
    let v = keys[row + joint];
    let whole = vec3<u32>(v.x & 0x1fffffu, (v.x >> 21u) | ((v.y & 0x3ffu) << 11u), (v.y >> 10u) & 0x1fffffu);
    let p = vec3<f32>(vec3<i32>(whole) - vec3<i32>(1048576)) * (1.0 / 1048575.0);
    let squared = dot(p, p);
    return vec4<f32>(2.0 * p, 1.0 - squared) * (1.0 / (1.0 + squared));
}
fn vector(row: u32, at: u32) -> vec3<f32> {
    let a = keys[row + JOINTS + 2u * at];
    return bitcast<vec3<f32>>(vec3<u32>(a, keys[row + JOINTS + 2u * at + 1u].x));
}
fn between(a: vec4<f32>, b: vec4<f32>, part: f32) -> vec4<f32> {
    return a * (1.0 - part) + b * select(part, -part, dot(a, b) < 0.0);
}
";

/// A member of layers, added clips and inertia.
const BLEND_RICH: &str = "
fn keyed(e: u32, joint: u32, places: vec4<u32>) -> Local {
    let row = e_first[e];
    let next = row + ROW;
    let part = e_part[e];
    let a = rotation(row, joint);
    let b = rotation(next, joint);
    var out: Local;
    // Rows turn by less than half a turn: never of length 0.
    let q = between(a, b, part);
    out.q = q * inverseSqrt(dot(q, q));
    out.t = vec3<f32>(0.0);
    out.s = vec3<f32>(1.0);
    if (places.x != NONE) {
        out.t = mix(vector(row, places.x), vector(next, places.x), part);
    } else if ((e_kind[e] & 0x20000u) == 0u) {
        out.t = four(REST_TRANSLATION, joint).xyz;
    }
    if (SCALED && places.y != NONE) {
        out.s = mix(vector(row, MOVING + places.y), vector(next, MOVING + places.y), part);
    }
    return out;
}
fn scale_by(v: f32, amount: f32, back: bool) -> f32 {
    let f = 1.0 + (v - 1.0) * amount;
    return select(f, select(1.0 / f, 1.0, f == 0.0), back);
}
fn blended(joint: u32, clips: u32, layers: u32, threshold: f32, inertia: vec2<f32>, pool: u32) -> Local {
    let places = misc(joint);
    var sum = Local(vec4<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0));
    var total = 0.0;
    for (var e = 0u; e < clips; e++) {
        if ((e_kind[e] & 0x10000u) != 0u || !(e_weight[e] > 0.0)) { continue; }
        let key = keyed(e, joint, places);
        let w = e_weight[e] * weight_of(e_kind[e] & 0xffu, layers, joint);
        sum.q += key.q * select(w, -w, dot(sum.q, key.q) < 0.0);
        sum.t += key.t * w;
        sum.s += key.s * w;
        total += w;
    }
    if (total < threshold) {
        let w = threshold - total;
        let q = four(REST_ROTATION, joint);
        sum.q += q * select(w, -w, dot(sum.q, q) < 0.0);
        sum.t += four(REST_TRANSLATION, joint).xyz * w;
        sum.s += four(REST_SCALE, joint).xyz * w;
        total += w;
    }
    let by = 1.0 / total;
    var out = Local(unit(sum.q * by), sum.t * by, sum.s * by);
    var added = false;
    for (var e = 0u; e < clips; e++) {
        if ((e_kind[e] & 0x10000u) == 0u || e_weight[e] == 0.0) { continue; }
        let key = keyed(e, joint, places);
        let w = e_weight[e] * weight_of(e_kind[e] & 0xffu, layers, joint);
        let back = e_weight[e] < 0.0;
        let amount = select(w, -w, back);
        let side = select(amount, -amount, key.q.w < 0.0);
        let delta = vec4<f32>(key.q.xyz * select(side, -side, back), key.q.w * side + (1.0 - amount));
        out.q = times(delta, out.q);
        out.t += key.t * w;
        if (SCALED) {
            out.s *= vec3<f32>(
                scale_by(key.s.x, amount, back), scale_by(key.s.y, amount, back), scale_by(key.s.z, amount, back));
        }
        added = true;
    }
    if (added) { out.q = unit(out.q); }
    if (pool != NONE) {
        let at = pool * (INERTIA * JOINTS) + joint;
        let left = bitcast<vec4<f32>>(remembered[at + JOINTS]).xyz * inertia.x
            + bitcast<vec4<f32>>(remembered[at + INERTIA / 2u * JOINTS + JOINTS]).xyz * inertia.y;
        let squared = dot(left, left);
        let turn = vec4<f32>(2.0 * left, 1.0 - squared) * (1.0 / (1.0 + squared));
        out.q = unit(times(turn, out.q));
        out.t += bitcast<vec4<f32>>(remembered[at]).xyz * inertia.x
            + bitcast<vec4<f32>>(remembered[at + INERTIA / 2u * JOINTS]).xyz * inertia.y;
        if (SCALED) {
            out.s += bitcast<vec4<f32>>(remembered[at + 2u * JOINTS]).xyz * inertia.x
                + bitcast<vec4<f32>>(remembered[at + INERTIA / 2u * JOINTS + 2u * JOINTS]).xyz * inertia.y;
        }
    }
    return out;
}
";

/// A member that plays clips on the whole body. The first few are written out one by one: a loop costs a counter.
const BLEND_PLAIN: &str = "
struct Sum { q: vec4<f32>, t: vec3<f32>, s: vec3<f32>, total: f32 }
fn add(sum: ptr<function, Sum>, e: u32, joint: u32, places: vec4<u32>) {
    let row = e_first[e];
    let part = e_part[e];
    let w = e_weight[e];
    // Rows turn by less than half a turn: never of length 0.
    let q = between(rotation(row, joint), rotation(row + ROW, joint), part);
    let by = w * inverseSqrt(dot(q, q));
    (*sum).q += q * select(by, -by, dot((*sum).q, q) < 0.0);
    (*sum).total += w;
    if (places.x != NONE) { (*sum).t += mix(vector(row, places.x), vector(row + ROW, places.x), part) * w; }
    if (SCALED && places.y != NONE) {
        (*sum).s += mix(vector(row, MOVING + places.y), vector(row + ROW, MOVING + places.y), part) * w;
    }
}
fn blended(joint: u32, clips: u32) -> Local {
    let places = misc(joint);
    var sum = Sum(vec4<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0), 0.0);
    if (clips > 0u) { add(&sum, 0u, joint, places); }
    if (clips > 1u) { add(&sum, 1u, joint, places); }
    if (clips > 2u) { add(&sum, 2u, joint, places); }
    if (clips > 3u) { add(&sum, 3u, joint, places); }
    for (var e = 4u; e < clips; e++) { add(&sum, e, joint, places); }
    let rest = four(REST_TRANSLATION, joint).xyz;
    if (sum.total < THRESHOLD) {
        let w = THRESHOLD - sum.total;
        let q = four(REST_ROTATION, joint);
        sum.q += q * select(w, -w, dot(sum.q, q) < 0.0);
        sum.t += rest * w;
        sum.s += four(REST_SCALE, joint).xyz * w;
        sum.total += w;
    }
    let by = 1.0 / sum.total;
    // Where no clip moves it, it is where it rests.
    return Local(
        unit(sum.q), select(sum.t * by, rest, places.x == NONE),
        select(sum.s * by, vec3<f32>(1.0), places.y == NONE));
}
";

const OPEN: &str = "
@compute @workgroup_size(LANES)
fn pose(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let member = group.x;
    let at = member * (frame.stride / 4u);
    let head = members[at];
    let tail = members[at + 1u];
    // Read before it is known how many there are: one wait less.
    var entry = vec4<u32>(0u);
    var more = vec4<u32>(0u);
    if (lane < frame.most) {
        entry = members[at + 2u + 2u * lane];
        more = members[at + 3u + 2u * lane];
    }
    let every = head.z >> 24u;
    let mine = every == 1u
        || (every > 0u && (frame.paused != 0u || frame.turn % max(every, 1u) == (head.w & 0xffu)));
    let live = ((head.w >> 8u) & 0xffu) == KIND;
    if (!(live && (frame.paused == 2u || mine || head.y == frame.turn))) {
        KEEP
        return;
    }
    let clips = min(head.z & 0xffu, 16u);
    let age = frame.tick - head.x;
    let seconds = f32(age) * SECONDS;
    if (lane < clips) {
        let phase = entry.y + entry.w * age + high(entry.z, age);
        // A phase of 32 bits times fewer than 2^16 steps: the row above 2^32, the part below.
        let low = (phase & 0xffffu) * more.w;
        let top = (phase >> 16u) * more.w + (low >> 16u);
        e_first[lane] = more.z + (top >> 16u) * ROW;
        e_part[lane] = f32(((top << 16u) | (low & 0xffffu)) >> 8u) * PART;
        e_weight[lane] = bitcast<f32>(more.x) + bitcast<f32>(more.y) * seconds;
        // Layer, added, at 0 where it does not move.
        e_kind[lane] = ((entry.x >> 16u) & 0xffu) | ((entry.x >> 24u) << 16u);
    }
";

/// What a rich member brings beside its clips: layers, the weight below which the rest pose fills in, and what is left of a transition.
const RICH: &str = "
    let layers = min((head.z >> 8u) & 0xffu, 16u);
    let level = (head.z >> 16u) & 0xffu;
    if (lane < layers) {
        let l = at * 4u + 8u + clips * 8u + lane * 3u;
        l_weight[lane] = bitcast<f32>(word(l)) + bitcast<f32>(word(l + 1u)) * seconds;
        l_kind[lane] = word(l + 2u);
    }
    let threshold = bitcast<f32>(word(at * 4u + 8u + clips * 8u + layers * 3u));
    let duration = bitcast<f32>(tail.z);
    let elapsed = max(bitcast<f32>(tail.x) + bitcast<f32>(tail.y) * seconds, 0.0);
    var pool = NONE;
    var inertia = vec2<f32>(0.0);
    if (duration > 0.0 && elapsed < duration) {
        pool = tail.w;
        let t = elapsed / duration;
        let left = 1.0 - t;
        let cube = left * left * left;
        inertia = vec2<f32>(cube * (1.0 + t * (3.0 + t * 6.0)), t * cube * (1.0 + 3.0 * t) * duration);
    }
";

/// The text for a rig and its keys: of members that play clips on the whole body at full detail, or of rich ones, with layers, added clips,
/// a blend threshold of their graph's, inertia or a level of detail. Plain members need fewer registers, so more of them are posed at once.
pub(crate) fn text(rig: &Rig, layout: &Layout, rich: bool) -> String {
    let mut out = String::new();
    let Rig { joints, lanes, scaled, .. } = *rig;
    let inertia = if scaled { 6 } else { 4 };
    let constants = [
        ("JOINTS", joints),
        ("ROW", layout.row()),
        ("MOVING", layout.moving.len()),
        ("FIELDS", rig.fields),
        ("NEAREST", rig.nearest),
        ("MASKS", rig.mask_rows),
        ("MISC", field::MISC),
        ("REST_ROTATION", field::REST_ROTATION),
        ("REST_TRANSLATION", field::REST_TRANSLATION),
        ("REST_SCALE", field::REST_SCALE),
        ("INERTIA", inertia),
    ];
    // Writing to a string cannot fail.
    for (name, value) in constants {
        let _ = writeln!(out, "const {name}: u32 = {value}u;");
    }
    let _ = writeln!(
        out,
        "const SCALED: bool = {scaled};\nconst RICH: bool = {rich};\nconst KIND: u32 = {}u;",
        kind(rich)
    );
    let _ = writeln!(out, "const THRESHOLD: f32 = {:?};", lissom::job::BlendJob::DEFAULT_THRESHOLD);
    // A tick of 2^-22 s; a part of 24 bits. Both exact.
    let _ = writeln!(out, "const SECONDS: f32 = {:?};", 1.0 / (1 << 22) as f32);
    let _ = writeln!(out, "const PART: f32 = {:?};", 1.0 / (1 << 24) as f32);
    out.push_str(HEAD);
    out.push_str(if layout.format == KeyFormat::F32 { F32_KEYS } else { PACKED_KEYS });
    out.push_str(if rich { BLEND_RICH } else { BLEND_PLAIN });
    outputs(&mut out, rig);
    // One side and two barriers a jump: two sides with half of the barriers leave room for fewer members at once, and take longer.
    let parts: &[&str] = if scaled { &["sa", "sb", "sc"] } else { &["sa", "sb"] };
    for part in parts {
        let _ = writeln!(out, "var<workgroup> {part}: array<vec4<f32>, {lanes}>;");
    }
    let keep = if rig.before {
        "if (live && frame.keep != 0u) { for (var j = lane; j < PALETTE; j += LANESu) { palettes[member * PALETTE + j] = before[member * PALETTE + j]; } }"
    } else {
        ""
    };
    out.push_str(
        &OPEN
            .replace("KEEP", keep)
            .replace("LANESu", &format!("{lanes}u"))
            .replace("LANES", &lanes.to_string()),
    );
    out.push_str(if rich { RICH } else { "" });
    out.push_str("    workgroupBarrier();\n");
    if rig.boxes {
        out.push_str("    var low = vec3<f32>(FAR);\n    var far = vec3<f32>(-FAR);\n");
    }
    for block in 0..rig.blocks() {
        pose_block(&mut out, rig, block, rich);
    }
    if rig.boxes {
        reduce(&mut out, lanes);
    }
    out.push_str("}\n");
    out
}

/// Of which kind a record says that its member is; 0 is nobody.
pub(crate) fn kind(rich: bool) -> u8 {
    if rich { 2 } else { 1 }
}

fn outputs(out: &mut String, rig: &Rig) {
    let halves = rig.format == PaletteFormat::F16;
    let kind = if halves { "vec2<u32>" } else { "vec4<f32>" };
    let _ = writeln!(out, "const PALETTE: u32 = {}u;", rig.joints * 3);
    let _ = writeln!(out, "@group(0) @binding(5) var<storage, read_write> palettes: array<{kind}>;");
    if rig.before {
        let _ = writeln!(out, "@group(0) @binding(6) var<storage, read> before: array<{kind}>;");
    }
    if rig.models {
        out.push_str("@group(0) @binding(7) var<storage, read_write> models: array<vec4<f32>>;\n");
        out.push_str("fn model_at(at: u32) -> Rows { return Rows(models[at * 3u], models[at * 3u + 1u], models[at * 3u + 2u]); }\n");
        out.push_str("fn put_model(at: u32, m: Rows) { models[at * 3u] = m.a; models[at * 3u + 1u] = m.b; models[at * 3u + 2u] = m.c; }\n");
    }
    if rig.boxes {
        out.push_str("@group(0) @binding(8) var<storage, read_write> boxes: array<vec4<f32>>;\nconst FAR: f32 = 1.0e30;\n");
        let _ = writeln!(out, "const SPHERE: u32 = {}u;", field::SPHERE);
    }
    let packed = |row: &str| {
        if halves {
            format!("vec2<u32>(pack2x16float({row}.xy), pack2x16float({row}.zw))")
        } else {
            row.to_owned()
        }
    };
    let _ = writeln!(
        out,
        "fn put_palette(at: u32, m: Rows) {{ palettes[at * 3u] = {}; palettes[at * 3u + 1u] = {}; palettes[at * 3u + 2u] = {}; }}",
        packed("m.a"),
        packed("m.b"),
        packed("m.c")
    );
    let _ = writeln!(
        out,
        "fn bind_of(joint: u32) -> Rows {{ return Rows(four({0}u, joint), four({0}u + 1u, joint), four({0}u + 2u, joint)); }}",
        field::BIND
    );
}

/// The joints of one block: sampled, multiplied along their chains, written.
fn pose_block(out: &mut String, rig: &Rig, block: usize, rich: bool) {
    let Rig { joints, lanes, jumps, scaled, .. } = *rig;
    let first = block * lanes;
    let several = rig.blocks() > 1;
    // Where every lane has a joint, none has to ask.
    let whole = first + lanes <= joints;
    let joint = if whole { "own".into() } else { format!("min(own, {}u)", joints - 1) };
    let _ = writeln!(out, "    {{\n    let own = lane + {first}u;\n    let joint = {joint};");
    let valid = if whole { "true".into() } else { format!("own < {joints}u") };
    let _ = writeln!(out, "    let valid = {valid};");
    out.push_str(if rich {
        "    let local = blended(joint, clips, layers, threshold, inertia, pool);\n"
    } else {
        "    let local = blended(joint, clips);\n"
    });
    for four in 0..jumps.div_ceil(4) {
        let _ =
            writeln!(out, "    let above{four} = rig[FIELDS + {}u * JOINTS + joint];", field::ABOVE + four);
    }
    if scaled {
        out.push_str("    var m = rows_of(local.q, local.t, local.s);\n");
    } else {
        out.push_str("    var q = local.q;\n    var t = local.t;\n");
    }
    let store = if scaled {
        "    sa[lane] = m.a; sb[lane] = m.b; sc[lane] = m.c;\n"
    } else {
        "    sa[lane] = q; sb[lane] = vec4<f32>(t, 0.0);\n"
    };
    for jump in 0..jumps {
        out.push_str(store);
        out.push_str("    workgroupBarrier();\n");
        let _ = writeln!(
            out,
            "    if (above{}[{}] != NONE) {{ let a = above{}[{}] - {first}u;",
            jump / 4,
            jump % 4,
            jump / 4,
            jump % 4
        );
        out.push_str(if scaled {
            "    m = product(Rows(sa[a], sb[a], sc[a]), m); }\n"
        } else {
            "    let p = sa[a]; t = sb[a].xyz + turned(p, t); q = times(p, q); }\n"
        });
        out.push_str("    workgroupBarrier();\n");
    }
    if !scaled {
        out.push_str("    var m = rows_of(q, t, vec3<f32>(1.0));\n");
    }
    if several {
        // Earlier blocks have written theirs.
        out.push_str("    { let outer = misc(joint).z; if (outer != NONE) { m = product(model_at(member * JOINTS + outer), m); } }\n");
    }
    let _ = writeln!(out, "    var owner = joint;\n    var shown = m;");
    if rig.models {
        out.push_str("    if (valid) { put_model(member * JOINTS + joint, m); }\n");
    }
    if several {
        out.push_str("    storageBarrier();\n    workgroupBarrier();\n");
    }
    if rig.levels > 0 && rich {
        let _ = writeln!(
            out,
            "    if (level > 0u) {{\n    owner = rig[NEAREST + (level - 1u) * ((JOINTS + 3u) / 4u) + joint / 4u][joint % 4u];"
        );
        if several {
            out.push_str("    shown = model_at(member * JOINTS + owner);\n    }\n");
        } else {
            out.push_str(store);
            out.push_str("    workgroupBarrier();\n");
            let at = "owner";
            if scaled {
                let _ = writeln!(out, "    shown = Rows(sa[{at}], sb[{at}], sc[{at}]);\n    }}");
            } else {
                let _ = writeln!(out, "    shown = rows_of(sa[{at}], sb[{at}].xyz, vec3<f32>(1.0));\n    }}");
            }
        }
    }
    out.push_str("    var skin = product(shown, bind_of(owner));\n    if (frame.places != NONE) { skin = product(place_of(member), skin); }\n");
    out.push_str("    if (valid) { put_palette(member * JOINTS + joint, skin); }\n");
    if rig.boxes {
        out.push_str(
            "    let sphere = four(SPHERE, joint);
    if (valid && sphere.w >= 0.0) {
        let p = vec4<f32>(sphere.xyz, 1.0);
        let c = vec3<f32>(dot(skin.a, p), dot(skin.b, p), dot(skin.c, p));
        let r = sphere.w * vec3<f32>(length(skin.a.xyz), length(skin.b.xyz), length(skin.c.xyz));
        low = min(low, c - r);
        far = max(far, c + r);
    }\n",
        );
    }
    if several {
        // The next block writes over what this one still reads.
        out.push_str("    workgroupBarrier();\n");
    }
    out.push_str("    }\n");
}

/// The boxes of all lanes into one.
fn reduce(out: &mut String, lanes: usize) {
    out.push_str("    workgroupBarrier();\n    sa[lane] = vec4<f32>(low, 0.0); sb[lane] = vec4<f32>(far, 0.0);\n    workgroupBarrier();\n");
    let mut half = lanes.next_power_of_two() / 2;
    while half > 0 {
        let _ = writeln!(
            out,
            "    if (lane < {half}u && lane + {half}u < {lanes}u) {{ sa[lane] = min(sa[lane], sa[lane + {half}u]); sb[lane] = max(sb[lane], sb[lane + {half}u]); }}\n    workgroupBarrier();"
        );
        half /= 2;
    }
    out.push_str("    if (lane == 0u) { boxes[member * 2u] = sa[0]; boxes[member * 2u + 1u] = sb[0]; }\n");
}

/// Copies records that changed into the list of members: a workgroup a record.
pub(crate) const PATCH: &str = "
struct Frame {
    tick: u32, turn: u32, paused: u32, stride: u32,
    places: u32, keep: u32, pad0: u32, pad1: u32,
}
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> members: array<u32>;
@group(0) @binding(2) var<storage, read> patches: array<u32>;
@compute @workgroup_size(64)
fn patch_members(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // Where each record starts, then the records: slot, words, words.
    let record = patches[group.x];
    let to = patches[record] * frame.stride;
    let words = min(patches[record + 1u], frame.stride);
    for (var i = lane; i < words; i += 64u) { members[to + i] = patches[record + 2u + i]; }
}
";
