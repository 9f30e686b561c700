//! `--spring-edits FILE.json`: what single points of springs have of their own, mesh by mesh; see
//! `docs/spring-edits.md`.
//!
//! Stiffness and pairs are the rig's, pins, handles and region the controls'. All of it is checked
//! against the character before anything is bound: an edit of a point that is not there would
//! silently do nothing.

use std::path::Path;

use glam::{DVec3, Vec3};
use serde::Deserialize;
use sinew::Character;
use sinew::frame::{CageRig, Controls, PartControls, PartRig, Rig};
use sinew::mesh::{Adjacency, Mesh};
use sinew::springs::{Hold, PairScale, Pin, Region, ScaleEdit};
use sinew_editor::MeshRef;

use crate::exit::Failure;

/// Edits of a character's springs, resolved and checked.
#[derive(Debug, Default)]
pub(crate) struct SpringEdits {
    /// By the number of the mesh.
    meshes: Vec<(usize, MeshEdits)>,
    /// `--cage`.
    pub(crate) cage: Option<CageRig>,
    /// Where its handles are at rest; as in its file if empty.
    pub(crate) rest_cage: Vec<DVec3>,
    /// How a cage with Green coordinates moves the points of each mesh at rest; none without.
    pub(crate) rest_offsets: Vec<Vec<Vec3>>,
}

/// Of one mesh.
#[derive(Debug, Default)]
struct MeshEdits {
    rig: PartRig,
    controls: PartControls,
}

/// What a file says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditsFile {
    #[serde(deserialize_with = "sinew_editor::json_keys::once")]
    meshes: Vec<(String, MeshEntry)>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MeshEntry {
    stiffness: Vec<f32>,
    paint: Vec<PaintEntry>,
    pairs: Vec<PairEntry>,
    pins: Vec<PinEntry>,
    handles: Vec<HandleEntry>,
    region: Option<RegionEntry>,
}

/// A point by its number, or the one that is nearest to a place at rest.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "a point is its number, or a place at rest: [x, y, z]")]
enum PointRef {
    Number(u32),
    Place([f32; 3]),
}

