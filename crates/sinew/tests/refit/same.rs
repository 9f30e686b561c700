//! Refitting to the rest that was bound gives what was bound, and going there and back leaves
//! nothing behind.

use sinew::Character;
use sinew::conformance::{FixturePose, of_character};
use sinew::glam::{DVec3, Vec3};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Palette, Skeleton};
use sinew::skin::{BucketedSkin, Skin, SkinMethod, SkinRest, VectorBlock};
use sinew::springs::tables::SpringTables;
use sinew::springs::{SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings};

/// Bent sideways and grown: every point and every joint elsewhere.
fn elsewhere(positions: &[Vec3], skeleton: &Skeleton) -> (Vec<Vec3>, Skeleton) {
    let by = |p: DVec3| DVec3::new(0.1 * (3.0 * p.y).sin(), 0.2 * p.y, 0.1 * p.x);
    let positions = positions.iter().map(|p| (p.as_dvec3() + by(p.as_dvec3())).as_vec3()).collect();
    let offsets: Vec<DVec3> =
        (0..skeleton.len() as u32).map(|joint| by(skeleton.bind_bone(joint)[0])).collect();
    let mut moved = skeleton.clone();
    moved.move_joints(skeleton, &offsets);
    (positions, moved)
}

#[test]
fn a_skin_that_comes_back_is_as_it_was_bound() {
    let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
    let fixture = &of_character(&character, FixturePose::Scaled)[0];
    let (there, moved) = elsewhere(&fixture.positions, &fixture.skeleton);
    let backwards: Vec<Vec3> = fixture.normals.iter().map(|n| -*n).collect();
    for method in SkinMethod::ALL {
        let bound = Skin::bind(method, &fixture.input(), &Silent).unwrap();
        let mut skin = bound.clone();
        let centers = bound.centers().to_vec();
        skin.refit(&SkinRest {
            positions: &there,
            normals: &backwards,
            centers: &vec![Vec3::ONE; centers.len()],
            skeleton: &moved,
        });
        assert_ne!(format!("{:?}", skin.tables()), format!("{:?}", bound.tables()));
        skin.refit(&SkinRest {
            positions: &fixture.positions,
            normals: &fixture.normals,
            centers: &centers,
            skeleton: &fixture.skeleton,
        });
        assert_eq!(format!("{:?}", skin.tables()), format!("{:?}", bound.tables()), "{method:?}");
    }
}

#[test]
fn blocks_follow_a_rest_as_points_do() {
    let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
    let fixture = &of_character(&character, FixturePose::Scaled)[0];
    let (there, moved) = elsewhere(&fixture.positions, &fixture.skeleton);
    let palette = Palette::new(&moved, &fixture.pose);
    for method in SkinMethod::ALL {
        let mut skin = Skin::bind(method, &fixture.input(), &Silent).unwrap();
        let mut blocks = BucketedSkin::bind(method, &fixture.input(), &Silent).unwrap();
        let centers = skin.centers().to_vec();
        let rest =
            SkinRest { positions: &there, normals: &there, centers: &centers, skeleton: &moved };
        skin.refit(&rest);
        blocks.refit(&rest);
        let mut posed = [vec![Vec3::ZERO; there.len()], vec![Vec3::ZERO; there.len()]];
        let [positions, normals] = &mut posed;
        skin.deform(&palette, positions, normals);
        let mut in_blocks = [(); 2].map(|()| vec![VectorBlock::default(); blocks.num_blocks()]);
        let [block_positions, block_normals] = &mut in_blocks;
        blocks.deform(&palette, block_positions, block_normals);
        for (flat, blocked) in posed.iter().zip(&in_blocks) {
            for (points, block) in blocks.point_of_lane().iter().zip(blocked) {
                for (lane, &point) in points.iter().enumerate() {
                    let found = Vec3::new(block.x.0[lane], block.y.0[lane], block.z.0[lane]);
                    // Blocks of other points sum in another order.
                    assert!(found.distance(flat[point as usize]) < 1e-4, "{method:?} {point}");
                }
            }
        }
    }
}

fn bound(character: &Character, settings: &SpringSettings) -> SpringRig {
    SpringRig::bind(&SpringInput::of(character, 0), settings, &Silent).unwrap()
}

fn tables(rig: &SpringRig) -> String {
    format!("{:?} {:?}", rig.tables(), rig.skin().map(Skin::tables))
}

#[test]
fn springs_that_come_back_are_as_they_were_bound() {
    let mut num_coarse = 0;
    // The cylinder's is fine enough for a coarse level.
    for (kind, num_points) in [(SampleKind::Cylinder, 6_000), (SampleKind::Plus, 1_000)] {
        let options = SampleOptions { points: Some(num_points), ..SampleOptions::new(kind) };
        let character = build(&options).unwrap();
        let points = character.parts[0].mesh.points();
        let (there, moved) = elsewhere(points, &character.skeleton);
        for model in SpringModel::ALL {
            for first_stage in [model.first_stage(), SkinMethod::DualQuat] {
                let settings = SpringSettings { first_stage, ..SpringSettings::new(model) };
                let before = bound(&character, &settings);
                let mut rig = before.clone();
                rig.refit(&there, &moved);
                assert!(tables(&rig) != tables(&before), "{model:?} moved");
                rig.refit(points, &character.skeleton);
                assert!(tables(&rig) == tables(&before), "{} {model:?}", kind.name());
                if let SpringTables::Anchored(tables) = rig.tables() {
                    num_coarse += usize::from(tables.coarse.is_some());
                    assert!(tables.volume.is_some() && tables.contacts.iter().any(Option::is_some));
                }
            }
        }
    }
    assert!(num_coarse > 0, "the coarse level takes part");
}

#[test]
fn what_has_moved_rests_where_it_is() {
    /// f32 places on bones, through a product and fifty iterations.
    const DRIFT: f32 = 2e-6;
    let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
    let points = character.parts[0].mesh.points();
    let (there, moved) = elsewhere(points, &character.skeleton);
    let rest = FixturePose::Rest.of(&character);
    let palette = Palette::new(&moved, &rest);
    for model in [SpringModel::Anchored, SpringModel::DeltaMush] {
        let mut rig = bound(&character, &SpringSettings::new(model));
        rig.refit(&there, &moved);
        let mut posed = vec![Vec3::NAN; there.len()];
        rig.deform(&SpringFrame::new(&palette), &mut rig.scratch(), &mut posed);
        for (posed, rest) in posed.iter().zip(&there) {
            assert!(posed.distance(*rest) <= DRIFT, "{model:?}: {posed} {rest}");
        }
    }
}
