// Lines, bones and joints. Lines are as wide as they are asked to be, in points, whatever the screen.

struct Line {
    @location(0) a: vec3<f32>,
    @location(1) b: vec3<f32>,
    @location(2) color: vec4<f32>,
    // In points.
    @location(3) width: f32,
}

struct LineOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
    // Across the line, from -1 to 1, and how far that is in pixels.
    @location(1) across: f32,
    @location(2) @interpolate(flat) half_width: f32,
}

@vertex
fn line_vertex(line: Line, @builtin(vertex_index) i: u32) -> LineOut {
    var a = frame.view_projection * vec4<f32>(line.a, 1.0);
    var b = frame.view_projection * vec4<f32>(line.b, 1.0);
    // What is behind the camera is cut off.
    let near = 1e-5;
    let cut = (near - a.w) / select(b.w - a.w, 1e-9, abs(b.w - a.w) < 1e-9);
    let at = mix(a, b, clamp(cut, 0.0, 1.0));
    a = select(a, at, a.w < near);
    b = select(b, at, b.w < near);
    let half = frame.viewport.xy * 0.5;
    let way = (b.xy / max(b.w, near) - a.xy / max(a.w, near)) * half;
    let length = max(length(way), 1e-6);
    let along = way / length;
    // A soft side of half a pixel each.
    let half_width = max(line.width * frame.viewport.z, 1.0) * 0.5 + 0.5;
    let side = f32(i & 1u) * 2.0 - 1.0;
    let first = i == 0u || i == 1u || i == 3u;
    let end = select(b, a, first);
    let out_at = select(1.0, -1.0, first) * 0.5;
    let offset = (vec2<f32>(-along.y, along.x) * side * half_width + along * out_at) / half;
    var out: LineOut;
    out.clip = vec4<f32>(end.xy + offset * end.w, end.z, end.w);
    out.color = line.color;
    out.across = side;
    out.half_width = half_width;
    return out;
}

@fragment
fn line_fragment(in: LineOut) -> @location(0) vec4<f32> {
    let inside = clamp((1.0 - abs(in.across)) * in.half_width, 0.0, 1.0);
    return vec4<f32>(in.color.rgb, 1.0) * in.color.a * inside;
}

struct Bone {
    @location(0) a: vec3<f32>,
    @location(1) b: vec3<f32>,
    @location(2) color: vec4<f32>,
    // How far its widest place is from its middle.
    @location(3) width: f32,
    // One of its corners is there.
    @location(4) towards: vec3<f32>,
}

struct BoneOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) color: vec4<f32>,
}

// Two pyramids, foot to foot: eight triangles.
@vertex
fn bone_vertex(bone: Bone, @builtin(vertex_index) i: u32) -> BoneOut {
    let way = bone.b - bone.a;
    let along = way / max(length(way), 1e-9);
    var side = bone.towards - along * dot(bone.towards, along);
    let other = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 0.0, 1.0), abs(along.x) > 0.8);
    side = select(other - along * dot(other, along), side, dot(side, side) > 1e-6);
    side = normalize(side);
    let third = cross(along, side);
    let face = i / 3u;
    let corner = i % 3u;
    // The four corners of the middle: 0, 1, 2, 3. Faces 0 to 3 end in the first joint, 4 to 7 in the second.
    let step = select(corner - 1u, 0u, corner == 0u);
    let turn = select(step, 1u - step, face >= 4u);
    let quarter = (face + turn) & 3u;
    let x = select(0.0, select(1.0, -1.0, quarter == 2u), quarter == 0u || quarter == 2u);
    let y = select(0.0, select(1.0, -1.0, quarter == 3u), quarter == 1u || quarter == 3u);
    let ring = bone.a + way * 0.18 + (side * x + third * y) * bone.width;
    let tip = select(bone.a, bone.b, face >= 4u);
    var out: BoneOut;
    out.world = select(ring, tip, corner == 0u);
    out.clip = frame.view_projection * vec4<f32>(out.world, 1.0);
    out.color = bone.color;
    return out;
}

fn shaded(color: vec3<f32>, n: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let facing = max(dot(n, towards_eye(world)), 0.0);
    let up = n.y * 0.5 + 0.5;
    return color * (0.42 + 0.38 * facing + 0.28 * up);
}

@fragment
fn bone_fragment(in: BoneOut) -> @location(0) vec4<f32> {
    var n = normalize(cross(dpdx(in.world), dpdy(in.world)) + vec3<f32>(0.0, 1e-20, 0.0));
    n = select(-n, n, dot(n, towards_eye(in.world)) > 0.0);
    return vec4<f32>(shaded(in.color.rgb, n, in.world), 1.0) * in.color.a;
}

// The same, seen through what is before it.
@fragment
fn bone_behind_fragment(in: BoneOut) -> @location(0) vec4<f32> {
    return vec4<f32>(in.color.rgb, 1.0) * (in.color.a * 0.3);
}

struct Joint {
    @location(0) at: vec3<f32>,
    @location(1) radius: f32,
    @location(2) color: vec4<f32>,
}

struct JointOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
    @location(1) color: vec4<f32>,
}

// A ball: a square that looks at the camera.
@vertex
fn joint_vertex(joint: Joint, @builtin(vertex_index) i: u32) -> JointOut {
    let corner = vec2<f32>(f32(i & 1u), f32(((i + 1u) / 3u) & 1u)) * 2.0 - 1.0;
    let eye = towards_eye(joint.at);
    let side = normalize(cross(vec3<f32>(0.0, 1.0, 1e-4), eye));
    let up = cross(eye, side);
    // Never so small that it is no mark.
    let middle = frame.view_projection * vec4<f32>(joint.at, 1.0);
    let rim = frame.view_projection * vec4<f32>(joint.at + side * joint.radius, 1.0);
    let pixels = length((rim.xy / max(rim.w, 1e-5) - middle.xy / max(middle.w, 1e-5)) * frame.viewport.xy) * 0.5;
    let least = 1.6 * frame.viewport.z;
    let radius = joint.radius * max(1.0, least / max(pixels, 1e-3));
    var out: JointOut;
    out.clip = frame.view_projection * vec4<f32>(joint.at + (side * corner.x + up * corner.y) * radius + eye * joint.radius, 1.0);
    out.at = corner;
    out.color = joint.color;
    return out;
}

@fragment
fn joint_fragment(in: JointOut) -> @location(0) vec4<f32> {
    let far = length(in.at);
    let pixel = max(fwidth(far), 1e-4);
    let inside = clamp((1.0 - far) / pixel + 0.5, 0.0, 1.0);
    if inside <= 0.0 {
        discard;
    }
    let round = sqrt(max(1.0 - far * far, 0.0));
    let light = 0.55 + 0.45 * clamp(round * 0.7 + (in.at.y - in.at.x) * 0.35, 0.0, 1.0);
    return vec4<f32>(in.color.rgb * light, 1.0) * (in.color.a * inside);
}

@fragment
fn joint_behind_fragment(in: JointOut) -> @location(0) vec4<f32> {
    let inside = select(0.0, 0.35, length(in.at) <= 1.0);
    return vec4<f32>(in.color.rgb, 1.0) * (in.color.a * inside);
}
