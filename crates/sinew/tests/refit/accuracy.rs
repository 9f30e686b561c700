//! How far a refit is from a bind, on bodies with other proportions; `docs/methods/refit.md` has
//! the table that this prints.
#![allow(clippy::print_stdout, reason = "the table is for people")]

use std::cell::RefCell;

use sinew::Character;
use sinew::glam::Vec3;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Palette, Pose, Skeleton};
use sinew::skin::{Skin, SkinInput, SkinMethod, SkinRest, centers_of_displacements};
use sinew::springs::{SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings};

use crate::body::{Change, Moved, moved, poses, thickness};

/// Of the local thickness, at the 99th percentile: what nobody sees at a limb's own size. Faces
/// keep it, whatever the method.
const TOLERANCE: f64 = 0.02;

/// The same for centres of rotation where limbs change: areas are those that were bound, and grow
/// on one side of hip and shoulder only.
const CENTERS_TOLERANCE: f64 = 0.04;

/// The same for what blends by shares where limbs change by 30 %: far from the goal of
/// [`TOLERANCE`], and here so that it gets no worse. Shares follow the proportions at their own
/// point alone, and attachments keep their bone.
const SHARES_TOLERANCE: f64 = 0.22;

fn skin_input<'a>(
    character: &'a Character,
    positions: &'a [Vec3],
    skeleton: &'a Skeleton,
) -> SkinInput<'a> {
    SkinInput {
        positions,
        normals: &[],
        weights: character.parts[0].weights.as_ref().unwrap(),
        triangles: character.parts[0].mesh.point_triangles(),
        skeleton,
    }
}

fn spring_input<'a>(character: &'a Character, moved: &'a Moved) -> SpringInput<'a> {
    SpringInput {
        positions: &moved.positions,
        skeleton: &moved.skeleton,
        ..SpringInput::of(character, 0)
    }
}

/// A body, what was done to it, and how its points are judged.
struct Case<'a> {
    character: &'a Character,
    moved: &'a Moved,
    change: Change,
    poses: &'a [(&'static str, Pose)],
    /// What is further off than it may be: all of it is printed before the test fails.
    too_far: RefCell<Vec<String>>,
}

