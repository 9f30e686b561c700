// From a pose to the palette. Twin of sinew's skeleton/palette.rs, turn.rs and span.rs; rows as in
// rows.wgsl.
// prelude: maths.wgsl, skeleton/rows.wgsl
//
// Three dispatches, one invocation a joint: `place` follows the chain of parents up to the root,
// `turn` looks at the parent's rotation and the child's place, `from_root` adds up along the chain
// again.

struct PaletteParams {
    num_joints: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(0) @binding(0) var<uniform> params: PaletteParams;
// Rows a joint: rotation in the parent; translation and stretch; scale and unwrapped twist.
@group(0) @binding(1) var<storage, read> pose: array<vec4<f32>>;
// Rows a joint: bone's axis in its own frame; three of joint_from_model; head, tail and axis of the
// bone where the skin was bound.
@group(0) @binding(2) var<storage, read> skeleton: array<vec4<f32>>;
// Parent, and the child that the bone ends at.
@group(0) @binding(3) var<storage, read> links: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> palette: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> bones: array<vec4<f32>>;

const NOTHING: u32 = 0xffffffffu;
const POSE_ROWS: u32 = 3u;
const SKELETON_ROWS: u32 = 7u;

// Stretches this near to none are f32 rounding along a chain.
const RIGID_TOLERANCE: f32 = 4e-6;
// A singular value below this share of the largest is zero: an f32 cannot tell where it points.
const FLAT: f32 = 1e-5;

struct Affine {
    linear: mat3x3<f32>,
    translation: vec3<f32>,
}

fn compose(a: Affine, b: Affine) -> Affine {
    return Affine(a.linear * b.linear, a.linear * b.translation + a.translation);
}

fn matrix_of(q: vec4<f32>) -> mat3x3<f32> {
    let d = 2.0 * q.xyz;
    let xx = q.x * d.x;
    let yy = q.y * d.y;
    let zz = q.z * d.z;
    let xy = q.x * d.y;
    let xz = q.x * d.z;
    let yz = q.y * d.z;
    let w = q.w * d;
    return mat3x3(
        vec3(1.0 - (yy + zz), xy + w.z, xz - w.y),
        vec3(xy - w.z, 1.0 - (xx + zz), yz + w.x),
        vec3(xz + w.y, yz - w.x, 1.0 - (xx + yy)),
    );
}

// What a joint's stretch does to a vector in its own frame.
fn along_bone(joint: u32, v: vec3<f32>) -> vec3<f32> {
    let stretch = pose[joint * POSE_ROWS + 1u].w;
    let axis = skeleton[joint * SKELETON_ROWS].xyz;
    return v + (stretch - 1.0) * dot(axis, v) * axis;
}

// parent_from_joint on the parent as it is stretched.
fn local(joint: u32) -> Affine {
    let row = joint * POSE_ROWS;
    let turn = matrix_of(pose[row]);
    let scale = pose[row + 2u].xyz;
    var translation = pose[row + 1u].xyz;
    let parent = links[joint].x;
    if parent != NOTHING {
        translation = along_bone(parent, translation);
    }
    return Affine(mat3x3(turn[0] * scale.x, turn[1] * scale.y, turn[2] * scale.z), translation);
}

fn cofactors(m: mat3x3<f32>) -> mat3x3<f32> {
    return mat3x3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
}

fn size_of(m: mat3x3<f32>) -> f32 {
    return sqrt(dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2]));
}

fn largest(m: mat3x3<f32>) -> f32 {
    let a = max(max(abs(m[0]), abs(m[1])), abs(m[2]));
    return max(a.x, max(a.y, a.z));
}

// The direction of the longest column.
fn longest_column(m: mat3x3<f32>) -> vec3<f32> {
    var longest = m[0];
    if dot(m[1], m[1]) > dot(longest, longest) {
        longest = m[1];
    }
    if dot(m[2], m[2]) > dot(longest, longest) {
        longest = m[2];
    }
    return unit_or_zero(longest);
}

