//! `sinew info`: what is in a character file.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use sinew::check::Severity;
use sinew::facing::facing;
use sinew::material::Material;
use sinew::mesh::Adjacency;
use sinew::motion::{Channel, Clip, Interpolation};
use sinew::skeleton::Skeleton;
use sinew::{Character, Part};
use sinew_io::{Loaded, Standard, expressions};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::text::{Table, count, counted};
use source::Source;

/// Say what is in a file: meshes, points, joints, influences, clips, shapes, materials, extensions
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew info human.glb\n  \
    sinew info human.glb --json | jq '.joints.names'")]
pub(crate) struct InfoArgs {
    /// The character
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &InfoArgs, console: &Console) -> Result<(), Failure> {
    let loaded = files::load(&args.file)?;
    let file = args.file.display().to_string();
    let meshes: Vec<MeshInfo<'_>> = loaded.character.parts.iter().map(MeshInfo::of).collect();
    let source = Source::of(&args.file, &loaded);
    if args.json {
        console.json(&as_json(&file, &loaded, &meshes, &source))
    } else {
        console.data(&as_text(&file, &loaded, &meshes, &source))
    }
}

/// What is counted of a mesh.
struct MeshInfo<'a> {
    part: &'a Part,
    is_closed: bool,
    /// How many points have no, one, two … influences; empty without weights.
    points_of_influences: Vec<usize>,
}

impl<'a> MeshInfo<'a> {
    fn of(part: &'a Part) -> Self {
        Self {
            part,
            is_closed: !part.mesh.triangles().is_empty() && Adjacency::of(&part.mesh).is_closed(),
            points_of_influences: histogram(part),
        }
    }

    fn max_influences(&self) -> usize {
        self.points_of_influences.len().saturating_sub(1)
    }

    /// The streams that its vertices have.
    fn attributes(&self) -> Vec<&'static str> {
        let mesh = &self.part.mesh;
        let mut names = vec!["positions"];
        names.extend((!mesh.vertex_normals().is_empty()).then_some("normals"));
        names.extend((!mesh.vertex_uvs().is_empty()).then_some("uvs"));
        names.extend(self.part.weights.is_some().then_some("weights"));
        names
    }

    fn as_json(&self) -> Value {
        let mesh = &self.part.mesh;
        json!({
            "name": mesh.name(),
            "points": mesh.points().len(),
            "vertices": mesh.num_vertices(),
            "triangles": mesh.triangles().len(),
            "closed": self.is_closed,
            "groups": mesh.groups().iter().map(|group| group.name.as_str()).collect::<Vec<_>>(),
            "uvs": !mesh.vertex_uvs().is_empty(),
            "normals": !mesh.vertex_normals().is_empty(),
            "skinned": self.part.weights.is_some(),
            "attributes": self.attributes(),
            "max_influences": self.max_influences(),
            "points_of_influences": self.points_of_influences,
            "materials": self.part.materials.iter().map(|run| run.material).collect::<BTreeSet<_>>(),
            "shape_weights": self.part.shapes.iter().map(|shape| shape.rest_weight).collect::<Vec<_>>(),
            "shapes": self.part.shapes.iter().map(|shape| shape.name.as_str()).collect::<Vec<_>>(),
        })
    }
}

fn histogram(part: &Part) -> Vec<usize> {
    let Some(weights) = &part.weights else { return Vec::new() };
    let mut counts = vec![0; weights.max_influences() + 1];
    for row in weights.rows() {
        counts[row.len()] += 1;
    }
    counts
}

/// How many curves are steps, lines and splines: `[("step", 0), ("linear", 12), ("cubic", 0)]`.
fn interpolations(clip: &Clip) -> [(&'static str, usize); 3] {
    fn kind<T>(interpolation: &Interpolation<T>) -> usize {
        match interpolation {
            Interpolation::Step => 0,
            Interpolation::Linear => 1,
            Interpolation::Cubic(_) => 2,
        }
    }
    let mut counts = [("step", 0), ("linear", 0), ("cubic", 0)];
    for track in &clip.tracks {
        counts[match &track.channel {
            Channel::Translation(curve) | Channel::Scale(curve) => kind(&curve.interpolation),
            Channel::Rotation(curve) => kind(&curve.interpolation),
        }]
        .1 += 1;
    }
    for track in &clip.shape_tracks {
        counts[kind(&track.weights.interpolation)].1 += 1;
    }
    counts
}

fn material_as_json(material: &Material) -> Value {
    json!({
        "name": material.name,
        "base_color": material.base_color,
        "image": material.image.as_ref().map(|image| json!({
            "name": image.name,
            "media_type": image.media_type,
            "bytes": image.bytes.len(),
        })),
    })
}

/// Joints from a root to the deepest leaf; zero without joints.
fn depth(skeleton: &Skeleton) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        depths.push(1 + joint.parent.map_or(0, |parent| depths[parent as usize]));
    }
    depths.into_iter().max().unwrap_or(0)
}

