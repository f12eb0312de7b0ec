// Meshes: moved by their joints, looked up in their textures, lit.

// Where a texture is looked up: two rows of a matrix. The first w is 1 for the second set of coordinates.
struct Draw {
    color: vec4<f32>,
    // w: how strong the normal texture is.
    emissive: vec4<f32>,
    // Where all of it stands, and how many times larger it is drawn.
    place: vec4<f32>,
    metallic: f32,
    roughness: f32,
    occlusion: f32,
    // Below this alpha nothing is drawn.
    cutoff: f32,
    // Where the mesh's matrices start in the palette, in joints (of a crowd: how many each has); then 1 if vertices are to be
    // moved here.
    palette: u32,
    skinned: u32,
    // How much of its own colour is left: less where others are to stand out.
    vivid: f32,
    opaque: f32,
    maps: array<vec4<f32>, 10>,
}

@group(1) @binding(0) var<uniform> draw: Draw;
@group(1) @binding(1) var influences: texture_2d<f32>;
@group(1) @binding(2) var base_map: texture_2d<f32>;
@group(1) @binding(3) var rough_map: texture_2d<f32>;
@group(1) @binding(4) var normal_map: texture_2d<f32>;
@group(1) @binding(5) var open_map: texture_2d<f32>;
@group(1) @binding(6) var glow_map: texture_2d<f32>;
@group(1) @binding(7) var map_sampler: sampler;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    // Both sets of coordinates.
    @location(2) uv: vec4<f32>,
    // The first influence and how many there are.
    @location(3) influences: vec2<u32>,
    // From 0 to 1 as a colour; below 0 the mesh has its own.
    @location(7) tint: f32,
    // The fourth number is the handedness; zero where the mesh has none.
    @location(8) tangent: vec4<f32>,
    @location(9) color: vec4<f32>,
}

struct Lit {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec4<f32>,
    @location(3) color: vec4<f32>,
    @location(4) tangent: vec4<f32>,
    @location(5) tint: f32,
}