// The rotation matrix that takes one unit vector to another the shortest way.
fn arc(a: vec3<f32>, b: vec3<f32>) -> mat3x3<f32> {
    let cosine = dot(a, b);
    if cosine < -0.999999 {
        // Half a turn about anything at a right angle.
        return matrix_of(vec4(any_orthonormal(a), 0.0));
    }
    return matrix_of(normalize(vec4(cross(a, b), 1.0 + cosine)));
}

fn any_orthonormal(v: vec3<f32>) -> vec3<f32> {
    // Duff et al. 2017.
    let sign = select(-1.0, 1.0, v.z >= 0.0);
    let a = -1.0 / (sign + v.z);
    let b = v.x * v.y * a;
    return vec3(b, sign + v.y * v.y * a, -v.y);
}

// A matrix of size one that has the R of `m` and a positive determinant: along axes that `m`
// flattens it has length one.
fn invertible_like(m: mat3x3<f32>) -> mat3x3<f32> {
    let size = size_of(m);
    if !(size > 1e-18 && size < 1e18) {
        return mat3x3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    }
    let unit = m * (1.0 / size);
    let of_planes = cofactors(unit);
    let middle = size_of(of_planes);
    if middle < FLAT {
        // What is left is a line: the turn from where it came from to where it went, with no twist
        // about it.
        let line = longest_column(transpose(unit));
        return arc(line, unit_or_zero(unit * line));
    }
    let volume = determinant(unit);
    if abs(volume) < FLAT * middle {
        // A plane: its normal goes to its image's. The determinant's sign is noise, and must not
        // mirror anything.
        let normal = longest_column(transpose(of_planes));
        let image = unit_or_zero(of_planes * normal);
        return unit + mat3x3(image * normal.x, image * normal.y, image * normal.z);
    }
    return unit * select(1.0, -1.0, volume < 0.0);
}

// The rotation of `m = R · S`, by Newton's iteration, which squares its error each step once it is
// near.
fn rotation_of(m: mat3x3<f32>) -> mat3x3<f32> {
    var r = invertible_like(m);
    for (var step = 0u; step < 30u; step++) {
        let next = (r + cofactors(r) * (1.0 / determinant(r))) * 0.5;
        let change = largest(next - r);
        r = next;
        // The next error is this one squared.
        if change < 1e-4 {
            break;
        }
    }
    return r;
}

// Unit quaternion of a rotation matrix, of either sign: divided by its largest component.
fn quat_of(m: mat3x3<f32>) -> vec4<f32> {
    let trace = vec4(
        1.0 + m[0].x - m[1].y - m[2].z,
        1.0 - m[0].x + m[1].y - m[2].z,
        1.0 - m[0].x - m[1].y + m[2].z,
        1.0 + m[0].x + m[1].y + m[2].z,
    );
    let skew = vec3(m[1].z - m[2].y, m[2].x - m[0].z, m[0].y - m[1].x);
    let sums = vec3(m[0].y + m[1].x, m[0].z + m[2].x, m[1].z + m[2].y);
    var q = vec4(skew, trace.w);
    var most = trace.w;
    if trace.x > most {
        q = vec4(trace.x, sums.x, sums.y, skew.x);
        most = trace.x;
    }
    if trace.y > most {
        q = vec4(sums.x, trace.y, sums.z, skew.y);
        most = trace.y;
    }
    if trace.z > most {
        q = vec4(sums.y, sums.z, trace.z, skew.z);
    }
    return normalize(q);
}

fn linear_of(joint: u32) -> mat3x3<f32> {
    let row = joint * BLEND_ROWS + MATRIX;
    return transpose(mat3x3(palette[row].xyz, palette[row + 1u].xyz, palette[row + 2u].xyz));
}

