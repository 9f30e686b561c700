//! Characters as they are read and posed, beside a plain evaluation of their file
//! ([`raw`](crate::raw)).

use std::path::Path;

use glam::Vec3;
use sinew::Character;
use sinew::motion::Clip;
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Pose};
use sinew::skin::{Skin, SkinInput, SkinMethod};
use sinew_io::read_character;

use crate::raw;

/// Over the diagonal: positions, matrices and the skin itself are f32, and joints are taken apart
/// into swing, twist and scale and put together again.
pub(crate) const TOLERANCE_OVER_DIAGONAL: f64 = 1e-5;

/// Of a clip's duration; the last is past its end.
const SHARES_OF_CLIP: [f64; 5] = [0.0, 0.2137, 0.5, 0.861, 1.25];

/// Render vertices of every part, by the reader, the clip and linear skinning.
pub(crate) fn posed(character: &Character, clip: Option<&Clip>, seconds: f64) -> Vec<Vec<Vec3>> {
    let points = posed_points(character, SkinMethod::Linear, clip, seconds);
    let of_part = |(part, points): (&sinew::Part, Vec<Vec3>)| {
        part.mesh.point_of_vertex().iter().map(|&point| points[point as usize]).collect()
    };
    character.parts.iter().zip(points).map(of_part).collect()
}

/// The points of every part.
pub(crate) fn posed_points(
    character: &Character,
    method: SkinMethod,
    clip: Option<&Clip>,
    seconds: f64,
) -> Vec<Vec<Vec3>> {
    let skeleton = &character.skeleton;
    let pose = clip.map_or_else(|| Pose::rest(skeleton), |clip| clip.pose_at(skeleton, seconds));
    let palette = Palette::new(skeleton, &pose);
    let of_part = |(index, part): (usize, &sinew::Part)| {
        let weights = match clip {
            Some(clip) => clip.shape_weights_at(index, part, seconds),
            None => part.rest_shape_weights(),
        };
        let shaped = part.shaped_points(&weights);
        let mut points = shaped.clone();
        if let Some(weights) = &part.weights {
            let input = SkinInput {
                positions: &shaped,
                normals: &[],
                weights,
                triangles: part.mesh.point_triangles(),
                skeleton,
            };
            let skin = Skin::bind(method, &input, &Silent).unwrap();
            skin.deform(&palette, &mut points, &mut []);
        }
        points
    };
    character.parts.iter().enumerate().map(of_part).collect()
}

/// The largest distance over the diagonal, over all clips and times, and where it is.
pub(crate) fn worst(path: &Path) -> (f64, String) {
    worst_at(path, &SHARES_OF_CLIP)
}

/// The same at other shares of each clip.
pub(crate) fn worst_at(path: &Path, shares_of_clip: &[f64]) -> (f64, String) {
    let loaded = read_character(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let character = &loaded.character;
    let document = raw::Document::open(path);
    let rest = document.posed(None, 0.0);
    let diagonal = raw::diagonal(&rest);
    let mut worst = (0.0, "nothing".to_owned());
    let clips: Vec<Option<usize>> =
        std::iter::once(None).chain((0..character.clips.len()).map(Some)).collect();
    for clip in clips {
        let duration = clip.map_or(0.0, |clip| character.clips[clip].duration_seconds());
        let shares = if clip.is_some() { shares_of_clip } else { &[0.0] };
        for share in shares {
            let seconds = share * duration;
            let ours = posed(character, clip.map(|clip| &character.clips[clip]), seconds);
            let theirs = document.posed(clip, seconds);
            assert_eq!(ours.len(), theirs.len(), "{}: meshes", path.display());
            for (mesh, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                assert_eq!(ours.len(), theirs.len(), "{}: vertices of mesh {mesh}", path.display());
                for (vertex, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                    let Some(theirs) = theirs else { continue };
                    let distance = ours.as_dvec3().distance(*theirs) / diagonal;
                    // A NaN is the worst.
                    if distance.is_nan() || distance > worst.0 {
                        let what = format!(
                            "clip {clip:?} at {seconds:.3} s, mesh {mesh}, vertex {vertex}: {ours} for {theirs}"
                        );
                        worst = (distance, what);
                    }
                }
            }
        }
    }
    worst
}
