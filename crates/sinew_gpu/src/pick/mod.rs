//! Picking.