fn moved(joint: u32, p: vec3<f32>) -> vec3<f32> {
    let row = joint * BLEND_ROWS + MATRIX;
    let point = vec4(p, 1.0);
    return vec3(dot(palette[row], point), dot(palette[row + 1u], point),
        dot(palette[row + 2u], point));
}

@compute @workgroup_size(64)
fn place(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let joint = invocation_index(id, groups);
    if joint >= params.num_joints {
        return;
    }
    let at = joint * SKELETON_ROWS + 1u;
    let rows = mat3x3(skeleton[at].xyz, skeleton[at + 1u].xyz, skeleton[at + 2u].xyz);
    let inverse_bind = transpose(rows);
    // The stretch of the bone lengthens the skin on it, in the joint's own frame.
    var transform = Affine(
        mat3x3(
            along_bone(joint, inverse_bind[0]),
            along_bone(joint, inverse_bind[1]),
            along_bone(joint, inverse_bind[2]),
        ),
        along_bone(joint, vec3(skeleton[at].w, skeleton[at + 1u].w, skeleton[at + 2u].w)),
    );
    var ancestor = joint;
    while ancestor != NOTHING {
        transform = compose(local(ancestor), transform);
        ancestor = links[ancestor].x;
    }
    let linear = transform.linear;
    let t = transform.translation;
    let row = joint * BLEND_ROWS;
    let by_rows = transpose(linear);
    palette[row + MATRIX] = vec4(by_rows[0], t.x);
    palette[row + MATRIX + 1u] = vec4(by_rows[1], t.y);
    palette[row + MATRIX + 2u] = vec4(by_rows[2], t.z);
    let rotation = rotation_of(linear);
    let q = quat_of(rotation);
    palette[row + ROTATION] = q;
    palette[row + DUAL] = 0.5 * quat_mul(vec4(t, 0.0), q);
    let s = transpose(rotation) * linear;
    let diagonal = vec3(s[0].x, s[1].y, s[2].z);
    let mixed = 0.5 * vec3(s[0].y + s[1].x, s[0].z + s[2].x, s[1].z + s[2].y);
    let off = max(abs(diagonal - 1.0), abs(mixed));
    let is_scaled = max(off.x, max(off.y, off.z)) > RIGID_TOLERANCE;
    palette[row + STRETCH] = vec4(diagonal, select(0.0, 1.0, is_scaled));
    palette[row + STRETCH_MIXED] = vec4(mixed, 0.0);
}

