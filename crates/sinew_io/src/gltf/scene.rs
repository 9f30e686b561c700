//! Nodes: who is below whom, where they are, and which of them the scene shows. No recursion: a
//! file may nest a million deep.

use glam::{DAffine3, DMat4, DQuat, DVec3};
use sinew::skeleton::JointTransform;

use super::json::{Node, Root};
use crate::{ReadError, Report};

/// A quaternion this far from unit length is worth a line in the report.
const UNIT_TOLERANCE: f64 = 1e-3;
/// A matrix that its translation, rotation and scale miss by more has shear.
const SHEAR_TOLERANCE: f64 = 1e-5;

/// The nodes of a document.
#[derive(Debug)]
pub(super) struct Nodes {
    pub(super) parent: Vec<Option<usize>>,
    pub(super) local: Vec<JointTransform>,
    /// At rest.
    pub(super) world_from_node: Vec<DAffine3>,
    pub(super) is_in_scene: Vec<bool>,
}

impl Nodes {
    pub(super) fn read(root: &Root, report: &mut Report) -> Result<Self, ReadError> {
        let parent = parents(&root.nodes)?;
        let order = parents_first(&root.nodes, &parent)?;
        let transforms: Vec<(DAffine3, JointTransform)> =
            root.nodes.iter().enumerate().map(|(i, node)| transform(i, node, report)).collect();
        let mut world_from_node = vec![DAffine3::IDENTITY; root.nodes.len()];
        for &node in &order {
            let parent_from_node = transforms[node].0;
            world_from_node[node] = match parent[node] {
                Some(parent) => world_from_node[parent] * parent_from_node,
                None => parent_from_node,
            };
        }
        let is_in_scene = shown(root, &parent, &order, report)?;
        let local = transforms.into_iter().map(|(_, local)| local).collect();
        Ok(Self { parent, local, world_from_node, is_in_scene })
    }
}

fn parents(nodes: &[Node]) -> Result<Vec<Option<usize>>, ReadError> {
    let mut parent = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for (k, &child) in node.children.iter().enumerate() {
            let place = || format!("nodes[{index}].children[{k}]");
            let slot: &mut Option<usize> = parent.get_mut(child).ok_or_else(|| {
                ReadError::malformed(place(), format!("there is no node {child}"))
            })?;
            if let Some(other) = slot.replace(index) {
                let what =
                    format!("node {child} is a child of node {other} too; it can have one parent");
                return Err(ReadError::malformed(place(), what));
            }
        }
    }
    Ok(parent)
}

/// Every node after its parent. With one parent a node, what is not reached from a root is in a
/// ring.
fn parents_first(nodes: &[Node], parent: &[Option<usize>]) -> Result<Vec<usize>, ReadError> {
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&n| parent[n].is_none()).collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        order.extend_from_slice(&nodes[node].children);
        next += 1;
    }
    if order.len() < nodes.len() {
        let mut is_reached = vec![false; nodes.len()];
        for &node in &order {
            is_reached[node] = true;
        }
        let node = is_reached.iter().position(|reached| !reached).unwrap_or(0);
        let what = "the node is its own ancestor; nodes must be a tree";
        return Err(ReadError::malformed(format!("nodes[{node}]"), what));
    }
    Ok(order)
}

fn transform(index: usize, node: &Node, report: &mut Report) -> (DAffine3, JointTransform) {
    if let Some(matrix) = &node.matrix {
        let exact = DAffine3::from_mat4(DMat4::from_cols_array(matrix));
        let (scale, rotation, translation) = exact.to_scale_rotation_translation();
        let mut local = JointTransform { translation, rotation, scale };
        if !rotation.is_finite() || rotation.length_squared() < 0.5 {
            // A matrix scaled to nothing has no rotation of its own.
            let m = exact.matrix3;
            local.rotation = DQuat::IDENTITY;
            local.scale = DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
        }
        let size = exact.matrix3.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let again = local.parent_from_joint();
        if !again.matrix3.abs_diff_eq(exact.matrix3, SHEAR_TOLERANCE * size.max(f64::MIN_POSITIVE))
        {
            report.warn(
                "sheared-node",
                format!("nodes[{index}].matrix"),
                "the matrix has a shear, which a joint cannot keep",
                "apply the unequal scale of its parents before export",
            );
        }
        return (exact, local);
    }
    let mut rotation = node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    let length = rotation.length();
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        report.warn(
            "rotation-not-unit",
            format!("nodes[{index}].rotation"),
            format!("a quaternion of length {length:.4}; it was normalised"),
            "write unit quaternions",
        );
    }
    // Only if it matters: normalising a unit quaternion again moves its last bits.
    if (length - 1.0).abs() > 1e-12 {
        rotation = if length > 0.0 { rotation / length } else { DQuat::IDENTITY };
    }
    let local = JointTransform {
        translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
        rotation,
        scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
    };
    (local.parent_from_joint(), local)
}