/// Points around one of them, painted over what is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PaintEntry {
    around: PointRef,
    radius: f32,
    stiffness: f32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairEntry {
    points: [PointRef; 2],
    #[serde(default = "one")]
    torque: f32,
    #[serde(default = "one")]
    edge: f32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinEntry {
    point: PointRef,
    position: [f32; 3],
    #[serde(default)]
    hold: Hold,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HandleEntry {
    point: PointRef,
    #[serde(default = "one")]
    length: f32,
    #[serde(default)]
    direction: Option<[f32; 3]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionEntry {
    around: Vec<PointRef>,
    rings: u32,
}

fn one() -> f32 {
    1.0
}

impl SpringEdits {
    /// Reads a file and checks it against a character.
    pub(crate) fn read(path: &Path, character: &Character) -> Result<Self, Failure> {
        let at =
            |error: String| Failure::Input(format!("spring edits '{}': {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| at(error.to_string()))?;
        Self::parse(&text, character).map_err(at)
    }

    fn parse(text: &str, character: &Character) -> Result<Self, String> {
        // Serde would take a list of the fields as well, which nobody means.
        if !text.trim_start().starts_with('{') {
            return Err(r#"not a JSON object; write {"meshes": {"NAME": {...}}}"#.into());
        }
        let file: EditsFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut meshes: Vec<(usize, MeshEdits)> = Vec::with_capacity(file.meshes.len());
        for (name, entry) in file.meshes {
            let part = MeshRef(name.clone()).resolve(character)?;
            if meshes.iter().any(|(other, _)| *other == part) {
                return Err(format!("mesh '{name}' is named twice, by its name and by its number"));
            }
            let mesh = &character.parts[part].mesh;
            let edits = entry.resolve(mesh).map_err(|fault| format!("mesh '{name}': {fault}"))?;
            edits.controls.check(mesh).map_err(|error| error.to_string())?;
            meshes.push((part, edits));
        }
        Ok(Self { meshes, ..Self::default() })
    }

    /// Gives a rig its cage, and one with springs its painted stiffness and pairs.
    pub(crate) fn give_rig(&self, character: &Character, rig: &mut Rig) -> Result<(), Failure> {
        rig.cage.clone_from(&self.cage);
        if rig.springs.is_none() {
            return Ok(());
        }
        for (part, edits) in &self.meshes {
            if !rig.relaxes(character, *part) {
                let mesh = character.parts[*part].mesh.name();
                return Err(Failure::Usage(format!(
                    "springs do not relax mesh '{mesh}', so that its --spring-edits would do nothing; name it with --springs-on or leave them out"
                )));
            }
            let own = rig.part_mut(*part);
            own.stiffness.clone_from(&edits.rig.stiffness);
            own.pairs.clone_from(&edits.rig.pairs);
        }
        rig.check(character).map_err(|error| Failure::Input(error.to_string()))
    }

    /// Controls with the pins, handles and regions, and the rest cage.
    pub(crate) fn given(&self, mut controls: Controls) -> Controls {
        for (part, edits) in &self.meshes {
            if controls.parts.len() <= *part {
                controls.parts.resize(*part + 1, PartControls::default());
            }
            let PartControls { pins, edits: handles, region, .. } = &edits.controls;
            let own = &mut controls.parts[*part];
            own.pins.clone_from(pins);
            own.edits.clone_from(handles);
            own.region.clone_from(region);
        }
        if controls.parts.len() < self.rest_offsets.len() {
            controls.parts.resize(self.rest_offsets.len(), PartControls::default());
        }
        for (own, offsets) in controls.parts.iter_mut().zip(&self.rest_offsets) {
            own.rest_offsets.clone_from(offsets);
        }
        // What a clip does to the cage stays where no flag says otherwise.
        if !self.rest_cage.is_empty() || controls.cage.is_empty() {
            controls.cage.clone_from(&self.rest_cage);
        }
        controls
    }
}

impl MeshEntry {
    fn resolve(&self, mesh: &Mesh) -> Result<MeshEdits, String> {
        let adjacency = Adjacency::of(mesh);
        let pairs = each("pairs", &self.pairs, |pair| pair.resolve(mesh, &adjacency))?;
        let pins = each("pins", &self.pins, |pin| {
            let point = pin.point.resolve(mesh)?;
            Ok(Pin { point, position: Vec3::from_array(pin.position), hold: pin.hold })
        })?;
        let handles = each("handles", &self.handles, |handle| {
            Ok(ScaleEdit {
                point: handle.point.resolve(mesh)?,
                length_factor: handle.length,
                direction: handle.direction.map(Vec3::from_array),
            })
        })?;
        let region = match &self.region {
            None => None,
            Some(region) => {
                let around = each("region.around", &region.around, |point| point.resolve(mesh))?;
                if around.is_empty() {
                    return Err(
                        "region.around names no point, and springs could move nothing".into()
                    );
                }
                Some(Region::around(&adjacency, &around, region.rings))
            }
        };
        Ok(MeshEdits {
            rig: PartRig { stiffness: self.painted(mesh)?, pairs, ..PartRig::default() },
            controls: PartControls { pins, edits: handles, region, ..PartControls::default() },
        })
    }

    /// One stiffness a point: the list, then every stroke over it; empty if there is neither.
    fn painted(&self, mesh: &Mesh) -> Result<Vec<f32>, String> {
        let num_points = mesh.points().len();
        match self.stiffness.len() {
            0 => {}
            found if found == num_points => {}
            found => {
                return Err(format!(
                    "stiffness has {found} numbers for {num_points} points; give one a point, or paint"
                ));
            }
        }
        let mut painted = self.stiffness.clone();
        each("paint", &self.paint, |paint| {
            if !(paint.radius >= 0.0 && paint.stiffness >= 0.0) {
                return Err("radius and stiffness must not be negative".into());
            }
            let center = mesh.points()[paint.around.resolve(mesh)? as usize];
            painted.resize(num_points, 1.0);
            for (stiffness, point) in painted.iter_mut().zip(mesh.points()) {
                if point.distance(center) <= paint.radius {
                    *stiffness = paint.stiffness;
                }
            }
            Ok(())
        })?;
        Ok(painted)
    }
}

impl PairEntry {
    fn resolve(&self, mesh: &Mesh, adjacency: &Adjacency) -> Result<PairScale, String> {
        let points = [self.points[0].resolve(mesh)?, self.points[1].resolve(mesh)?];
        let [a, b] = points;
        if !adjacency.ring(a as usize).contains(&b) {
            return Err(format!(
                "points {a} and {b} have no edge between them; name two neighbours"
            ));
        }
        Ok(PairScale { points, torque: self.torque, edge: self.edge })
    }
}

impl PointRef {
    fn resolve(&self, mesh: &Mesh) -> Result<u32, String> {
        let points = mesh.points();
        match *self {
            Self::Number(point) if (point as usize) < points.len() => Ok(point),
            Self::Number(point) => {
                let num_points = points.len();
                Err(format!(
                    "there is no point {point}; numbers go from 0, and there are {num_points}"
                ))
            }
            Self::Place(place) => {
                let place = Vec3::from_array(place);
                let distance = |point: u32| points[point as usize].distance_squared(place);
                (0..points.len() as u32)
                    .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
                    .ok_or_else(|| "the mesh has no points".into())
            }
        }
    }
}

/// Resolves a list's entries; what is wrong is told with the entry's place.
fn each<T, R>(
    list: &str,
    entries: &[T],
    mut resolve: impl FnMut(&T) -> Result<R, String>,
) -> Result<Vec<R>, String> {
    let of_entry = |(index, entry): (usize, &T)| {
        resolve(entry).map_err(|fault| format!("{list}[{index}]: {fault}"))
    };
    entries.iter().enumerate().map(of_entry).collect()
}

#[cfg(test)]
mod tests {
    use sinew::sample::{SampleKind, SampleOptions, build};
    use sinew::springs::SpringModel;

    use super::*;

    fn character() -> Character {
        build(&SampleOptions::new(SampleKind::Box)).unwrap()
    }

    fn parse(text: &str) -> Result<SpringEdits, String> {
        SpringEdits::parse(text, &character())
    }

    #[test]
    fn everything_reaches_rig_and_controls() {
        let character = character();
        let mesh = &character.parts[0].mesh;
        let neighbour = Adjacency::of(mesh).ring(0)[0];
        let at = mesh.points()[7].to_array();
        let text = format!(
            r#"{{"meshes": {{"box": {{
                "paint": [{{"around": {at:?}, "radius": 0, "stiffness": 3}}],
                "pairs": [{{"points": [0, {neighbour}], "edge": 0.5}}],
                "pins": [{{"point": 3, "position": [1, 2, 3]}},
                    {{"point": 4, "position": [0, 0, 0], "hold": {{"soft": {{"length": 2, "direction": 5}}}}}}],
                "handles": [{{"point": 5, "length": 1.5, "direction": [0, 1, 0]}}],
                "region": {{"around": [5], "rings": 2}}
            }}}}}}"#
        );
        let edits = SpringEdits::parse(&text, &character).unwrap();
        let mut rig = Rig::of_model(SpringModel::Anchored);
        edits.give_rig(&character, &mut rig).unwrap();
        let own = rig.part(0).unwrap();
        let painted: Vec<usize> =
            (0..own.stiffness.len()).filter(|&p| own.stiffness[p] == 3.0).collect();
        assert_eq!(painted, [7]);
        assert_eq!(own.pairs, [PairScale { points: [0, neighbour], torque: 1.0, edge: 0.5 }]);
        let controls = edits.given(Controls::rest(&character));
        let controls = controls.part(0);
        let hold = Hold::Soft { length: 2.0, direction: 5.0 };
        let soft = Pin { point: 4, position: Vec3::ZERO, hold };
        assert_eq!(controls.pins, [Pin::at(3, Vec3::new(1.0, 2.0, 3.0)), soft]);
        let direction = Some(Vec3::Y);
        assert_eq!(controls.edits, [ScaleEdit { point: 5, length_factor: 1.5, direction }]);
        assert_eq!(controls.region.as_ref().unwrap().handles(), [5]);
        // Without springs there is nothing to give.
        let mut plain = Rig::default();
        edits.give_rig(&character, &mut plain).unwrap();
        assert_eq!(plain, Rig::default());
    }

    #[test]
    fn what_does_not_fit_says_where_and_what_would() {
        for (text, words) in [
            ("[]", "not a JSON object"),
            (r#"{"meshs": {}}"#, "meshs"),
            (r#"{"meshes": {"bax": {}}}"#, "'box'"),
            (r#"{"meshes": {"box": {}, "box": {}}}"#, "twice"),
            (r##"{"meshes": {"box": {}, "#0": {}}}"##, "twice"),
            (r#"{"meshes": {"box": {"pin": []}}}"#, "pin"),
            (r#"{"meshes": {"box": {"stiffness": [1, 2]}}}"#, "one a point"),
            (
                r#"{"meshes": {"box": {"paint": [{"around": 0, "radius": -1, "stiffness": 1}]}}}"#,
                "paint[0]",
            ),
            (
                r#"{"meshes": {"box": {"pairs": [{"points": [0, 900]}]}}}"#,
                "pairs[0]: points 0 and 900 have no edge",
            ),
            (r#"{"meshes": {"box": {"pins": [{"point": 1}]}}}"#, "position"),
            (
                r#"{"meshes": {"box": {"pins": [{"point": "tip", "position": [0, 0, 0]}]}}}"#,
                "[x, y, z]",
            ),
            (
                r#"{"meshes": {"box": {"pins": [{"point": 99999, "position": [0, 0, 0]}]}}}"#,
                "no point 99999",
            ),
            (r#"{"meshes": {"box": {"handles": [{"point": 0, "length": -1}]}}}"#, "handle"),
            (
                r#"{"meshes": {"box": {"handles": [{"point": 0, "direction": [0, 0, 0]}]}}}"#,
                "direction",
            ),
            (r#"{"meshes": {"box": {"region": {"around": [], "rings": 1}}}}"#, "region.around"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn edits_of_a_mesh_that_does_not_relax_are_refused() {
        let character = character();
        let edits = parse(r#"{"meshes": {"box": {"pins": []}}}"#).unwrap();
        let mut rig = Rig::of_model(SpringModel::Anchored);
        rig.part_mut(0).relaxes = Some(false);
        let error = edits.give_rig(&character, &mut rig).unwrap_err().to_string();
        assert!(error.contains("'box'") && error.contains("--springs-on"), "{error}");
    }
}
