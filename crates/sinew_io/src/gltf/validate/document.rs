//! Types, references and the trees of nodes: what the JSON alone tells.

use std::collections::HashSet;

use super::tape::Node;
use super::{Document, Faults};

/// The arrays at the top of a document.
const COLLECTIONS: [&str; 15] = [
    "accessors",
    "animations",
    "buffers",
    "bufferViews",
    "cameras",
    "images",
    "materials",
    "meshes",
    "nodes",
    "samplers",
    "scenes",
    "skins",
    "textures",
    "extensionsUsed",
    "extensionsRequired",
];

/// Arrays that may be left out but not be empty, by who has them.
const NEVER_EMPTY: [(&str, &[&str]); 5] = [
    ("nodes", &["children", "weights"]),
    ("scenes", &["nodes"]),
    ("meshes", &["primitives", "weights"]),
    ("skins", &["joints"]),
    ("animations", &["channels", "samplers"]),
];

pub(super) fn check(document: &Document<'_>, faults: &mut Faults<'_>) {
    check_collections(document.root, faults);
    check_extensions(document.root, faults);
    check_nodes(document, faults);
    check_scenes(document, faults);
    check_textures(document.root, document.views.len(), faults);
}

fn check_collections(root: Node<'_>, faults: &mut Faults<'_>) {
    for name in COLLECTIONS {
        let Some(list) = root.get(name) else { continue };
        if !list.is_array() {
            faults.add("wrong-type", || name.into(), "must be an array");
        } else if list.is_empty() {
            faults.add("empty-array", || name.into(), "an empty array; leave it out");
        }
        let of_objects = !name.starts_with("extensions");
        for (index, entry) in list.items().enumerate() {
            if entry.is_object() != of_objects {
                let what = if of_objects { "must be an object" } else { "must be a string" };
                faults.add("wrong-type", || format!("{name}[{index}]"), what);
            }
            if entry.get("name").is_some_and(|name| name.text().is_none()) {
                faults.add("wrong-type", || format!("{name}[{index}].name"), "must be a string");
            }
        }
    }
    for (collection, keys) in NEVER_EMPTY {
        for (index, entry) in root.list(collection).into_iter().enumerate() {
            for key in keys {
                if entry.get(key).is_some_and(Node::is_empty) {
                    let place = || format!("{collection}[{index}].{key}");
                    faults.add("empty-array", place, "an empty array; leave it out");
                }
            }
        }
    }
}

fn check_extensions(root: Node<'_>, faults: &mut Faults<'_>) {
    let mut used = HashSet::new();
    for key in ["extensionsUsed", "extensionsRequired"] {
        let mut seen = HashSet::new();
        for (index, name) in root.list(key).into_iter().enumerate() {
            let Some(name) = name.text() else { continue };
            let place = || format!("{key}[{index}]");
            if !seen.insert(name) {
                faults.add("duplicate-extension", place, format!("'{name}' is named twice"));
            }
            if key == "extensionsUsed" {
                used.insert(name);
            } else if !used.contains(name) {
                let what = format!("'{name}' is required but not in extensionsUsed");
                faults.add("extension-not-declared", place, what);
            }
        }
    }
    let Some(extensions) = root.get("extensions") else { return };
    if !extensions.is_object() {
        faults.add("wrong-type", || "extensions".into(), "must be an object");
    }
    for (name, extension) in extensions.entries().filter(|(_, e)| !e.is_object()) {
        let _ = extension;
        faults.add("wrong-type", || format!("extensions.{name}"), "must be an object");
    }
}

