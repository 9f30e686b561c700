//! Characters of many pieces: which of them keep their shapes.

use sinew_studio::StudioOptions;

use crate::common::User;

#[test]
fn a_mesh_and_the_pieces_of_chosen_points_are_made_rigid_in_the_panel() {
    // Tall enough for the panel's last lines.
    let mut user = User::of_size([1100.0, 1400.0], StudioOptions::default());
    user.choose("Method", "Springs");
    user.click("Meshes");
    let mesh = user.studio().document().character().parts[0].mesh.name().to_owned();
    user.choose(&format!("Shape of {mesh}"), "Rigid");
    let own = |user: &User<'_>| user.studio().document().rig().part(0).cloned().unwrap_or_default();
    assert_eq!(own(&user).rigid, Some(true));
    user.choose(&format!("Shape of {mesh}"), "By its weights");
    assert_eq!(own(&user).rigid, None);

    // Without points there is nothing to decide about.
    assert!(!user.has("Shape of the chosen pieces"));
    user.menu("Edit", "Select: Points");
    let at = user.bone("spine");
    user.click_at(at);
    assert_eq!(user.studio().num_chosen_points(), 1);
    user.choose("Shape of the chosen pieces", "Rigid");
    let pieces = own(&user).rigid_pieces;
    assert!(matches!(&pieces[..], [piece] if piece.is_rigid), "{pieces:?}");
    user.choose("Shape of the chosen pieces", "By its weights");
    assert_eq!(own(&user).rigid_pieces, []);
}
