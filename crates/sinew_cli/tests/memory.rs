//! What files may cost: at most twenty times the bytes that are read, and fifty megabytes, by a
//! counting allocator. Every file of the shared data and every bomb is read, written as GLB, and
//! drawn where it has textures; the ten that come nearest to the bound are printed. Where the
//! shared data is missing only the bombs that are made here are tried.
#![allow(clippy::expect_used, clippy::print_stderr, reason = "a test may panic and talk")]

#[path = "../../sinew_io/tests/common/data.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "the rest is for other tests")]
mod data;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
use peak_alloc::PeakAlloc;
use serde_json::json;
use sinew::Character;
use sinew::frame::{Controls, Plan, Rig};
use sinew::progress::Silent;
use sinew::skin::SkinMethod;
use sinew_editor::pose_file::PoseFile;
use sinew_editor::{project, read_edits};
use sinew_io::{Format, WriteOptions, character_to_glb, read_character, read_character_from_bytes};
use sinew_view::camera::Size;
use sinew_view::stage::Stage;
use sinew_view::{materials, raster};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MOST_BYTES_PER_BYTE: usize = 20;
const MOST_BYTES: usize = 50_000_000;
const SIZE: Size = Size { width: 400, height: 400 };

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Memory is counted of the process.
    arguments.test_threads = Some(1);
    let folders = ["gltf", "layered", "invalid", "mesh", "bvh", "attack", "makehuman", "cage"];
    let mut trials: Vec<Trial> = Vec::new();
    for name in folders {
        let folder = data::folder(name);
        let is_ignored = folder.is_none();
        let run = move || {
            Table::of(&folder.map_or_else(Vec::new, |folder| known_files(&folder))).hold();
            Ok(())
        };
        trials.push(Trial::test(format!("files_of_{name}"), run).with_ignored_flag(is_ignored));
    }
    trials.push(Trial::test("bombs", || {
        let folder = tempfile::tempdir()?;
        let mut table = Table::of(&bombs(folder.path()));
        table.many_groups();
        table.hold();
        Ok(())
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// What can be given to a reader, with its length and that of everything it may name.
fn known_files(folder: &Path) -> Vec<(PathBuf, usize)> {
    let is_known = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        Format::of_path(path).is_some() || ["sinew", "json", "vrm"].contains(&ending)
    };
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len() as usize);
    let bytes_read = |path: &PathBuf| match Format::of_path(path) {
        // It holds all itself.
        Some(Format::Glb) | None => length(path),
        _ => data::files(path.parent().expect("a folder")).iter().map(|file| length(file)).sum(),
    };
    let files = data::files(folder).into_iter().filter(is_known);
    files.map(|path| (path.clone(), bytes_read(&path))).collect()
}

/// What was done, what it took at its peak, and what it may take.
struct Row {
    what: String,
    peak_bytes: usize,
    most_bytes: usize,
}

struct Table(Vec<Row>);

impl Table {
    fn of(files: &[(PathBuf, usize)]) -> Self {
        let mut table = Self(Vec::new());
        for (path, bytes_read) in files {
            table.file(path, *bytes_read);
        }
        table
    }

    fn measure<T>(&mut self, what: String, bytes_read: usize, run: impl FnOnce() -> T) -> T {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let result = run();
        let peak_bytes = MEMORY.peak_usage().saturating_sub(before);
        let most_bytes = MOST_BYTES_PER_BYTE * bytes_read + MOST_BYTES;
        self.0.push(Row { what, peak_bytes, most_bytes });
        result
    }

    fn file(&mut self, path: &Path, bytes_read: usize) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        match &*ending {
            "sinew" => {
                let bytes = std::fs::read(path).expect("a file");
                let folder = path.parent();
                self.measure(format!("{name}: open"), bytes_read, || {
                    _ = project::open(&bytes, folder);
                });
            }
            "json" => {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                self.measure(format!("{name}: as edits and as a pose"), bytes_read, || {
                    _ = (read_edits(&text), PoseFile::parse(&text));
                });
            }
            _ => self.character(path, &name, bytes_read),
        }
    }

    /// What is read stays while it is written and drawn, and counts for both.
    fn character(&mut self, path: &Path, name: &str, bytes_read: usize) {
        let has_images = self.measure(format!("{name}: read and write"), bytes_read, || {
            let Ok(loaded) = read_character(path) else { return false };
            _ = character_to_glb(&loaded.character, &WriteOptions::default());
            loaded.character.materials.iter().any(|material| material.image.is_some())
        });
        if has_images {
            self.measure(format!("{name}: read and draw"), bytes_read, || {
                let Ok(loaded) = read_character(path) else { return };
                draw(&Arc::new(loaded.character));
            });
        }
    }

    /// Reading alone: a hundred thousand meshes as GLB are mostly their descriptions.
    fn many_groups(&mut self) {
        let group = |k| format!("g group_{k}\nv {k} 0 0\nv 0 {k} 0\nv 0 0 {k}\nf -3 -2 -1\n");
        let obj: String = (0..100_000).map(group).collect();
        self.measure("100,000 groups of OBJ: read".into(), obj.len(), || {
            read_character_from_bytes(Format::Obj, "groups", obj.as_bytes()).map(drop)
        })
        .expect("an OBJ");
    }

    /// The ten that come nearest to what they may take.
    fn hold(mut self) {
        let share = |row: &Row| row.peak_bytes as f64 / row.most_bytes as f64;
        self.0.sort_by(|a, b| share(b).total_cmp(&share(a)));
        eprintln!("{} measured; peak and most in MB, share:", self.0.len());
        let megabytes = |bytes: usize| bytes as f64 / 1e6;
        for row in self.0.iter().take(10) {
            let (peak, most) = (megabytes(row.peak_bytes), megabytes(row.most_bytes));
            eprintln!("{peak:8.1} {most:8.1} {:5.1} %  {}", 100.0 * share(row), row.what);
        }
        for row in &self.0 {
            assert!(row.peak_bytes <= row.most_bytes, "{}: {} bytes", row.what, row.peak_bytes);
        }
        assert!(!self.0.is_empty(), "nothing was measured");
    }
}

