//! KHR_draco_mesh_compression: a primitive's vertices and triangles as one Draco stream.
//!
//! The extension names, for each attribute, an id in the stream; what is decoded, and dequantised,
//! takes the place of the data of the primitive's accessors, in their types. The stream is decoded
//! by draco-core, with limits on what it may make: they grow with the file's size, like those of
//! accessors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointAttribute};

use super::accessor::{Accessors, Component, Decoded};
use super::json::{Draco, Primitive};
use crate::ReadError;

/// Of what accessors may decode to: Draco makes a twentieth of a mesh at best.
const BYTES_PER_COMPONENT: u64 = 2;

/// Decodes what a compressed primitive names, once; others are left alone.
pub(super) fn decode_primitive(
    primitive: &Primitive,
    place: &str,
    accessors: &Accessors<'_>,
) -> Result<(), ReadError> {
    let Some(draco) = &primitive.extensions.draco else { return Ok(()) };
    let named = draco.attributes.keys().filter_map(|name| primitive.attributes.get(name));
    if named.chain(&primitive.indices).all(|&accessor| accessors.is_decoded(accessor)) {
        return Ok(());
    }
    let place = format!("{place}.extensions.KHR_draco_mesh_compression");
    let error = |what: String| ReadError::malformed(&*place, what);
    let stream = accessors.view(draco.buffer_view).map_err(&error)?;
    let mesh = decode(stream, accessors.components_left())
        .map_err(|what| error(format!("the stream does not decode: {what}; export it again")))?;
    // Primitives may share a stream, and each decodes it anew.
    let num_components = stream.len() + mesh.num_points() + 3 * mesh.num_faces();
    accessors
        .spend(num_components, 1)
        .map_err(|()| error("is more than a file of this size can mean".into()))?;
    take_attributes(&mesh, draco, primitive, accessors).map_err(&error)?;
    if let Some(indices) = primitive.indices {
        let (component, _) = accessors
            .kind(indices)
            .ok_or_else(|| error(format!("accessors[{indices}] has no type that glTF knows")))?;
        let mut bytes = Vec::with_capacity(mesh.num_faces() * 3 * component.size());
        for point in mesh.faces().iter().flatten() {
            push_integer(f64::from(point.0), component, &mut bytes);
        }
        accessors.set_decoded(indices, Decoded { bytes, count: mesh.num_faces() * 3 });
    }
    Ok(())
}

fn decode(stream: &[u8], max_components: usize) -> Result<Mesh, String> {
    let most = max_components as u64;
    let limits = DecodeLimits::default()
        .with_max_points(most)
        .with_max_faces(most)
        .with_max_decoded_bytes(most.saturating_mul(BYTES_PER_COMPONENT));
    let run = || {
        let mut mesh = Mesh::new();
        let mut buffer = DecoderBuffer::new(stream).with_limits(limits);
        MeshDecoder::new().decode(&mut buffer, &mut mesh).map(|()| mesh)
    };
    // The decoder means to return an error for whatever bytes; if it does not, that is no reason to
    // fall with it.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(decoded) => decoded.map_err(|error| error.to_string()),
        Err(_) => Err("the decoder gave up".to_owned()),
    }
}

fn take_attributes(
    mesh: &Mesh,
    draco: &Draco,
    primitive: &Primitive,
    accessors: &Accessors<'_>,
) -> Result<(), String> {
    for (name, &id) in &draco.attributes {
        // An attribute that the primitive does not have is nobody's.
        let Some(&accessor) = primitive.attributes.get(name) else { continue };
        let Some((component, num_components)) = accessors.kind(accessor) else { continue };
        let attribute = mesh
            .attribute_by_unique_id(id)
            .ok_or_else(|| format!("the stream has no attribute {id}, which {name} names"))?;
        let found = usize::from(attribute.num_components());
        if found != num_components {
            return Err(format!(
                "{name} has {found} components in the stream and {num_components} in accessors[{accessor}]"
            ));
        }
        let bytes = attribute_bytes(attribute, mesh.num_points(), num_components, component);
        accessors.set_decoded(accessor, Decoded { bytes, count: mesh.num_points() });
    }
    Ok(())
}

/// One element a point, in the accessor's type.
fn attribute_bytes(
    attribute: &PointAttribute,
    num_points: usize,
    num_components: usize,
    component: Component,
) -> Vec<u8> {
    let values = attribute.read_f32s(num_points, num_components);
    let mut bytes = Vec::with_capacity(values.len() * component.size());
    for value in values {
        match component {
            Component::F32 => bytes.extend_from_slice(&value.to_le_bytes()),
            _ => push_integer(f64::from(value), component, &mut bytes),
        }
    }
    bytes
}

/// To the nearest; what is out of range saturates.
fn push_integer(value: f64, component: Component, bytes: &mut Vec<u8>) {
    let value = value.round();
    match component {
        Component::I8 => bytes.extend_from_slice(&(value as i8).to_le_bytes()),
        Component::U8 => bytes.push(value as u8),
        Component::I16 => bytes.extend_from_slice(&(value as i16).to_le_bytes()),
        Component::U16 => bytes.extend_from_slice(&(value as u16).to_le_bytes()),
        Component::U32 => bytes.extend_from_slice(&(value as u32).to_le_bytes()),
        Component::F32 => bytes.extend_from_slice(&(value as f32).to_le_bytes()),
    }
}
