//! The standard library's decoder: tests and fuzz targets compare with it.

use super::Invalid;
use crate::text::narrow_into;
use crate::unicode::code_points;

/// What `decode` must find, the obvious way.
pub fn decode(bytes: &[u8]) -> Result<(Vec<u8>, Vec<u32>), Invalid> {
    let text = std::str::from_utf8(bytes).map_err(|error| Invalid { at: error.valid_up_to() })?;
    let points = code_points(text);
    let mut narrow = vec![0; points.len()];
    Ok(if narrow_into(&points, &mut narrow) { (narrow, Vec::new()) } else { (Vec::new(), points) })
}

/// What `decode` finds, and that it leaves alone what stood in its buffers.
pub fn decoded(bytes: &[u8]) -> Result<(Vec<u8>, Vec<u32>), Invalid> {
    let (mut narrow, mut wide) = (vec![7], vec![7]);
    let is_narrow = super::decode(bytes, &mut narrow, &mut wide);
    assert_eq!((7, 7), (narrow.remove(0), wide.remove(0)));
    assert!(is_narrow == Ok(true) || narrow.is_empty());
    assert!(is_narrow == Ok(false) || wide.is_empty());
    is_narrow.map(|_| (narrow, wide))
}