/// What is below the roots of the scene to show: all, if the file has no scenes.
fn shown(
    root: &Root,
    parent: &[Option<usize>],
    order: &[usize],
    report: &mut Report,
) -> Result<Vec<bool>, ReadError> {
    if root.scenes.is_empty() {
        return Ok(vec![true; parent.len()]);
    }
    let scene = root.scene.unwrap_or(0);
    let roots = &root
        .scenes
        .get(scene)
        .ok_or_else(|| ReadError::malformed("scene", format!("there is no scene {scene}")))?
        .nodes;
    if root.scenes.len() > 1 {
        let what =
            format!("{} scenes; only the meshes of scene {scene} were read", root.scenes.len());
        report.note(
            "several-scenes",
            "scenes",
            what,
            "put other characters into files of their own",
        );
    }
    let mut is_shown = vec![false; parent.len()];
    for (k, &node) in roots.iter().enumerate() {
        *is_shown.get_mut(node).ok_or_else(|| {
            let place = format!("scenes[{scene}].nodes[{k}]");
            ReadError::malformed(place, format!("there is no node {node}"))
        })? = true;
    }
    for &node in order {
        if let Some(parent) = parent[node] {
            is_shown[node] |= is_shown[parent];
        }
    }
    Ok(is_shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::json;

    fn nodes(json: &str) -> Result<(Nodes, Report), String> {
        let json = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":{json}}}"#);
        let root = json::parse(json.as_bytes()).unwrap();
        let mut report = Report::default();
        let nodes = Nodes::read(&root, &mut report).map_err(|error| error.to_string())?;
        Ok((nodes, report))
    }

    #[test]
    fn rings_second_parents_and_missing_children_are_refused_by_name() {
        for (json, words) in [
            (r#"[{"children":[0]}]"#, "nodes[0]: the node is its own ancestor"),
            (r#"[{},{"children":[2]},{"children":[1]}]"#, "nodes[1]"),
            (r#"[{"children":[2]},{"children":[2]},{}]"#, "nodes[1].children[0]"),
            (r#"[{"children":[1]}]"#, "there is no node 1"),
        ] {
            let error = nodes(json).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_chain_of_eighty_thousand_nodes_is_read_without_recursion() {
        let depth = 80_000;
        let mut json = String::from("[");
        for node in 1..depth {
            json += &format!(r#"{{"children":[{node}]}},"#);
        }
        json += r#"{"translation":[0,1,0]}]"#;
        let (nodes, _) = nodes(&json).unwrap();
        assert_eq!(nodes.world_from_node[depth - 1].translation, DVec3::Y);
    }

    #[test]
    fn a_matrix_is_taken_apart_and_a_shear_is_reported() {
        let (plain, report) =
            nodes(r#"[{"matrix":[0,2,0,0, -2,0,0,0, 0,0,2,0, 1,2,3,1]}]"#).unwrap();
        assert!(report.is_clean());
        assert!((plain.local[0].scale - 2.0).abs().max_element() < 1e-12);
        let (_, report) = nodes(r#"[{"matrix":[1,0,0,0, 1,1,0,0, 0,0,1,0, 0,0,0,1]}]"#).unwrap();
        assert!(report.has("sheared-node"));
        let (flat, _) = nodes(r#"[{"matrix":[0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,1]}]"#).unwrap();
        assert!(flat.local[0].rotation.is_finite());
    }

    #[test]
    fn a_rotation_of_length_two_is_normalised_and_reported() {
        let (nodes, report) = nodes(r#"[{"rotation":[0,0,0,2]},{"rotation":[0,0,0,0]}]"#).unwrap();
        assert_eq!(nodes.local[0].rotation, DQuat::IDENTITY);
        assert_eq!(nodes.local[1].rotation, DQuat::IDENTITY);
        assert_eq!(report.warnings.len(), 2);
    }
}
