// Light: a sun, and a sky with two soft windows, as in a photographer's studio.

const PI: f32 = 3.14159265;

struct Matter {
    // Linear.
    color: vec3<f32>,
    metallic: f32,
    roughness: f32,
    // How much of the sky is seen, from 0 to 1.
    open: f32,
}

// How much of the sun reaches a point: a few looks round it, each between four texels.
fn sunlit(world: vec3<f32>, normal: vec3<f32>) -> f32 {
    // A little off the surface, farther where the sun grazes it: no surface shades itself.
    let texel = frame.sun_color.w;
    let lift = normal * texel * (0.6 + 1.4 * (1.0 - clamp(dot(normal, frame.sun.xyz), 0.0, 1.0)));
    let p = (frame.to_shadow * vec4<f32>(world + lift, 1.0)).xyz;
    if any(p.xy <= vec2<f32>(0.0)) || any(p.xy >= vec2<f32>(1.0)) {
        return 1.0;
    }
    let reference = min(p.z, 0.9999);
    var sum = 0.0;
    for (var i = 0; i < LOOKS; i++) {
        // A sunflower's seeds: even over the disc whatever their number.
        let far = sqrt((f32(i) + 0.5) / f32(LOOKS));
        let angle = f32(i) * 2.39996323;
        let look = p.xy + vec2<f32>(cos(angle), sin(angle)) * far * frame.viewport.w;
        sum += textureSampleCompareLevel(shadow_map, shadow_sampler, look, reference);
    }
    // It ends softly at the sides of the map.
    let side = min(min(p.x, p.y), min(1.0 - p.x, 1.0 - p.y));
    let lit = mix(1.0, sum / f32(LOOKS), clamp(side * 24.0, 0.0, 1.0));
    return mix(1.0, lit, frame.sun.w);
}

// A window of the studio: how bright it is in a direction, the softer the rougher what mirrors it.
fn window(d: vec3<f32>, to: vec3<f32>, cosine: f32, roughness: f32) -> f32 {
    let soft = 0.04 + 0.9 * roughness;
    let size = 1.0 - cosine;
    let bright = size / (size + soft * roughness);
    return bright * smoothstep(cosine - soft, cosine + soft * 0.35, dot(d, to));
}

// What comes from a direction, smeared by roughness.
fn sky(d: vec3<f32>, roughness: f32) -> vec3<f32> {
    let soft = mix(0.08, 0.9, roughness);
    let above = mix(frame.horizon.rgb, frame.zenith.rgb, smoothstep(-soft * 0.3, 1.0, d.y));
    var light = mix(frame.ground.rgb, above, smoothstep(-soft, soft, d.y));
    light += vec3<f32>(2.6, 2.55, 2.45) * window(d, normalize(vec3<f32>(-0.75, 0.45, 0.5)), 0.9, roughness);
    light += vec3<f32>(1.5, 1.6, 1.8) * window(d, normalize(vec3<f32>(0.9, 0.25, -0.5)), 0.93, roughness);
    return light;
}

// All of the sky that a dull surface sees.
fn sky_on(n: vec3<f32>) -> vec3<f32> {
    let up = n.y * 0.5 + 0.5;
    let sides = 1.0 - abs(n.y);
    let even = mix(frame.ground.rgb, frame.zenith.rgb, up * up * (3.0 - 2.0 * up));
    let light = mix(even, frame.horizon.rgb, sides * 0.35);
    let key = max(dot(n, normalize(vec3<f32>(-0.75, 0.45, 0.5))) * 0.6 + 0.4, 0.0);
    let rim = max(dot(n, normalize(vec3<f32>(0.9, 0.25, -0.5))) * 0.6 + 0.4, 0.0);
    return light + vec3<f32>(0.26, 0.255, 0.245) * key * key + vec3<f32>(0.12, 0.13, 0.15) * rim * rim;
}

// How much of the sky is mirrored: the first of Karis' two sums, as a polynomial.
fn mirrored(f0: vec3<f32>, roughness: f32, facing: f32) -> vec3<f32> {
    let r = roughness * vec4<f32>(-1.0, -0.0275, -0.572, 0.022) + vec4<f32>(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
    let scale = vec2<f32>(-1.04, 1.04) * a + r.zw;
    return f0 * scale.x + vec3<f32>(scale.y);
}

fn lit(m: Matter, world: vec3<f32>, n: vec3<f32>, surface: vec3<f32>) -> vec3<f32> {
    let v = towards_eye(world);
    let facing = clamp(dot(n, v), 1e-4, 1.0);
    let roughness = clamp(m.roughness, 0.045, 1.0);
    let f0 = mix(vec3<f32>(0.04), m.color, m.metallic);
    let dull = m.color * (1.0 - m.metallic);

    let from_sky = dull * sky_on(n) + sky(reflect(-v, n), roughness) * mirrored(f0, roughness, facing);
    // Corners that see little of the sky mirror little of it, too.
    var light = from_sky * m.open;

    let l = frame.sun.xyz;
    let height = dot(n, l);
    if height > 0.0 {
        let h = normalize(l + v);
        let nh = clamp(dot(n, h), 0.0, 1.0);
        let a = roughness * roughness;
        let a2 = a * a;
        let d = nh * nh * (a2 - 1.0) + 1.0;
        let spread = a2 / (PI * d * d);
        let seen = 0.5 / (height * sqrt(facing * facing * (1.0 - a2) + a2) + facing * sqrt(height * height * (1.0 - a2) + a2));
        let fresnel = f0 + (vec3<f32>(1.0) - f0) * pow(1.0 - clamp(dot(l, h), 0.0, 1.0), 5.0);
        let direct = dull * (vec3<f32>(1.0) - fresnel) / PI + fresnel * spread * seen;
        light += direct * frame.sun_color.rgb * height * sunlit(world, surface);
    }
    return light;
}

// Khronos' neutral tone curve: colours stay what they are, and only what is too bright is bent.
fn toned(color: vec3<f32>) -> vec3<f32> {
    let start = 0.76;
    let low = min(color.r, min(color.g, color.b));
    let offset = select(0.04, low - 6.25 * low * low, low < 0.08);
    let c = color - offset;
    let peak = max(c.r, max(c.g, c.b));
    let room = 1.0 - start;
    let bent = 1.0 - room * room / (peak + room - start);
    let grey = 1.0 - 1.0 / (0.15 * (peak - bent) + 1.0);
    let bright = mix(c * (bent / max(peak, 1e-4)), vec3<f32>(bent), grey);
    return select(bright, c, peak < start);
}