fn roots(skeleton: &Skeleton) -> Vec<&str> {
    let roots = skeleton.joints().iter().filter(|joint| joint.parent.is_none());
    roots.map(|joint| joint.name.as_str()).collect()
}

fn as_json(file: &str, loaded: &Loaded, meshes: &[MeshInfo<'_>], source: &Source) -> Value {
    let Loaded { character, report, extensions, .. } = loaded;
    let skeleton = &character.skeleton;
    let bounds = character.bounds();
    let total = |of: fn(&Part) -> usize| character.parts.iter().map(of).sum::<usize>();
    json!({
        "file": file,
        "name": character.name,
        "points": character.num_points(),
        "vertices": total(|part| part.mesh.num_vertices()),
        "triangles": character.num_triangles(),
        "meshes": meshes.iter().map(MeshInfo::as_json).collect::<Vec<_>>(),
        "joints": {
            "count": skeleton.len(),
            "roots": roots(skeleton),
            "depth": depth(skeleton),
            "names": skeleton.joints().iter().map(|joint| joint.name.as_str()).collect::<Vec<_>>(),
        },
        "max_influences": meshes.iter().map(MeshInfo::max_influences).max().unwrap_or(0),
        "clips": character.clips.iter().map(|clip| json!({
            "name": clip.name,
            "duration_seconds": clip.duration_seconds(),
            "tracks": clip.tracks.len(),
            "interpolations": interpolations(clip).into_iter().collect::<BTreeMap<_, _>>(),
            "shape_tracks": clip.shape_tracks.len(),
        })).collect::<Vec<_>>(),
        "shapes": total(|part| part.shapes.len()),
        "expressions": expressions(character).iter().map(|of| json!({
            "name": of.name,
            "standard": of.standard.name(),
        })).collect::<Vec<_>>(),
        "controls": character.drivers.controls.iter().map(|control| json!({
            "name": control.name,
            "rest": control.rest,
            "range": control.range,
        })).collect::<Vec<_>>(),
        "drivers": character.drivers.list.iter().map(|driver| json!({
            "name": driver.name,
            "kind": driver.drive.kind(),
            "muted": driver.muted,
        })).collect::<Vec<_>>(),
        "bounds": if bounds.is_empty() {
            Value::Null
        } else {
            json!({
                "min": bounds.min.as_dvec3().to_array(),
                "max": bounds.max.as_dvec3().to_array(),
                "diagonal": f64::from(bounds.diagonal()),
            })
        },
        "materials": character.materials.iter().map(material_as_json).collect::<Vec<_>>(),
        "source": source.as_json(),
        "extensions": extensions,
        "warnings": report.warnings.iter().map(|warning| json!({
            "severity": warning.severity.name(),
            "code": warning.code,
            "where": warning.place,
            "what": warning.what,
            "count": warning.count,
        })).collect::<Vec<_>>(),
    })
}

/// One line a standard: how many, and their names.
fn expressions_as_text(character: &Character) -> String {
    let found = expressions(character);
    let mut text = String::new();
    for standard in Standard::ALL {
        let names: Vec<&str> = (found.iter())
            .filter(|of| of.standard == standard)
            .map(|of| of.name.as_str())
            .collect();
        if !names.is_empty() {
            let (number, of, names) = (names.len(), standard.name(), names.join(", "));
            text.push_str(&format!("expressions  {number} of {of}: {names}\n"));
        }
    }
    text
}

fn as_text(file: &str, loaded: &Loaded, meshes: &[MeshInfo<'_>], source: &Source) -> String {
    let Loaded { character, report, extensions, .. } = loaded;
    let skeleton = &character.skeleton;
    let mut text = format!(
        "{file}: {}, {}, {}, {}\n",
        if meshes.len() == 1 { "1 mesh".into() } else { format!("{} meshes", meshes.len()) },
        counted(character.num_points(), "point"),
        counted(character.num_triangles(), "triangle"),
        counted(skeleton.len(), "joint"),
    );
    if !meshes.is_empty() {
        text.push('\n');
        let mut table = Table::new(&["mesh", "points", "vertices", "triangles", "influences"])
            .with_words("has");
        for info in meshes {
            let mesh = &info.part.mesh;
            let mut has = vec![if info.is_closed { "closed" } else { "open" }.to_owned()];
            has.extend((!mesh.vertex_uvs().is_empty()).then(|| "UVs".to_owned()));
            has.extend((!mesh.vertex_normals().is_empty()).then(|| "normals".to_owned()));
            let numbers =
                [(mesh.groups().len(), "group"), (info.part.shapes.len(), "shape")].into_iter();
            has.extend(numbers.filter(|&(n, _)| n > 0).map(|(n, noun)| counted(n, noun)));
            table.row([
                if mesh.name().is_empty() { "(unnamed)" } else { mesh.name() }.to_owned(),
                count(mesh.points().len()),
                count(mesh.num_vertices()),
                count(mesh.triangles().len()),
                if info.max_influences() == 0 { "-".into() } else { count(info.max_influences()) },
                has.join(", "),
            ]);
        }
        text.push_str(&table.to_string());
        for info in meshes.iter().filter(|info| info.max_influences() > 0) {
            let counts =
                info.points_of_influences.iter().enumerate().filter(|(_, points)| **points > 0);
            let words: Vec<String> =
                counts.map(|(k, points)| format!("{k}: {}", count(*points))).collect();
            text.push_str(&format!(
                "influences of '{}'  {}\n",
                info.part.mesh.name(),
                words.join(", ")
            ));
        }
    }
    if !skeleton.is_empty() {
        let roots = roots(skeleton);
        text.push_str(&format!(
            "\nskeleton  {}, {} deep, {}: {}\n",
            counted(skeleton.len(), "joint"),
            depth(skeleton),
            counted(roots.len(), "root"),
            roots.join(", "),
        ));
    }
    for clip in &character.clips {
        let (mut tracks, seconds) = (counted(clip.tracks.len(), "track"), clip.duration_seconds());
        if !clip.shape_tracks.is_empty() {
            tracks = format!("{tracks}, {}", counted(clip.shape_tracks.len(), "shape track"));
        }
        let kinds: Vec<&str> = interpolations(clip)
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(kind, _)| kind)
            .collect();
        let kinds = if kinds.is_empty() { "no curve".into() } else { kinds.join(" and ") };
        text.push_str(&format!("clip      {}, {seconds:.3} s, {tracks}, {kinds}\n", clip.name));
    }
    for part in &character.parts {
        for shape in part.shapes.iter().filter(|shape| shape.rest_weight != 0.0) {
            let (name, weight) = (&shape.name, shape.rest_weight);
            text.push_str(&format!(
                "shape     {name} of '{}' rests at {weight}\n",
                part.mesh.name()
            ));
        }
    }
    text.push_str(&expressions_as_text(character));
    for control in &character.drivers.controls {
        let [least, most] = control.range;
        let (name, rest) = (&control.name, control.rest);
        text.push_str(&format!("control   {name}, {least} to {most}, rests at {rest}\n"));
    }
    for driver in &character.drivers.list {
        let muted = if driver.muted { ", muted" } else { "" };
        text.push_str(&format!("driver    {}, {}{muted}\n", driver.name, driver.drive.kind()));
    }
    for material in &character.materials {
        let image = material.image.as_ref().map_or_else(String::new, |image| {
            format!(", {} of {} bytes", image.media_type, count(image.bytes.len()))
        });
        let [r, g, b, a] = material.base_color;
        text.push_str(&format!(
            "material  {}, {r:.3} {g:.3} {b:.3} {a:.3}{image}\n",
            material.name
        ));
    }
    text.push_str(&source.as_text());
    let bounds = character.bounds();
    if !bounds.is_empty() {
        let size = bounds.size();
        text.push_str(&format!(
            "bounds    {:.4} x {:.4} x {:.4} m, diagonal {:.4} m\n",
            size.x,
            size.y,
            size.z,
            bounds.diagonal()
        ));
    }
    if !bounds.is_empty() {
        let found = facing(character);
        let yaw = f64::from(found.forward.x.atan2(found.forward.z).to_degrees()).round();
        let way = match yaw as i32 {
            0 => "+Z".to_owned(),
            90 => "+X".to_owned(),
            180 | -180 => "-Z".to_owned(),
            -90 => "-X".to_owned(),
            degrees => format!("{degrees}\u{b0} from +Z to +X"),
        };
        text.push_str(&format!("faces     {way}, by {}\n", found.told_by.name()));
    }
    if !extensions.is_empty() {
        text.push_str(&format!("uses      {}\n", extensions.join(", ")));
    }
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        let of_severity = report.warnings.iter().filter(|warning| warning.severity == severity);
        for words in files::gathered(of_severity) {
            text.push_str(&format!("{:<8}  {words}\n", severity.name()));
        }
    }
    text
}