// How the joint has turned from its parent, and how far its bone reaches.
@compute @workgroup_size(64)
fn turn(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let joint = invocation_index(id, groups);
    if joint >= params.num_joints {
        return;
    }
    let bound = joint * SKELETON_ROWS + 4u;
    let head = skeleton[bound].xyz;
    let tail = skeleton[bound + 1u].xyz;
    let axis = skeleton[bound + 2u].xyz;
    let own = palette[joint * BLEND_ROWS + ROTATION];
    var from_parent = own;
    if links[joint].x != NOTHING {
        from_parent =
            quat_mul(quat_conjugate(palette[links[joint].x * BLEND_ROWS + ROTATION]), own);
    }

    // Swing · twist, the twist's half angle from the hemisphere where w is positive.
    let half = vec2(dot(from_parent.xyz, axis), from_parent.w);
    let size = length(half);
    var swing = from_parent;
    var twist = 0.0;
    if size > 1e-6 {
        let sine_cosine = half * (select(1.0, -1.0, from_parent.w < 0.0) / size);
        twist = 2.0 * atan2_precise(sine_cosine.x, sine_cosine.y);
        swing = quat_mul(from_parent, vec4(-sine_cosine.x * axis, sine_cosine.y));
    }
    swing = normalize(swing);
    // What the product of the unwrapped turns is, over the quaternion of the matrix.
    var sign = 1.0;
    if swing.w < 0.0 {
        swing = -swing;
        sign = -sign;
    }
    let turns = round((pose[joint * POSE_ROWS + 2u].w - twist) / TAU);
    if (i32(turns) & 1) == 1 {
        sign = -sign;
    }
    let twist_radians = twist + turns * TAU;
    let sine = length(swing.xyz);
    var swing_axis = any_orthonormal(axis);
    if sine > 0.0 {
        swing_axis = swing.xyz / sine;
    }
    let row = joint * BONE_ROWS;
    // Half angles, in turns.
    bones[row + SWING] = vec4(swing_axis, atan2_precise(sine, swing.w) / TAU);
    bones[row + TWIST] = vec4(axis, twist_radians / (2.0 * TAU));
    palette[joint * BLEND_ROWS + STRETCH_MIXED].w = sign;

    let linear = linear_of(joint);
    let bone = tail - head;
    let bone_length = length(bone);
    let stretched = linear * bone;
    let stretched_length = length(stretched);
    var posed_axis = axis;
    let turned_axis = linear * axis;
    if length(turned_axis) > 0.0 {
        posed_axis = unit_or_zero(turned_axis);
    }
    bones[row + POSED_AXIS] = vec4(posed_axis, 0.0);

    var gap = vec3(0.0);
    let next = links[joint].y;
    if next != NOTHING {
        let to = moved(next, skeleton[next * SKELETON_ROWS + 4u].xyz);
        let from_tail = moved(joint, tail);
        gap = to - from_tail;
        // What two chains of f32 products differ by.
        let rounding = RIGID_TOLERANCE * (bone_length + max(length(to), length(from_tail)));
        if length(gap) <= rounding {
            gap = vec3(0.0);
        }
    }
    // A bone flattened to nothing, or without length, says nothing about its skin.
    let whole = transpose(matrix_of(own)) * linear;
    var limb = whole;
    var stretch = 1.0;
    if bone_length > 0.0 && stretched_length > 1e-6 * bone_length {
        let axial = stretched_length / bone_length;
        // Volume over length is the section's area; its root the width.
        let width = sqrt(abs(determinant(linear)) / axial);
        if width > 1e-6 * axial {
            stretch = clamp(length(stretched + gap) / (bone_length * width), 1e-3, 1e3);
        }
        if abs(stretch - 1.0) <= RIGID_TOLERANCE {
            stretch = 1.0;
        }
        let excess = 1.0 - width / axial;
        if abs(excess) > RIGID_TOLERANCE {
            let along = bone / bone_length;
            let undone = whole * along * excess;
            limb = whole - mat3x3(undone * along.x, undone * along.y, undone * along.z);
        }
    }
    let diagonal = vec3(limb[0].x, limb[1].y, limb[2].z);
    let mixed = 0.5 * vec3(limb[0].y + limb[1].x, limb[0].z + limb[2].x, limb[1].z + limb[2].y);
    let is_scaled = palette[joint * BLEND_ROWS + STRETCH].w != 0.0 || stretch != 1.0
        || any(gap != vec3(0.0));
    bones[row + GAP] = vec4(gap, stretch);
    bones[row + LIMB] = vec4(diagonal, select(0.0, 1.0, is_scaled));
    bones[row + LIMB_MIXED] = vec4(mixed, twist_radians);
}

// Twists and signs added up from the root: the rotation from the root is the joint's own, with the
// sign of its turns.
@compute @workgroup_size(64)
fn from_root(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let joint = invocation_index(id, groups);
    if joint >= params.num_joints {
        return;
    }
    var sign = 1.0;
    var twist = 0.0;
    var ancestor = joint;
    while ancestor != NOTHING {
        sign *= palette[ancestor * BLEND_ROWS + STRETCH_MIXED].w;
        twist += bones[ancestor * BONE_ROWS + LIMB_MIXED].w;
        ancestor = links[ancestor].x;
    }
    bones[joint * BONE_ROWS + POSED_AXIS].w = twist;
    bones[joint * BONE_ROWS + ROTATION_FROM_ROOT] = sign * palette[joint * BLEND_ROWS + ROTATION];
}