/// A picture at rest, as `sinew render` makes one.
fn draw(character: &Arc<Character>) {
    if character.parts.is_empty() {
        return;
    }
    let rig = Rig::of(SkinMethod::Linear);
    let Ok(plan) = Plan::bind(character, &rig, &Silent) else { return };
    let mut frame = plan.frame();
    plan.run(&Controls::rest(character), &mut plan.scratch(), &mut frame);
    let (shapes, _) = materials::shapes(character);
    let stage = Stage::with_shapes(character, shapes);
    _ = raster::draw(&stage.scene(&frame, 1.0), SIZE);
}

/// Files that claim more than they have, with the bytes that are read of them.
fn bombs(folder: &Path) -> Vec<(PathBuf, usize)> {
    let mut all = Vec::new();
    let mut put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        sinew_io::write_atomically(&path, |file| file.write_all(bytes)).expect("written");
        all.push((path, bytes.len()));
    };
    put("six_16384_pngs_of_8_bits.glb", &six_images(png::BitDepth::Eight));
    put("six_16384_pngs_of_1_bit.glb", &six_images(png::BitDepth::One));
    let numbers = vec!["0"; 2_500_000].join(",");
    let extras = format!(r#"{{"asset":{{"version":"2.0"}},"extras":[{numbers}]}}"#);
    put("numbers_in_extras.gltf", extras.as_bytes());
    all
}

/// 16384 × 16384 pixels of one colour.
fn flat_png(depth: png::BitDepth) -> Vec<u8> {
    const SIDE: u32 = 16_384;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIDE, SIDE);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(depth);
    encoder.set_filter(png::Filter::NoFilter);
    let row_bytes = depth as usize * SIDE as usize / 8;
    let mut writer = encoder.write_header().expect("a header");
    let mut stream = writer.stream_writer().expect("a stream");
    let row = vec![0x55; row_bytes];
    for _ in 0..SIDE {
        stream.write_all(&row).expect("a row");
    }
    stream.finish().expect("an image");
    drop(writer);
    bytes
}

/// A triangle in six materials, each with an image of its own.
fn six_images(depth: png::BitDepth) -> Vec<u8> {
    let png = flat_png(depth);
    let mut binary: Vec<u8> = [0_f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 1.]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let mut views = vec![
        json!({ "buffer": 0, "byteOffset": 0, "byteLength": 36 }),
        json!({ "buffer": 0, "byteOffset": 36, "byteLength": 24 }),
    ];
    for _ in 0..6 {
        let offset = binary.len();
        views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": png.len() }));
        binary.extend(&png);
        binary.resize(binary.len().next_multiple_of(4), 0);
    }
    let each = |make: &dyn Fn(usize) -> serde_json::Value| (0..6).map(make).collect::<Vec<_>>();
    let json = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": each(&|k| json!({
            "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "material": k,
        })) }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
              "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2" },
        ],
        "bufferViews": views,
        "buffers": [{ "byteLength": binary.len() }],
        "images": each(&|k| json!({ "bufferView": k + 2, "mimeType": "image/png" })),
        "textures": each(&|k| json!({ "source": k })),
        "materials": each(&|k| json!({
            "pbrMetallicRoughness": { "baseColorTexture": { "index": k } },
        })),
    });
    glb(&json, &binary)
}

fn glb(json: &serde_json::Value, binary: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |number: usize| (number as u32).to_le_bytes();
    let mut glb = b"glTF".to_vec();
    glb.extend([word(2), word(28 + text.len() + binary.len()), word(text.len())].concat());
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend(word(binary.len()));
    glb.extend(b"BIN\0");
    glb.extend(binary);
    glb
}
