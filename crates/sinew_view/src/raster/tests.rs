//! Facts about whole pictures and picking buffers.
