// What is behind everything, and the floor: squares that fade away, and shadows.

@vertex
fn behind_vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    // One triangle that is larger than the picture.
    let p = vec2<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0);
    return vec4<f32>(p, 0.99999, 1.0);
}

@fragment
fn behind_fragment(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {
    let share = p.xy / frame.viewport.xy;
    let away = share - vec2<f32>(0.5, 0.45);
    // A little darker towards the corners.
    let t = smoothstep(0.0, 1.0, share.y) * 0.75 + dot(away, away) * 0.6;
    let color = mix(frame.behind_top, frame.behind_bottom, clamp(t, 0.0, 1.0));
    return vec4<f32>(color.rgb + dither(p.xy), 1.0) * color.a;
}

struct OnFloor {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
}

@vertex
fn floor_vertex(@builtin(vertex_index) i: u32) -> OnFloor {
    let corner = vec2<f32>(f32(i & 1u), f32((i >> 1u) & 1u)) * 2.0 - 1.0;
    var out: OnFloor;
    let at = frame.floor.xy + corner * frame.floor.z;
    out.world = vec3<f32>(at.x, 0.0, at.y);
    out.clip = frame.view_projection * vec4<f32>(out.world, 1.0);
    return out;
}

// How much of a pixel lines take that are `step` apart.
fn ruled(p: vec2<f32>, step: f32, width: f32) -> f32 {
    let pixel = max(fwidth(p), vec2<f32>(1e-9));
    let to_line = abs(fract(p / step + 0.5) - 0.5) * step;
    let cover = clamp(vec2<f32>(width * 0.5 + 0.5) - to_line / pixel, vec2<f32>(0.0), vec2<f32>(1.0));
    // Where lines are closer than pixels they would flicker.
    let far = clamp(vec2<f32>(1.0) - pixel * 4.0 / step, vec2<f32>(0.0), vec2<f32>(1.0));
    let both = cover * far;
    return max(both.x, both.y);
}

@fragment
fn floor_fragment(in: OnFloor) -> @location(0) vec4<f32> {
    let p = in.world.xz;
    let width = frame.viewport.z;
    let fine = ruled(p, frame.floor.w, width);
    let coarse = ruled(p, frame.floor.w * 10.0, width * 1.3);
    let out_there = length(p - frame.floor.xy) / frame.floor.z;
    let fade = 1.0 - smoothstep(0.25, 1.0, out_there);
    // From below one looks through it.
    let above = select(0.35, 1.0, towards_eye(in.world).y > 0.0);
    let lines = max(fine * 0.13, coarse * 0.34) * fade * above * frame.ink.a;
    let shade = (1.0 - sunlit(in.world, vec3<f32>(0.0, 1.0, 0.0))) * fade * select(0.0, 1.0, above > 0.9);
    let dark = shade * frame.horizon.w;
    // The shadow lies over the lines.
    let alpha = 1.0 - (1.0 - lines) * (1.0 - dark);
    return vec4<f32>(frame.ink.rgb * lines * (1.0 - dark), alpha);
}
