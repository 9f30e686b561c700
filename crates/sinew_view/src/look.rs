//! Light and colour: one restrained studio for every picture. Both back ends follow this page; all
//! colours are linear.
//!
//! ```text
//! n  unit normal, turned to the viewer (a back face shows `backface` times its colour)    v  to the eye, unit
//! ambient = mix(floor, sky, ½ + ½ n.y) · (1 − occlusion·(1 − sky_light))     sky_light: shadow map from straight above
//! key     = key.color · wrap(n·key.toward) · key_light                       key_light: shadow map along the key
//! fill    = fill.color · wrap(n·fill.toward)            wrap(c) = max(0, (c + w)/(1 + w)),  w = `wrap`
//! gloss   = specular · key.color · key_light · max(0, n·h)^shininess,  h = norm(key.toward + v)
//! rim     = rim.color · (1 − max(0, n·v))⁴ · (½ + ½ n.y)
//! c       = albedo · (ambient + key + fill) + gloss + rim
//! shown   = srgb(tone(exposure · c)),  tone(c) = c(1 + c/white²)/(1 + c) a channel
//! ```
//!
//! Where nothing covers a pixel it shows the background, `mix(bottom, top, height)` in the sRGB of
//! the picture; where its ray meets the ground from above (the plane
//! [`Ground::y`](crate::scene::Ground)), that sRGB colour is multiplied by
//! `1 − ground_shadow · fade · (1 − ½(sky_light + key_light))`, `fade = max(0, 1 − (d/radius)²)²`
//! at the distance `d` from the ground's middle. So there is a shadow to stand on, and no horizon;
//! the ground itself hides nothing.
//!
//! Wires and marks are drawn after tone mapping: a linear colour, shown as `srgb(color)`. A
//! triangle's wire covers `clamp(½ width_px + ½ − d)` of what is at `d` pixels from its nearest
//! edge. Samples of a pixel are averaged in linear light, after tone mapping.
//!
//! **Shadow maps** are variance shadow maps (W. Donnelly and A. Lauritzen, I3D 2006) that know
//! where there is nothing: orthographic depth over the sphere around the scene's box, `z` = 0 where
//! the sphere begins and 1 where it ends. A texel is `(1, z, z²)` where something is and zero where
//! nothing is; blurred by a Gaussian it is `(a, a·m₁, a·m₂)`, and
//! `light = 1 − a(1 − lit) · exp(−max(0, z − m₁)/reach)`,
//! `lit = z ≤ m₁ ? 1 : max(0, (p − bleed)/(1 − bleed))`, with `p = σ²/(σ² + (z − m₁)²)`,
//! `σ² = max(m₂ − m₁², 1e-5)`. No noise, one look-up (bilinear), alike on both back ends. The map
//! from above, blurred wide, is the stand-in for ambient occlusion: what is far above takes less of
//! the sky, hence its `reach`. A place outside of a map is lit.

use glam::Vec3;

/// A light from one side, from infinitely far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Unit, towards the light, in *view* space turned upright (the lights walk with the camera,
    /// the horizon stays level): x right, y the model's up, z towards the viewer.
    pub toward: Vec3,
    /// Linear, times its strength.
    pub color: Vec3,
}

/// How soft a shadow is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowMap {
    /// Texels of its side.
    pub resolution: u32,
    /// Standard deviation of the blur, in texels.
    pub blur_texels: f32,
    /// How far behind what casts it the shadow is down to a third, over the diameter of the sphere;
    /// infinite for a shadow that never fades.
    pub reach: f32,
}

/// Everything about a picture's light that is not the scene's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// sRGB at the picture's upper edge.
    pub background_top: Vec3,
    /// sRGB at its lower edge.
    pub background_bottom: Vec3,
    /// From above.
    pub sky: Vec3,
    /// From below.
    pub floor: Vec3,
    /// The one that casts a shadow.
    pub key: Light,
    /// Its shadow.
    pub key_shadow: ShadowMap,
    /// The one that lightens the dark side.
    pub fill: Light,
    /// How far light reaches around a form.
    pub wrap: f32,
    /// Colour of the edge light.
    pub rim: Vec3,
    /// Strength of the highlight.
    pub specular: f32,
    /// Its exponent.
    pub shininess: f32,
    /// How much of the ambient light a blocked sky takes away.
    pub occlusion: f32,
    /// The map from above.
    pub sky_shadow: ShadowMap,
    /// Light bleeding that is cut off in shadows.
    pub bleed: f32,
    /// Share of its colour that a back face shows.
    pub backface: f32,
    /// Colour of a surface without material.
    pub clay: Vec3,
    /// Before tone mapping.
    pub exposure: f32,
    /// What tone mapping makes white.
    pub white: f32,
    /// Darkness of the shadow on the ground; 0 is none.
    pub ground_shadow: f32,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            background_top: Vec3::new(0.965, 0.968, 0.973),
            background_bottom: Vec3::new(0.875, 0.884, 0.898),
            sky: Vec3::new(0.33, 0.36, 0.41),
            floor: Vec3::new(0.17, 0.155, 0.145),
            key: Light { toward: Vec3::new(-0.52, 0.74, 0.43), color: Vec3::new(1.95, 1.84, 1.69) },
            key_shadow: ShadowMap { resolution: 640, blur_texels: 3.75, reach: f32::INFINITY },
            fill: Light {
                toward: Vec3::new(0.78, 0.22, 0.585),
                color: Vec3::new(0.17, 0.20, 0.25),
            },
            wrap: 0.15,
            rim: Vec3::new(0.20, 0.215, 0.24),
            specular: 0.12,
            shininess: 24.0,
            occlusion: 0.85,
            sky_shadow: ShadowMap { resolution: 256, blur_texels: 4.5, reach: 0.3 },
            bleed: 0.25,
            backface: 0.45,
            clay: Vec3::new(0.56, 0.50, 0.45),
            exposure: 1.0,
            white: 2.0,
            ground_shadow: 0.68,
        }
    }
}
