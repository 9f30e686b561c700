//! Character skinning and deformation: the data model and every method, on the CPU.
//!
//! A [`Character`] is one or more meshes around a [`Skeleton`](skeleton::Skeleton). With a
//! [`Rig`](frame::Rig), which says how its skin is made, it is bound once to a
//! [`Plan`](frame::Plan); each frame, [`Controls`](frame::Controls) (a pose, shape weights and what
//! else changes) become a [`Frame`](frame::Frame): joints, points and normals.
//!
//! ```
//! use std::sync::Arc;
//! use sinew::frame::{Controls, Plan, Rig};
//! use sinew::measure::measure;
//! use sinew::progress::Silent;
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew::skin::SkinMethod;
//!
//! // A character: here a cylinder on a chain of bones, from a file with `sinew_io`.
//! let character = Arc::new(build(&SampleOptions::new(SampleKind::Cylinder))?);
//!
//! // Bound once: what can be found out beforehand.
//! let plan = Plan::bind(&character, &Rig::of(SkinMethod::DualQuat), &Silent)?;
//! let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
//!
//! // Each frame: a pose, the skin.
//! let mut controls = Controls::rest(&character);
//! controls.pose.joints[1].twist_radians = 120f64.to_radians();
//! plan.run(&controls, &mut scratch, &mut frame);
//!
//! // Dual quaternions keep a twisted limb full, where linear blending wrings it out.
//! let (part, posed) = (&character.parts[0], &frame.parts()[0]);
//! let figures = measure(posed.rest(), posed.points(), part.mesh.point_triangles());
//! assert!(figures.volume_ratio.is_some_and(|ratio| ratio > 0.9));
//! assert_eq!(figures.inverted_triangles, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Conventions, said once: Y up, right-handed, metres, column vectors, quaternions `xyzw`, radians,
//! counter-clockwise front faces, f64 to bind and f32 to deform, indices `u32`.

pub mod attach;
pub mod cage;
pub mod carried;
pub mod character;
pub mod check;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod driver;
pub mod facing;
pub mod frame;
mod linalg;
pub mod material;
pub mod measure;
pub mod mesh;
pub mod motion;
pub mod posing;
pub mod progress;
pub mod retarget;
pub mod rigging;
#[cfg(any(test, feature = "samples"))]
pub mod sample;
pub mod shape;
pub mod skeleton;
pub mod sketch;
pub mod skin;
pub mod springs;
pub mod weights;

pub use character::{Character, Part};
pub use glam;

/// What the crate's page shows compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CratePage;
