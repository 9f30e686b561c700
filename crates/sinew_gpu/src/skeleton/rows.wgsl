// The palette's rows, which skins read: see `palette.rs`.

// Rows of a joint that every method blends.
const BLEND_ROWS: u32 = 7u;
// Matrix: three rows, p' = rows · (p, 1).
const MATRIX: u32 = 0u;
const ROTATION: u32 = 3u;
const DUAL: u32 = 4u;
// xx, yy, zz of the stretch; the last is 0 where it is none.
const STRETCH: u32 = 5u;
// xy, xz, yz.
const STRETCH_MIXED: u32 = 6u;

// Rows of a joint that only bone-smooth reads.
const BONE_ROWS: u32 = 7u;
// Axis, and half the angle in turns.
const SWING: u32 = 0u;
const TWIST: u32 = 1u;
// Where the bone's axis points, and the twist from the root on in radians.
const POSED_AXIS: u32 = 2u;
const ROTATION_FROM_ROOT: u32 = 3u;
// Gap to the child, and how much longer the bone is than wide.
const GAP: u32 = 4u;
// xx, yy, zz of what the joint's scale does to the limb; the last is 0 where that, gap and stretch
// are none.
const LIMB: u32 = 5u;
// xy, xz, yz; the last is the twist in radians.
const LIMB_MIXED: u32 = 6u;
