//! Character skinning and deformation: the data model and every method, on the CPU.
//!
//! A [`Character`] is one or more meshes around a [`Skeleton`](skeleton::Skeleton). A
//! [`Pose`](skeleton::Pose) turns into a [`Palette`](skeleton::Palette) by forward kinematics, and a
//! [`Skin`](skin::Skin), bound once, turns the palette into deformed points each frame.
//!
//! Conventions, said once: Y up, right-handed, metres, column vectors, quaternions `xyzw`, radians,
//! counter-clockwise front faces, f64 to bind and f32 to deform, indices `u32`.

pub mod character;
pub mod check;
pub mod conformance;
pub mod measure;
pub mod mesh;
pub mod motion;
pub mod progress;
pub mod sample;
pub mod shape;
pub mod skeleton;
pub mod skin;
pub mod weights;

pub use character::{Character, Part};
pub use glam;
