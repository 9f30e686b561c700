//! Character skinning and deformation: the data model and every method, on the CPU.
//!
//! A [`Character`] is one or more meshes around a [`Skeleton`](skeleton::Skeleton). A
//! [`Pose`](skeleton::Pose) turns into a [`Palette`](skeleton::Palette) by forward kinematics, and
//! a [`Skin`](skin::Skin), bound once, turns the palette into deformed points each frame.
//!
//! ```
//! use sinew::glam::Vec3;
//! use sinew::measure::measure;
//! use sinew::progress::Silent;
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew::skeleton::{Palette, Pose};
//! use sinew::skin::{Skin, SkinInput, SkinMethod};
//!
//! // A character: here a cylinder on a chain of bones, from a file with `sinew_io`.
//! let character = build(&SampleOptions::new(SampleKind::Cylinder))?;
//! let part = &character.parts[0];
//! let weights = part.weights.as_ref().expect("samples have weights");
//! let (points, triangles) = (part.mesh.points(), part.mesh.point_triangles());
//!
//! // Bound once: what a method can find out beforehand.
//! let skeleton = &character.skeleton;
//! let input = SkinInput { positions: points, normals: &[], weights, triangles, skeleton };
//! let skin = Skin::bind(SkinMethod::DualQuat, &input, &Silent)?;
//!
//! // Each frame: a pose, what its joints do to the skin, the skin.
//! let mut pose = Pose::rest(&character.skeleton);
//! pose.joints[1].twist_radians = 120f64.to_radians();
//! let palette = Palette::new(&character.skeleton, &pose);
//! let mut posed = vec![Vec3::ZERO; points.len()];
//! skin.deform(&palette, &mut posed, &mut []);
//!
//! // Dual quaternions keep a twisted limb full, where linear blending wrings it out.
//! let figures = measure(points, &posed, triangles);
//! assert!(figures.volume_ratio.is_some_and(|ratio| ratio > 0.9));
//! assert_eq!(figures.inverted_triangles, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Conventions, said once: Y up, right-handed, metres, column vectors, quaternions `xyzw`, radians,
//! counter-clockwise front faces, f64 to bind and f32 to deform, indices `u32`.

pub mod attach;
pub mod carried;
pub mod character;
pub mod check;
pub mod conformance;
pub mod frame;
mod linalg;
pub mod material;
pub mod measure;
pub mod mesh;
pub mod motion;
pub mod progress;
pub mod sample;
pub mod shape;
pub mod skeleton;
pub mod skin;
pub mod springs;
pub mod weights;

pub use character::{Character, Part};
pub use glam;
