//! Weights that another program found, as `tools/interop/blender_weights.py` writes them.

use std::collections::HashMap;
use std::path::Path;

use glam::{IVec3, Vec3};
use serde::Deserialize;
use sinew::Character;
use sinew::weights::SkinWeights;

/// The most influences of a row: the largest, as exporters cut.
const BUDGET: usize = 4;
/// Over the diagonal: a vertex that is on a point.
const ON_A_POINT: f32 = 1e-4;

#[derive(Deserialize)]
struct Text {
    program: String,
    /// By mesh, of its vertices.
    places: Vec<Vec<[f32; 3]>>,
    ways: std::collections::BTreeMap<String, Way>,
}

#[derive(Deserialize)]
struct Way {
    seconds: f64,
    meshes: Vec<Mesh>,
}

#[derive(Deserialize)]
struct Mesh {
    name: String,
    rows: Vec<Vec<(String, f32)>>,
}

/// Of one character.
pub struct Beside {
    text: Text,
}

impl Beside {
    /// `FOLDER/NAME.json`.
    ///
    /// # Errors
    /// If it is not there, or is something else.
    pub fn read(folder: &Path, name: &str) -> Result<Self, String> {
        let path = folder.join(format!("{name}.json"));
        let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let text = serde_json::from_slice(&bytes);
        Ok(Self { text: text.map_err(|e| format!("{}: {e}", path.display()))? })
    }

    /// The program, and in which ways it was used.
    pub fn ways(&self) -> Vec<String> {
        let program = &self.text.program;
        self.text.ways.keys().map(|way| format!("{program} {way}")).collect()
    }

    /// Rows of a way on the points of a character, the seconds that they took, and how many points
    /// have none.
    pub fn weights(
        &self,
        way: &str,
        character: &Character,
    ) -> Option<(Vec<SkinWeights>, f64, usize)> {
        let way = way.strip_prefix(&self.text.program)?.trim_start();
        let way = self.text.ways.get(way)?;
        let cell = (ON_A_POINT * character.bounds().diagonal()).max(f32::MIN_POSITIVE);
        let at = |place: Vec3| (place / cell).floor().as_ivec3();
        let mut cells: HashMap<IVec3, Vec<(usize, usize)>> = HashMap::new();
        for (mesh, places) in self.text.places.iter().enumerate() {
            for (vertex, &place) in places.iter().enumerate() {
                cells.entry(at(place.into())).or_default().push((mesh, vertex));
            }
        }
        let row = |name: &str, point: Vec3| -> Option<Vec<(u32, f32)>> {
            let around = (0..27).map(|i| IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
            let near = around.filter_map(|step| cells.get(&(at(point) + step))).flatten();
            let distance = |&(mesh, vertex): &(usize, usize)| {
                let is_other = way.meshes[mesh].name != name;
                let place = Vec3::from(self.text.places[mesh][vertex]);
                place.distance(point) + if is_other { cell } else { 0.0 }
            };
            let (mesh, vertex) = near.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
            let found = way.meshes[*mesh].rows.get(*vertex)?;
            let joint =
                |(joint, weight): &(String, f32)| Some((character.skeleton.find(joint)?, *weight));
            let mut row: Vec<(u32, f32)> = found.iter().filter_map(joint).collect();
            row.sort_by(|a, b| b.1.total_cmp(&a.1));
            row.truncate(BUDGET);
            Some(row)
        };
        let (mut all, mut num_bare) = (Vec::new(), 0);
        for part in &character.parts {
            let points = part.mesh.points();
            let rows: Option<Vec<_>> =
                points.iter().map(|&point| row(part.mesh.name(), point)).collect();
            let (weights, report) = SkinWeights::from_rows(rows?, character.skeleton.len());
            num_bare += report.unweighted.len();
            all.push(weights);
        }
        Some((all, way.seconds, num_bare))
    }
}