impl Case<'_> {
    /// Differences over the local thickness: the 99th percentile and the largest.
    fn judge(&self, refitted: &[Vec3], bound: &[Vec3]) -> [f64; 2] {
        let off = |(point, (a, b)): (usize, (&Vec3, &Vec3))| {
            let Moved { positions, skeleton } = self.moved;
            f64::from(a.distance(*b)) / thickness(self.character, skeleton, point, positions[point])
        };
        let mut off: Vec<f64> = refitted.iter().zip(bound).enumerate().map(off).collect();
        assert!(off.iter().all(|off| !off.is_nan()), "points are numbers");
        off.sort_by(f64::total_cmp);
        [off[off.len() * 99 / 100], off[off.len() - 1]]
    }

    fn tolerance(&self, of_limbs: f64) -> f64 {
        if self.change == Change::Face { TOLERANCE } else { of_limbs }
    }

    fn report(&self, name: &str, pose: &str, [most, largest]: [f64; 2], tolerance: Option<f64>) {
        let body = &self.character.name;
        println!(
            "| {body} | {:?} | {pose} | {name} | {:.2} | {:.2} |",
            self.change,
            100.0 * most,
            100.0 * largest
        );
        if tolerance.is_some_and(|tolerance| most > tolerance) {
            let what = format!("{body} {:?} {pose} {name}: {most}", self.change);
            self.too_far.borrow_mut().push(what);
        }
    }

    fn skin(&self, method: SkinMethod, skin: &Skin) {
        let (character, Moved { positions, skeleton }) = (self.character, self.moved);
        let rest = character.parts[0].mesh.points();
        let mut centers = Vec::new();
        if method == SkinMethod::CenterOfRotation {
            let field: Vec<Vec3> = positions.iter().zip(rest).map(|(now, p)| *now - *p).collect();
            let input = skin_input(character, rest, &character.skeleton);
            let images = centers_of_displacements(&input, &[&field], &Silent).unwrap();
            centers = skin.centers().iter().zip(&images[0]).map(|(c, by)| *c + *by).collect();
        }
        let mut refitted = skin.clone();
        refitted.refit(&SkinRest { positions, normals: &[], centers: &centers, skeleton });
        let input = skin_input(character, positions, skeleton);
        let bound = Skin::bind(method, &input, &Silent).unwrap();
        for (name, pose) in self.poses {
            let palette = Palette::new(skeleton, pose);
            let shapes = [&refitted, &bound].map(|skin| {
                let mut posed = vec![Vec3::NAN; positions.len()];
                skin.deform(&palette, &mut posed, &mut []);
                posed
            });
            let found = self.judge(&shapes[0], &shapes[1]);
            let tolerance = match method {
                SkinMethod::Rigid | SkinMethod::Linear | SkinMethod::DualQuat => 0.0,
                SkinMethod::CenterOfRotation => self.tolerance(CENTERS_TOLERANCE),
                SkinMethod::BoneSmooth => self.tolerance(SHARES_TOLERANCE),
            };
            self.report(method.name(), name, found, Some(tolerance));
        }
    }

    fn springs(&self, model: SpringModel, rig: &SpringRig) {
        let mut refitted = rig.clone();
        refitted.refit(&self.moved.positions, &self.moved.skeleton);
        let bound =
            SpringRig::bind(&spring_input(self.character, self.moved), rig.settings(), &Silent)
                .unwrap();
        for (name, pose) in self.poses {
            let palette = Palette::new(&self.moved.skeleton, pose);
            let shapes = [&refitted, &bound].map(|rig| {
                let mut posed = vec![Vec3::NAN; rig.num_points()];
                rig.deform(&SpringFrame::new(&palette), &mut rig.scratch(), &mut posed);
                posed
            });
            let found = self.judge(&shapes[0], &shapes[1]);
            let tolerance = match model {
                // The published springs do not converge, and make much of little.
                SpringModel::Paper => None,
                SpringModel::Anchored => Some(self.tolerance(SHARES_TOLERANCE)),
                SpringModel::DeltaMush => Some(TOLERANCE),
            };
            self.report(model.name(), name, found, tolerance);
        }
    }
}

fn check(kind: SampleKind) {
    let character = build(&SampleOptions::new(kind)).unwrap();
    let poses = poses(&character.skeleton);
    let rest = character.parts[0].mesh.points();
    let input = skin_input(&character, rest, &character.skeleton);
    let skins =
        SkinMethod::ALL.map(|method| (method, Skin::bind(method, &input, &Silent).unwrap()));
    let rigs = SpringModel::ALL.map(|model| {
        let settings = SpringSettings::new(model);
        (model, SpringRig::bind(&SpringInput::of(&character, 0), &settings, &Silent).unwrap())
    });
    println!("| body | rest | pose | method | 99 % | largest |\n|---|---|---|---|---|---|");
    let mut too_far_so_far = Vec::new();
    for change in Change::ALL {
        let moved = moved(&character, change);
        let too_far = RefCell::new(std::mem::take(&mut too_far_so_far));
        let case = Case { character: &character, moved: &moved, change, poses: &poses, too_far };
        for (method, skin) in &skins {
            case.skin(*method, skin);
        }
        for (model, rig) in &rigs {
            case.springs(*model, rig);
        }
        too_far_so_far = case.too_far.into_inner();
    }
    assert!(too_far_so_far.is_empty(), "{too_far_so_far:#?}");
}

#[test]
fn a_refitted_human_is_near_what_a_bind_gives() {
    check(SampleKind::Human);
}

#[test]
fn a_refitted_chibi_is_near_what_a_bind_gives() {
    check(SampleKind::Chibi);
}