fn check_nodes(document: &Document<'_>, faults: &mut Faults<'_>) {
    let num_cameras = document.root.list("cameras").len();
    let skinned: Vec<bool> = document.meshes.iter().map(|&mesh| is_skinned(mesh)).collect();
    let num_targets: Vec<usize> = document.meshes.iter().map(|&mesh| num_targets(mesh)).collect();
    for (index, &node) in document.nodes.iter().enumerate() {
        let place = || format!("nodes[{index}]");
        let mesh = faults.reference(node, "mesh", document.meshes.len(), place);
        let skin = faults.reference(node, "skin", document.skins.len(), place);
        faults.reference(node, "camera", num_cameras, place);
        if node.get("skin").is_some() && node.get("mesh").is_none() {
            let what = "a skin on a node without a mesh";
            faults.add("skin-without-mesh", || format!("nodes[{index}].skin"), what);
        }
        if node.get("weights").is_some() && node.get("mesh").is_none() {
            let what = "weights of blend shapes on a node without a mesh";
            faults.add("weights-without-mesh", || format!("nodes[{index}].weights"), what);
        }
        if let (Some(mesh), Some(weights)) = (mesh, node.get("weights")) {
            let count = weights.items().count();
            if count != num_targets[mesh] {
                let what = format!("{count} weights for {} blend shapes", num_targets[mesh]);
                faults.add("morph-targets-differ", || format!("nodes[{index}].weights"), what);
            }
        }
        if let (Some(mesh), Some(_)) = (mesh, skin)
            && !skinned[mesh]
        {
            let what = format!("a skin, but mesh {mesh} has no JOINTS_0 and WEIGHTS_0");
            faults.add("skin-without-weights", || format!("nodes[{index}].skin"), what);
        }
        let has_parts =
            ["translation", "rotation", "scale"].iter().any(|key| node.get(key).is_some());
        if node.get("matrix").is_some() && has_parts {
            let what = "a matrix as well as translation, rotation or scale; the matrix was taken";
            faults.add("matrix-and-parts", || format!("nodes[{index}].matrix"), what);
        }
        for (k, child) in node.list("children").into_iter().enumerate() {
            let is_there = child.index().is_some_and(|child| child < document.nodes.len());
            if !is_there {
                let place = || format!("nodes[{index}].children[{k}]");
                faults.add("unresolved-reference", place, "there is no such node");
            }
        }
    }
}

fn is_skinned(mesh: Node<'_>) -> bool {
    mesh.list("primitives").into_iter().any(|primitive| {
        let Some(attributes) = primitive.get("attributes") else { return false };
        attributes.get("JOINTS_0").is_some() && attributes.get("WEIGHTS_0").is_some()
    })
}

/// Blend shapes of a mesh: those of its first primitive, as all must have as many.
pub(super) fn num_targets(mesh: Node<'_>) -> usize {
    let first = mesh.get("primitives").and_then(|p| p.items().next());
    first.and_then(|p| p.get("targets")).map_or(0, |targets| targets.items().count())
}

fn check_scenes(document: &Document<'_>, faults: &mut Faults<'_>) {
    let scenes = document.root.list("scenes");
    faults.reference(document.root, "scene", scenes.len(), || "document".into());
    let mut has_parent = vec![false; document.nodes.len()];
    for child in document.nodes.iter().flat_map(|node| node.list("children")) {
        if let Some(slot) = child.index().and_then(|child| has_parent.get_mut(child)) {
            *slot = true;
        }
    }
    for (index, scene) in scenes.into_iter().enumerate() {
        for (k, node) in scene.list("nodes").into_iter().enumerate() {
            let place = || format!("scenes[{index}].nodes[{k}]");
            match node.index().and_then(|node| has_parent.get(node)) {
                None => faults.add("unresolved-reference", place, "there is no such node"),
                Some(true) => {
                    faults.add(
                        "scene-node-not-root",
                        place,
                        "the node has a parent; scenes name roots",
                    );
                }
                Some(false) => {}
            }
        }
    }
}

fn check_textures(root: Node<'_>, num_views: usize, faults: &mut Faults<'_>) {
    let num_images = root.list("images").len();
    let num_samplers = root.list("samplers").len();
    let textures = root.list("textures");
    for (index, &texture) in textures.iter().enumerate() {
        let place = || format!("textures[{index}]");
        faults.reference(texture, "source", num_images, place);
        faults.reference(texture, "sampler", num_samplers, place);
    }
    for (index, image) in root.list("images").into_iter().enumerate() {
        let place = || format!("images[{index}]");
        faults.reference(image, "bufferView", num_views, place);
        if image.get("uri").is_some() && image.get("bufferView").is_some() {
            faults.add("image-source", place, "both a uri and a bufferView");
        }
    }
    for (index, material) in root.list("materials").into_iter().enumerate() {
        for (name, texture) in textures_of(material) {
            let place = || format!("materials[{index}].{name}");
            if texture.get("index").is_none() {
                faults.add("missing-property", place, "a texture without index");
            }
            faults.reference(texture, "index", textures.len(), place);
        }
    }
}

/// The textures that glTF itself gives a material.
pub(super) fn textures_of(material: Node<'_>) -> impl Iterator<Item = (&str, Node<'_>)> {
    let surface = material.get("pbrMetallicRoughness");
    let own = ["normalTexture", "occlusionTexture", "emissiveTexture"]
        .into_iter()
        .filter_map(move |name| Some((name, material.get(name)?)));
    let of_surface = ["baseColorTexture", "metallicRoughnessTexture"]
        .into_iter()
        .filter_map(move |name| Some((name, surface?.get(name)?)));
    own.chain(of_surface)
}
