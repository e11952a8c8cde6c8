//! Lists of numbers as typed arrays, for `#[serde(serialize_with = "…")]`.

use js_sys::{Float32Array, Uint8Array, Uint32Array};
use serde::Serializer;

/// Whole numbers as a `Uint32Array`.
///
/// # Errors
/// Those of the serializer.
pub fn words<S: Serializer>(numbers: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
    serde_wasm_bindgen::preserve::serialize(&Uint32Array::from(numbers), serializer)
}

/// Numbers as a `Float32Array`.
///
/// # Errors
/// Those of the serializer.
pub fn floats<S: Serializer>(numbers: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    serde_wasm_bindgen::preserve::serialize(&Float32Array::from(numbers), serializer)
}

/// Bytes as a `Uint8Array`.
///
/// # Errors
/// Those of the serializer.
pub fn bytes<S: Serializer>(content: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serde_wasm_bindgen::preserve::serialize(&Uint8Array::from(content), serializer)
}
