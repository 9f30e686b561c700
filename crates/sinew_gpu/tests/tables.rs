//! What springs show of their binding is what was bound: every half-edge once, with its own
//! numbers. Needs no GPU.

use sinew::character::Character;
use sinew::mesh::Adjacency;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::springs::rows::LANES;
use sinew::springs::tables::{SpringTables, chebyshev_factors};
use sinew::springs::{SpringInput, SpringModel, SpringRig, SpringSettings};

fn plus() -> Character {
    build(&SampleOptions { points: Some(900), ..SampleOptions::new(SampleKind::Plus) })
        .expect("samples build")
}

fn tables(character: &Character, model: SpringModel) -> SpringTables {
    let settings = SpringSettings::new(model);
    SpringRig::bind(&SpringInput::of(character, 0), &settings, &Silent).expect("it binds").tables()
}

/// A slot's half-edges in sliced rows.
fn half_edges(starts: &[u32], slot: usize) -> impl Iterator<Item = usize> {
    let (slice, lane) = (slot / LANES, slot % LANES);
    (starts[slice] as usize..starts[slice + 1] as usize).map(move |row| row * LANES + lane)
}

fn sorted(mut points: Vec<u32>) -> Vec<u32> {
    points.sort_unstable();
    points
}

#[test]
fn anchored_tables_have_every_half_edge_once() {
    let character = plus();
    let SpringTables::Anchored(tables) = tables(&character, SpringModel::Anchored) else {
        panic!("anchored springs have anchored tables")
    };
    let first_stage_outputs = tables.first_stage.num_outputs;
    let tables = &tables.level;
    let mesh = &character.parts[0].mesh;
    let adjacency = Adjacency::of(mesh);
    assert_eq!(tables.anchors.len(), tables.point_of_slot.len());
    assert_eq!(first_stage_outputs, tables.point_of_slot.len());
    for slot in 0..tables.num_points {
        let point = tables.point_of_slot[slot];
        let real = half_edges(&tables.row_starts, slot).filter(|&h| tables.stiffness[h] > 0.0);
        let mut found = Vec::new();
        for half_edge in real {
            let other = tables.point_of_slot[tables.neighbours[half_edge] as usize];
            found.push(other);
            let edge = mesh.points()[other as usize] - mesh.points()[point as usize];
            assert_eq!(tables.rest_edges[half_edge][..3], edge.to_array());
        }
        assert_eq!(sorted(found), sorted(adjacency.ring(point as usize).to_vec()), "{point}");
        let anchor = &tables.anchors[slot];
        assert!(!anchor.is_loose && anchor.handle_diagonal >= anchor.diagonal, "{anchor:?}");
    }
    assert!(tables.anchors[tables.num_points..].iter().all(|anchor| anchor.is_loose));
}

#[test]
fn the_coarse_level_has_seeds_of_the_mesh_and_every_slot_follows_some_of_them() {
    let options = SampleOptions { points: Some(5_000), ..SampleOptions::new(SampleKind::Cylinder) };
    let character = build(&options).expect("samples build");
    let SpringTables::Anchored(tables) = tables(&character, SpringModel::Anchored) else {
        panic!("anchored springs have anchored tables")
    };
    let (fine, coarse) = (&tables.level, tables.coarse.as_ref().expect("it is fine enough"));
    assert!(4 * coarse.level.num_points <= fine.num_points, "{}", coarse.level.num_points);
    assert_eq!(coarse.seeds.len(), coarse.level.point_of_slot.len());
    let points = character.parts[0].mesh.points();
    let place = |slot: usize| points[fine.point_of_slot[coarse.seeds[slot] as usize] as usize];
    // Springs run between the places of the seeds.
    for slot in 0..coarse.level.num_points {
        for half_edge in half_edges(&coarse.level.row_starts, slot) {
            if coarse.level.stiffness[half_edge] > 0.0 {
                let edge = place(coarse.level.neighbours[half_edge] as usize) - place(slot);
                assert_eq!(coarse.level.rest_edges[half_edge][..3], edge.to_array());
            }
        }
    }
    assert_eq!(coarse.blend_slots.len(), fine.point_of_slot.len());
    for (slots, weights) in coarse.blend_slots.iter().zip(&coarse.blend_weights) {
        assert!(slots.iter().all(|&slot| (slot as usize) < coarse.level.num_points), "{slots:?}");
        assert!((weights.iter().sum::<f32>() - 1.0).abs() <= 1e-6, "{weights:?}");
    }
}

#[test]
fn paper_tables_have_every_half_edge_once() {
    let character = plus();
    let SpringTables::Paper(tables) = tables(&character, SpringModel::Paper) else {
        panic!("the paper's springs have its tables")
    };
    let mesh = &character.parts[0].mesh;
    let adjacency = Adjacency::of(mesh);
    for (slot, point) in tables.point_of_row.iter().enumerate() {
        let Some(point) = *point else { continue };
        let real = half_edges(&tables.block_starts, slot).filter(|&h| tables.pairs[h][1] > 0.0);
        let mut found = Vec::new();
        for half_edge in real {
            let other = tables.point_of_row[tables.neighbours[half_edge] as usize].unwrap();
            found.push(other);
            let length = mesh.points()[other as usize].distance(mesh.points()[point as usize]);
            let off = tables.pairs[half_edge][3] * tables.metres_a_unit - length;
            assert!(off.abs() <= 1e-6 * length, "{point} to {other}");
        }
        assert_eq!(sorted(found), sorted(adjacency.ring(point as usize).to_vec()), "{point}");
    }
    assert_eq!(tables.units_a_metre * tables.metres_a_unit, 1.0);
}

#[test]
fn delta_mush_tables_have_every_neighbour_once() {
    let character = plus();
    let SpringTables::DeltaMush(tables) = tables(&character, SpringModel::DeltaMush) else {
        panic!("delta mush has its tables")
    };
    let adjacency = Adjacency::of(&character.parts[0].mesh);
    for (row, &point) in tables.point_of_row.iter().enumerate() {
        let span = tables.starts[row] as usize..tables.starts[row + 1] as usize;
        let found = tables.neighbours[span.clone()]
            .iter()
            .map(|&row| tables.point_of_row[row as usize])
            .collect();
        assert_eq!(sorted(found), sorted(adjacency.ring(point as usize).to_vec()), "{point}");
        // Half-way to the neighbours' mean.
        let total: f32 = tables.weights[span].iter().sum();
        assert!((tables.factors[row] * total - 0.5).abs() <= 1e-6, "{point}");
    }
}

#[test]
fn chebyshev_factors_begin_with_one_and_rise_to_their_limit() {
    let rho = 0.99;
    let factors = chebyshev_factors(rho, 200);
    assert_eq!(factors[0], 1.0);
    let limit = 2.0 / (1.0 + (1.0 - rho * rho).sqrt());
    assert!((f64::from(factors[199]) - limit).abs() < 1e-4, "{}", factors[199]);
}
