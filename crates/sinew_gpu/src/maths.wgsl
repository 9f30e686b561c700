// What every compute shader shares: numbering of invocations, quaternions `xyzw`, symmetric
// stretches, sines.

const TAU: f32 = 6.283185307179586;
// f32::MIN_POSITIVE, which WGSL cannot write as a decimal without doubt.
const LEAST: f32 = 0x1p-126;

// Number of the invocation in a dispatch of rows of workgroups of 64.
fn invocation_index(id: vec3<u32>, num_workgroups: vec3<u32>) -> u32 {
    return id.y * num_workgroups.x * 64u + id.x;
}

// Hamilton's product.
fn quat_mul(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

fn quat_conjugate(q: vec4<f32>) -> vec4<f32> {
    return vec4(-q.xyz, q.w);
}

// 2/|q|²: with it a blend need not be normalised. Zero only where rotations at right angles to the
// pivot's cancel; then no rotation is right.
fn twice_over_norm(q: vec4<f32>) -> f32 {
    return 2.0 / max(dot(q, q), 1e-12);
}

// `v` turned by a quaternion of any length: v + 2/|q|² · q⃗ × (q⃗ × v + w v).
fn quat_rotate(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + twice_over_norm(q) * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Unit vector; zero stays zero.
fn unit_or_zero(v: vec3<f32>) -> vec3<f32> {
    // Scaled first: squares of what is smaller than 1e-19 underflow.
    let size = max(abs(v.x), max(abs(v.y), abs(v.z)));
    let scaled = v / max(size, LEAST);
    return scaled / sqrt(max(dot(scaled, scaled), LEAST));
}

// A symmetric 3×3 matrix.
struct Symmetric {
    // xx, yy, zz
    diagonal: vec3<f32>,
    // xy, xz, yz
    mixed: vec3<f32>,
}

fn symmetric_mul(s: Symmetric, v: vec3<f32>) -> vec3<f32> {
    return s.diagonal * v
        + vec3(s.mixed.x * v.y + s.mixed.y * v.z, s.mixed.x * v.x + s.mixed.z * v.z,
            s.mixed.y * v.x + s.mixed.z * v.y);
}

// A unit normal after a symmetric stretch: by its cofactors.
fn stretched_normal(s: Symmetric, n: vec3<f32>) -> vec3<f32> {
    let d = s.diagonal;
    let m = s.mixed;
    let cofactors = Symmetric(
        vec3(d.y * d.z - m.z * m.z, d.x * d.z - m.y * m.y, d.x * d.y - m.x * m.x),
        vec3(m.y * m.z - m.x * d.z, m.x * m.z - m.y * d.y, m.x * m.y - m.z * d.x),
    );
    return unit_or_zero(symmetric_mul(cofactors, n));
}

// sin 2πy for |y| ≤ ¼: the Taylor series to the eleventh power, within 6e-8. WGSL's own sine
// promises 2⁻¹¹.
fn sine_of_quarter(y: f32) -> f32 {
    let z = y * y;
    var p = -15.094643 * z + 42.058693;
    p = p * z - 76.70586;
    p = p * z + 81.60525;
    p = p * z - 41.3417;
    p = p * z + TAU;
    return p * y;
}

// Sine and cosine of an angle given in turns.
fn sin_cos_turns(turns: f32) -> vec2<f32> {
    // In −½..½; the subtraction is exact.
    let y = turns - round(turns);
    // Beyond a quarter turn the sine runs back: sin(y) = sin(±½ − y).
    let folded = select(0.5, -0.5, y < 0.0) - y;
    let y_sine = select(y, folded, abs(y) > 0.25);
    return vec2(sine_of_quarter(y_sine), sine_of_quarter(0.25 - abs(y)));
}

// atan2 within 2e-7 (Cephes): WGSL's own may be off by 4096 units in the last place. (0, 0)
// gives 0.
fn atan2_precise(y: f32, x: f32) -> f32 {
    let long = max(abs(x), abs(y));
    let short = min(abs(x), abs(y));
    if long == 0.0 {
        return 0.0;
    }
    var ratio = short / long;
    var angle = 0.0;
    // Past tan(π/8) from a quarter of π on.
    if ratio > 0.41421356 {
        ratio = (ratio - 1.0) / (ratio + 1.0);
        angle = 0.78539816;
    }
    let z = ratio * ratio;
    let series = ((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z
        - 3.33329491539e-1;
    angle += series * z * ratio + ratio;
    if abs(y) > abs(x) {
        angle = 1.57079633 - angle;
    }
    if x < 0.0 {
        angle = 3.14159265 - angle;
    }
    return select(angle, -angle, y < 0.0);
}