// `first`: where the matrices start in the palette.
fn moved(v: Vertex, first: u32) -> Lit {
    var world = v.position;
    var normal = v.normal;
    var tangent = v.tangent.xyz;
    // Not a branch on what a draw says: Mesa's software device would compile the shader anew for each draw, and keep it.
    let count = select(0u, v.influences.y, draw.skinned != 0u);
    if count > 0u {
        var rows = mat3x4<f32>(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
        for (var i = 0u; i < count; i++) {
            let one = textureLoad(influences, at(v.influences.x + i), 0).xy;
            let row = (first + u32(one.x)) * 3u;
            for (var r = 0u; r < 3u; r++) {
                rows[r] += textureLoad(palette, at(row + r), 0) * one.y;
            }
        }
        world = vec4<f32>(v.position, 1.0) * rows;
        normal = vec4<f32>(v.normal, 0.0) * rows;
        tangent = vec4<f32>(v.tangent.xyz, 0.0) * rows;
    }
    var out: Lit;
    out.world = world * draw.place.w + draw.place.xyz;
    out.clip = frame.view_projection * vec4<f32>(out.world, 1.0);
    out.normal = normal;
    out.tangent = vec4<f32>(tangent, v.tangent.w);
    out.uv = v.uv;
    out.color = v.color;
    out.tint = v.tint;
    return out;
}

@vertex
fn mesh_vertex(v: Vertex) -> Lit {
    return moved(v, draw.palette);
}

// Behind everything, however near it is.
@vertex
fn backdrop_vertex(v: Vertex) -> Lit {
    var out = moved(v, draw.palette);
    out.clip.z = out.clip.w * 0.99999;
    return out;
}

// As the sun sees it.
@vertex
fn shadow_vertex(v: Vertex) -> @builtin(position) vec4<f32> {
    return seen_by_sun(moved(v, draw.palette).world);
}

fn seen_by_sun(world: vec3<f32>) -> vec4<f32> {
    let p = (frame.to_shadow * vec4<f32>(world, 1.0)).xyz;
    return vec4<f32>(p.x * 2.0 - 1.0, 1.0 - p.y * 2.0, p.z, 1.0);
}

struct Instance {
    // Where it stands: x, z, and the sine and cosine of where it looks.
    @location(4) place: vec4<f32>,
    @location(5) coat: vec3<f32>,
    @location(6) member: u32,
}

fn in_crowd(v: Vertex, one: Instance) -> Lit {
    var out = moved(v, one.member * draw.palette);
    out.world = turned(out.world, one.place.zw) + vec3<f32>(one.place.x, 0.0, one.place.y);
    out.normal = turned(out.normal, one.place.zw);
    out.tangent = vec4<f32>(turned(out.tangent.xyz, one.place.zw), out.tangent.w);
    out.clip = frame.view_projection * vec4<f32>(out.world, 1.0);
    out.color = vec4<f32>(out.color.rgb * one.coat, out.color.a);
    return out;
}

fn turned(v: vec3<f32>, look: vec2<f32>) -> vec3<f32> {
    return vec3<f32>(v.x * look.y + v.z * look.x, v.y, v.z * look.y - v.x * look.x);
}

@vertex
fn crowd_vertex(v: Vertex, one: Instance) -> Lit {
    return in_crowd(v, one);
}

@vertex
fn crowd_shadow_vertex(v: Vertex, one: Instance) -> @builtin(position) vec4<f32> {
    return seen_by_sun(in_crowd(v, one).world);
}

// Blue, green, yellow, red; linear. `panels::legend` draws the same.
fn ramp(share: f32) -> vec3<f32> {
    let at = clamp(share, 0.0, 1.0) * 3.0;
    let blue = vec3<f32>(0.03, 0.12, 0.5);
    let green = vec3<f32>(0.05, 0.5, 0.2);
    let yellow = vec3<f32>(0.85, 0.65, 0.05);
    let red = vec3<f32>(0.75, 0.03, 0.02);
    let low = mix(blue, green, clamp(at, 0.0, 1.0));
    return mix(mix(low, yellow, clamp(at - 1.0, 0.0, 1.0)), red, clamp(at - 2.0, 0.0, 1.0));
}

fn uv_of(map: u32, uv: vec4<f32>) -> vec2<f32> {
    let x = draw.maps[map * 2u];
    let y = draw.maps[map * 2u + 1u];
    let p = vec3<f32>(mix(uv.xy, uv.zw, x.w), 1.0);
    return vec2<f32>(dot(x.xyz, p), dot(y.xyz, p));
}

// The normal of a texture, in a frame of the mesh's tangents, or of how the coordinates run over the picture.
fn bumped(in: Lit, n: vec3<f32>, uv: vec2<f32>) -> vec3<f32> {
    var texel = textureSample(normal_map, map_sampler, uv).xyz * 2.0 - 1.0;
    texel = vec3<f32>(texel.xy * draw.emissive.w, texel.z);
    let p1 = dpdx(in.world);
    let p2 = dpdy(in.world);
    let t1 = dpdx(uv);
    let t2 = dpdy(uv);
    let across = cross(p2, n);
    let along = cross(n, p1);
    let run_t = across * t1.x + along * t2.x;
    let run_b = across * t1.y + along * t2.y;
    let longest = max(max(dot(run_t, run_t), dot(run_b, run_b)), 1e-30);
    let told = in.tangent.xyz - n * dot(n, in.tangent.xyz);
    let is_told = dot(told, told) > 1e-12;
    let own = normalize(select(vec3<f32>(1.0, 0.0, 0.0), told, is_told));
    let t = select(run_t * inverseSqrt(longest), own, is_told);
    let b = select(run_b * inverseSqrt(longest), cross(n, own) * in.tangent.w, is_told);
    return normalize(t * texel.x + b * texel.y + n * texel.z + vec3<f32>(0.0, 1e-8, 0.0));
}

// What textures and vertices say of a point.
struct Said {
    base: vec4<f32>,
    metallic: f32,
    roughness: f32,
    open: f32,
    glow: vec3<f32>,
    // Smooth over triangles; and with what its texture says.
    side: vec3<f32>,
    n: vec3<f32>,
}

fn shown(in: Lit, said: Said, flat_side: vec3<f32>) -> vec4<f32> {
    let tinted = in.tint >= 0.0;
    if said.base.a < draw.cutoff && !tinted {
        discard;
    }
    var m: Matter;
    m.color = select(said.base.rgb, ramp(in.tint), tinted);
    m.metallic = select(said.metallic, 0.0, tinted);
    m.roughness = select(said.roughness, 0.8, tinted);
    m.open = said.open;
    let grey = vec3<f32>(dot(m.color, vec3<f32>(0.2, 0.7, 0.1)));
    m.color = mix(mix(grey, vec3<f32>(0.22), 0.6), m.color, draw.vivid);
    let away = select(-flat_side, flat_side, dot(flat_side, said.side) > 0.0);
    var color = lit(m, in.world, said.n, away);
    color += draw.emissive.rgb * said.glow * select(draw.vivid, 0.0, tinted);
    let alpha = max(select(said.base.a, 1.0, tinted), draw.opaque);
    return vec4<f32>((to_srgb(toned(color)) + dither(in.clip.xy)) * alpha, alpha);
}

// Where a light skims over a triangle, its own side decides what is in the shadow.
fn flat_side(world: vec3<f32>) -> vec3<f32> {
    return normalize(cross(dpdx(world), dpdy(world)) + vec3<f32>(0.0, 1e-12, 0.0));
}

fn smooth_side(in: Lit, front: bool) -> vec3<f32> {
    let n = normalize(in.normal + vec3<f32>(0.0, 1e-8, 0.0));
    return select(-n, n, front);
}

@fragment
fn mapped_fragment(in: Lit, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let rough = textureSample(rough_map, map_sampler, uv_of(1u, in.uv));
    var said: Said;
    said.base = draw.color * in.color * textureSample(base_map, map_sampler, uv_of(0u, in.uv));
    said.metallic = draw.metallic * rough.b;
    said.roughness = draw.roughness * rough.g;
    said.open = mix(1.0, textureSample(open_map, map_sampler, uv_of(3u, in.uv)).r, draw.occlusion);
    said.glow = textureSample(glow_map, map_sampler, uv_of(4u, in.uv)).rgb;
    said.side = smooth_side(in, front);
    said.n = bumped(in, said.side, uv_of(2u, in.uv));
    return shown(in, said, flat_side(in.world));
}

// Without a texture.
@fragment
fn plain_fragment(in: Lit, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    var said: Said;
    said.base = draw.color * in.color;
    said.metallic = draw.metallic;
    said.roughness = draw.roughness;
    said.open = 1.0;
    said.glow = vec3<f32>(1.0);
    said.side = smooth_side(in, front);
    said.n = said.side;
    return shown(in, said, flat_side(in.world));
}

// What stands behind everything is as bright as its picture.
@fragment
fn backdrop_fragment(in: Lit) -> @location(0) vec4<f32> {
    let base = draw.color * in.color * textureSample(base_map, map_sampler, uv_of(0u, in.uv));
    let glow = textureSample(glow_map, map_sampler, uv_of(4u, in.uv)).rgb;
    return vec4<f32>(to_srgb(base.rgb * 0.9 + draw.emissive.rgb * glow), 1.0);
}

// Edges of triangles, a little before them.
@vertex
fn wire_vertex(v: Vertex) -> Lit {
    var out = moved(v, draw.palette);
    out.clip.z -= 2e-5 * out.clip.w;
    return out;
}

@fragment
fn wire_fragment(in: Lit) -> @location(0) vec4<f32> {
    return vec4<f32>(frame.ink.rgb, 1.0) * 0.75;
}

struct Spike {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec3<f32>,
}

// A normal as a line: its foot and its tip.
@vertex
fn normal_vertex(v: Vertex, @builtin(vertex_index) end: u32) -> Spike {
    let foot = moved(v, draw.palette);
    let n = normalize(foot.normal + vec3<f32>(0.0, 1e-8, 0.0));
    let tip = foot.world + n * frame.zenith.w * f32(end);
    var out: Spike;
    out.clip = frame.view_projection * vec4<f32>(tip, 1.0);
    out.clip.z -= 2e-5 * out.clip.w;
    out.color = n * 0.5 + 0.5;
    return out;
}

@fragment
fn normal_fragment(in: Spike) -> @location(0) vec4<f32> {
    return vec4<f32>(in.color, 1.0);
}
