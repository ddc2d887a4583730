//! Arrow's C interface in Python's capsules, in and out: <https://arrow.apache.org/docs/format/CDataInterface.html>.
//!
//! Most unsafe code is here: `text.rs` reads Python's strings, `engine.rs` fills bytes that Python has made, and there
//! is no more of it. What comes in is not trusted further than it must be: counts and
//! pointers are checked, a buffer is handed out as a [`Buffer`] of as many values as the array says it has, and what
//! these values mean is checked by whoever reads them. Three things the interface does not carry, and they have to be
//! believed: that a pointer points to something, that a buffer is as long as the length of its array asks for (of
//! strings, as long as the last offset says), and that nobody changes it meanwhile.

use crate::errors::InputTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::Arc;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Deeper than any real type, and shallow enough for the stack.
const DEEPEST: usize = 32;
/// More columns than anybody has.
const MOST_CHILDREN: i64 = 1 << 24;

#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

/// A structure of the interface: its owner releases it, and a released one has no callback.
trait Structure: Sized {
    const NAME: &'static CStr;
    fn empty() -> Self;
    fn is_released(&self) -> bool;
    /// Calls the callback, if it has not been called.
    fn release(&mut self);
    fn forget(&mut self);
}

macro_rules! structure {
    ($type:ident, $name:expr, $($field:ident: $value:expr),+) => {
        impl Structure for $type {
            const NAME: &'static CStr = $name;

            fn empty() -> Self {
                Self { $($field: $value,)+ release: None, private_data: ptr::null_mut() }
            }

            fn is_released(&self) -> bool {
                self.release.is_none()
            }

            fn release(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the structure is whole and has not been released; its producer wrote the callback for it.
                    unsafe { release(self) }
                    self.release = None;
                }
            }

            fn forget(&mut self) {
                self.release = None;
            }
        }
    };
}

structure!(ArrowSchema, SCHEMA, format: ptr::null(), name: ptr::null(), metadata: ptr::null(), flags: 0, n_children: 0,
    children: ptr::null_mut(), dictionary: ptr::null_mut());
structure!(ArrowArray, ARRAY, length: 0, null_count: 0, offset: 0, n_buffers: 0, n_children: 0,
    buffers: ptr::null_mut(), children: ptr::null_mut(), dictionary: ptr::null_mut());
structure!(ArrowArrayStream, STREAM, get_schema: None, get_next: None, get_last_error: None);

/// A structure that is released when nobody needs it any more.
struct Owned<T: Structure>(T);

impl<T: Structure> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

// SAFETY: the interface lets structures be used and released from any thread; nothing here changes one that is shared.
unsafe impl<T: Structure> Send for Owned<T> {}
unsafe impl<T: Structure> Sync for Owned<T> {}

fn wrong(message: impl Into<String>) -> PyErr {
    InputTypeError::new_err(format!("columns: {}", message.into()))
}

/// Takes the structure out of a capsule, which is empty then.
fn take<T: Structure>(capsule: &Bound<'_, PyAny>) -> PyResult<Owned<T>> {
    let name = T::NAME.to_string_lossy();
    // SAFETY: the object is live; a capsule of that name holds a pointer to such a structure, which is moved out.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), T::NAME.as_ptr()) == 0 {
            let kind = capsule.get_type().name().map_or_else(|_| "another object".to_owned(), |name| name.to_string());
            return Err(wrong(format!("what holds the data gave a {kind}, expected a capsule called {name:?}")));
        }
        let structure = ffi::PyCapsule_GetPointer(capsule.as_ptr(), T::NAME.as_ptr()).cast::<T>();
        if (*structure).is_released() {
            return Err(wrong(format!("the capsule {name:?} has been consumed before; ask for a new one")));
        }
        let taken = ptr::read(structure);
        (*structure).forget();
        Ok(Owned(taken))
    }
}

/// Puts a structure into a capsule, which releases it unless somebody takes it.
fn put<T: Structure>(py: Python<'_>, structure: T) -> PyResult<Bound<'_, PyAny>> {
    unsafe extern "C" fn destroy<T: Structure>(capsule: *mut ffi::PyObject) {
        // SAFETY: `put` made the capsule, and its pointer came from a box.
        unsafe {
            let pointer = ffi::PyCapsule_GetPointer(capsule, T::NAME.as_ptr()).cast::<T>();
            if !pointer.is_null() {
                (*pointer).release();
                drop(Box::from_raw(pointer));
            }
        }
    }
    let pointer = Box::into_raw(Box::new(structure));
    // SAFETY: name and destructor live as long as the program; a null result is an exception, and then the box is ours.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer.cast(), T::NAME.as_ptr(), Some(destroy::<T>));
        Bound::from_owned_ptr_or_err(py, capsule).inspect_err(|_| {
            (*pointer).release();
            drop(Box::from_raw(pointer));
        })
    }
}

/// The name and the type of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    pub format: String,
    pub name: String,
    pub flags: i64,
    pub metadata: Vec<u8>,
    pub children: Vec<Arc<Field>>,
    pub dictionary: Option<Arc<Field>>,
}

const NULLABLE: i64 = 2;

impl Field {
    /// A column that may have nulls.
    pub fn new(format: &str, name: &str, children: Vec<Arc<Field>>) -> Self {
        Self { format: format.into(), name: name.into(), flags: NULLABLE, children, ..Self::default() }
    }

    /// The value of a key of the metadata.
    pub fn metadata_of(&self, key: &str) -> Option<Vec<u8>> {
        let mut bytes = &self.metadata[..];
        let pairs = take_number(&mut bytes)?;
        let mut pairs = (0..pairs).map_while(|_| Some((take_text(&mut bytes)?, take_text(&mut bytes)?)));
        pairs.find(|pair| pair.0 == key.as_bytes()).map(|pair| pair.1.to_vec())
    }

    /// Metadata of one key, as the interface writes them.
    pub fn one_pair(key: &str, value: &str) -> Vec<u8> {
        let mut bytes = 1_i32.to_ne_bytes().to_vec();
        for text in [key, value] {
            bytes.extend((text.len() as i32).to_ne_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    /// Reads the type that a structure describes.
    fn read(schema: &ArrowSchema, depth: usize) -> PyResult<Self> {
        if depth > DEEPEST {
            return Err(wrong(format!("the type of a column is nested deeper than {DEEPEST}")));
        }
        // SAFETY: texts of a schema end in zero, or are missing; children are as many as it says.
        unsafe {
            let text = |pointer: *const c_char| {
                (!pointer.is_null()).then(|| CStr::from_ptr(pointer).to_string_lossy().into_owned())
            };
            let format = text(schema.format).ok_or_else(|| wrong("a column has no type"))?;
            let children = pointers(schema.children, schema.n_children)?
                .iter()
                .map(|child| Ok(Arc::new(Self::read(child.ok_or_else(missing)?.as_ref(), depth + 1)?)))
                .collect::<PyResult<_>>()?;
            let dictionary = match schema.dictionary.as_ref() {
                Some(values) => Some(Arc::new(Self::read(values, depth + 1)?)),
                None => None,
            };
            let (name, flags) = (text(schema.name).unwrap_or_default(), schema.flags);
            Ok(Self { format, name, flags, metadata: metadata_bytes(schema.metadata), children, dictionary })
        }
    }

    /// The structure that describes the type.
    fn export(&self) -> ArrowSchema {
        struct Private {
            _texts: [CString; 2],
            _metadata: Vec<u8>,
            children: Vec<*mut ArrowSchema>,
            dictionary: *mut ArrowSchema,
        }
        unsafe extern "C" fn release(schema: *mut ArrowSchema) {
            // SAFETY: `export` made the structure and what it points to.
            unsafe {
                let private = Box::from_raw((*schema).private_data.cast::<Private>());
                for &child in private.children.iter().chain([&private.dictionary]).filter(|child| !child.is_null()) {
                    let mut child = Box::from_raw(child);
                    child.release();
                }
                (*schema).release = None;
            }
        }
        let text = |text: &str| CString::new(text.replace('\0', "")).unwrap_or_default();
        let boxed = |field: &Arc<Field>| Box::into_raw(Box::new(field.export()));
        let mut private = Box::new(Private {
            _texts: [text(&self.format), text(&self.name)],
            _metadata: self.metadata.clone(),
            children: self.children.iter().map(boxed).collect(),
            dictionary: self.dictionary.as_ref().map_or(ptr::null_mut(), boxed),
        });
        ArrowSchema {
            format: private._texts[0].as_ptr(),
            name: private._texts[1].as_ptr(),
            metadata: if self.metadata.is_empty() { ptr::null() } else { private._metadata.as_ptr().cast() },
            flags: self.flags,
            n_children: private.children.len() as i64,
            children: private.children.as_mut_ptr(),
            dictionary: private.dictionary,
            release: Some(release),
            private_data: Box::into_raw(private).cast(),
        }
    }
}

fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    usize::try_from(i32::from_ne_bytes(*head)).ok()
}

fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_number(bytes)?;
    let (head, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(head)
}

/// The bytes of metadata, which tell their own length.
///
/// SAFETY: the pointer is null, or points to metadata as the interface writes them.
unsafe fn metadata_bytes(start: *const c_char) -> Vec<u8> {
    if start.is_null() {
        return Vec::new();
    }
    let start = start.cast::<u8>();
    // SAFETY: as above.
    let number = |at: usize| unsafe { i32::from_ne_bytes(*start.add(at).cast::<[u8; 4]>()).max(0) as usize };
    let end = (0..2 * number(0)).fold(4, |at, _| at + 4 + number(at));
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts(start, end).to_vec() }
}

/// So many pointers. Whoever takes one looks whether it is null: to look at all of them for each child would take a
/// table of 100,000 columns ten seconds.
///
/// SAFETY: the pointer is null, or points to as many pointers.
unsafe fn pointers<'a, T>(start: *mut *mut T, count: i64) -> PyResult<&'a [Option<NonNull<T>>]> {
    if count == 0 {
        return Ok(&[]);
    }
    if start.is_null() || !(0..=MOST_CHILDREN).contains(&count) {
        return Err(wrong(format!("a column has {count} children, and they cannot be found")));
    }
    // SAFETY: as above; a pointer that is null has the bits of `None`.
    Ok(unsafe { std::slice::from_raw_parts(start.cast(), count as usize) })
}

fn missing() -> PyErr {
    wrong("a child of a column is missing")
}

/// Values of a buffer, and the array that keeps them alive.
pub struct Buffer<T> {
    _owner: Arc<Owned<ArrowArray>>,
    _copied: Vec<T>,
    start: NonNull<T>,
    length: usize,
    values: PhantomData<T>,
}

// SAFETY: the values are numbers that nobody changes.
unsafe impl<T: Plain> Send for Buffer<T> {}
unsafe impl<T: Plain> Sync for Buffer<T> {}

impl<T: Plain> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `Array::buffer` made sure of it.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

/// What any bytes may be read as.
///
/// # Safety
/// Every pattern of bits is a value.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($type:ty),+) => { $(unsafe impl Plain for $type {})+ };
}
plain!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, [u8; 16]);

/// A column, or a stretch of one.
#[derive(Clone)]
pub struct Array {
    owner: Arc<Owned<ArrowArray>>,
    raw: *const ArrowArray,
    pub field: Arc<Field>,
    pub offset: usize,
    pub len: usize,
}

// SAFETY: `raw` is a part of `owner`, which nobody changes.
unsafe impl Send for Array {}
unsafe impl Sync for Array {}

impl Array {
    /// The column that a part of a structure holds.
    ///
    /// SAFETY: `raw` points into the structure, and the structure is whole.
    unsafe fn of(owner: &Arc<Owned<ArrowArray>>, raw: *const ArrowArray, field: &Arc<Field>) -> PyResult<Self> {
        // SAFETY: as above.
        let array = unsafe { &*raw };
        let most = i64::MAX >> 8; // so that nothing overflows that is computed from it
        if !(0..most).contains(&array.length) || !(0..most).contains(&array.offset) {
            let (length, offset) = (array.length, array.offset);
            return Err(wrong(format!("{:?} has the length {length} and the offset {offset}", field.name)));
        }
        Ok(Self {
            owner: Arc::clone(owner),
            raw,
            field: Arc::clone(field),
            offset: array.offset as usize,
            len: array.length as usize,
        })
    }

    fn raw(&self) -> &ArrowArray {
        // SAFETY: see `of`.
        unsafe { &*self.raw }
    }

    /// The column under a name.
    pub fn named(&self, name: &str) -> Self {
        let field = Arc::new(Field { name: name.to_owned(), ..(*self.field).clone() });
        Self { field, ..self.clone() }
    }

    /// A stretch of the column.
    pub fn slice(&self, from: usize, len: usize) -> PyResult<Self> {
        match from.checked_add(len) {
            Some(end) if end <= self.len => Ok(Self { offset: self.offset + from, len, ..self.clone() }),
            _ => Err(wrong(format!("{:?} has {} rows, expected {len} from {from} on", self.field.name, self.len))),
        }
    }

    /// A child; not cut where this column is.
    pub fn child(&self, index: usize) -> PyResult<Self> {
        // SAFETY: children are as many as the array says.
        let children = unsafe { pointers(self.raw().children, self.raw().n_children)? };
        match (children.get(index), self.field.children.get(index)) {
            // SAFETY: the child is a part of the structure.
            (Some(Some(child)), Some(field)) => unsafe { Self::of(&self.owner, child.as_ptr(), field) },
            (Some(None), _) => Err(missing()),
            _ => Err(wrong(format!("{:?} lacks a child that its type has", self.field.name))),
        }
    }

    /// The values that a column of keys refers to.
    pub fn dictionary(&self) -> PyResult<Self> {
        match (self.raw().dictionary.is_null(), &self.field.dictionary) {
            // SAFETY: the dictionary is a part of the structure.
            (false, Some(field)) => unsafe { Self::of(&self.owner, self.raw().dictionary, field) },
            _ => Err(wrong(format!("{:?} has keys and no dictionary", self.field.name))),
        }
    }

    /// The column, if all its parts have lengths that make sense: one that is handed on must not be less whole than it
    /// came.
    pub fn checked(&self) -> PyResult<&Self> {
        for at in 0..self.field.children.len() {
            self.child(at)?.checked()?;
        }
        if self.field.dictionary.is_some() {
            self.dictionary()?.checked()?;
        }
        Ok(self)
    }

    /// How many buffers there are.
    pub fn buffers(&self) -> usize {
        usize::try_from(self.raw().n_buffers).unwrap_or(0)
    }

    /// So many values of a buffer, from its beginning. One that came over a network may lie anywhere, and is copied.
    pub fn buffer<T: Plain>(&self, index: usize, length: usize) -> PyResult<Buffer<T>> {
        let bytes = length.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= isize::MAX as usize);
        let mut copied = Vec::new();
        let start = match (NonNull::new(self.pointer(index)?.cast_mut().cast::<T>()), bytes) {
            _ if length == 0 => NonNull::dangling(),
            (None, _) => return Err(wrong(format!("buffer {index} of {:?} is missing", self.field.name))),
            (_, None) => return Err(wrong(format!("buffer {index} of {:?} is too long", self.field.name))),
            (Some(start), _) if start.as_ptr().addr().is_multiple_of(align_of::<T>()) => start,
            (Some(start), Some(bytes)) => {
                copied.reserve_exact(length);
                let to: *mut T = copied.as_mut_ptr();
                // SAFETY: there are as many values as the array says, and bytes may be read at any place.
                unsafe {
                    start.as_ptr().cast::<u8>().copy_to_nonoverlapping(to.cast::<u8>(), bytes);
                    copied.set_len(length);
                }
                NonNull::from(copied.as_slice()).cast()
            }
        };
        Ok(Buffer { _owner: Arc::clone(&self.owner), _copied: copied, start, length, values: PhantomData })
    }

    fn pointer(&self, index: usize) -> PyResult<*const c_void> {
        if index >= self.buffers() || self.raw().buffers.is_null() {
            return Err(wrong(format!("{:?} lacks a buffer that its type has", self.field.name)));
        }
        // SAFETY: there are as many pointers as the array says.
        Ok(unsafe { *self.raw().buffers.add(index) })
    }

    /// A bit for each row of the whole column, counted from the offset 0, unless no row is null.
    pub fn validity(&self) -> PyResult<Option<Buffer<u8>>> {
        if self.raw().null_count == 0 || self.pointer(0)?.is_null() {
            return Ok(None);
        }
        self.buffer(0, (self.offset + self.len).div_ceil(8)).map(Some)
    }

    /// A column without rows.
    pub fn empty(field: &Arc<Field>) -> Self {
        let (count, zero) = match &*field.format {
            _ if field.dictionary.is_some() => (2, 0),
            "n" | "+r" => (0, 0),
            "u" | "U" | "z" | "Z" => (3, 8),
            "vu" | "vz" | "+vl" | "+vL" => (3, 0),
            "+l" | "+L" | "+m" => (2, 8),
            nested if nested.starts_with('+') => (1, 0),
            _ => (2, 0),
        };
        // Strings and lists have an offset even then.
        let buffers = (0..count).map(|at| (at > 0).then(|| vec![0; zero])).collect();
        let children: Vec<_> = field.children.iter().map(Self::empty).collect();
        Self::made((**field).clone(), 0, 0, buffers, &children, field.dictionary.as_ref().map(Self::empty).as_ref())
    }

    /// A column made here.
    pub fn new(field: Field, len: usize, null_count: usize, buffers: Vec<Option<Vec<u8>>>, children: &[Array]) -> Self {
        Self::made(field, len, null_count, buffers, children, None)
    }

    /// A column of keys to values, which it shares.
    pub fn of_keys(name: &str, keys: &[i32], values: &Array) -> Self {
        let field = Field { dictionary: Some(Arc::clone(&values.field)), ..Field::new("i", name, Vec::new()) };
        let bytes = keys.iter().flat_map(|key| key.to_ne_bytes()).collect();
        Self::made(field, keys.len(), 0, vec![None, Some(bytes)], &[], Some(values))
    }

    fn made(
        field: Field,
        len: usize,
        null_count: usize,
        buffers: Vec<Option<Vec<u8>>>,
        children: &[Array],
        dictionary: Option<&Array>,
    ) -> Self {
        let boxed = |array: &Array| Box::into_raw(Box::new(array.export()));
        let exported = Box::new(Private {
            buffers: buffers.iter().map(|one| one.as_ref().map_or(ptr::null(), |one| one.as_ptr().cast())).collect(),
            _bytes: buffers,
            _owner: None,
            children: children.iter().map(boxed).collect(),
            dictionary: dictionary.map_or(ptr::null_mut(), boxed),
        });
        let array = exported.into_array(len, 0, null_count as i64);
        let owner = Arc::new(Owned(array));
        let raw = &raw const owner.0;
        Self { owner, raw, field: Arc::new(field), offset: 0, len }
    }

    /// The structure that holds this column; it shares the buffers.
    fn export(&self) -> ArrowArray {
        let raw = self.raw();
        let shared = |part: NonNull<ArrowArray>| {
            // SAFETY: children and dictionary are parts of the structure; the type does not matter here.
            unsafe { Self::of(&self.owner, part.as_ptr(), &self.field) }.ok().map(|part| part.export())
        };
        let boxed = |array: Option<ArrowArray>| Box::into_raw(Box::new(array.unwrap_or_else(ArrowArray::empty)));
        // SAFETY: as many as the array says.
        let children = unsafe { pointers(raw.children, raw.n_children) }.unwrap_or(&[]);
        let whole = self.offset as i64 == raw.offset && self.len as i64 == raw.length;
        let exported = Box::new(Private {
            buffers: (0..self.buffers()).filter_map(|index| self.pointer(index).ok()).collect(),
            _bytes: Vec::new(),
            _owner: Some(Arc::clone(&self.owner)),
            children: children.iter().map(|child| boxed(child.and_then(shared))).collect(),
            dictionary: NonNull::new(raw.dictionary).map_or(ptr::null_mut(), |values| boxed(shared(values))),
        });
        exported.into_array(self.len, self.offset, if whole { raw.null_count } else { -1 })
    }
}

/// What a structure made here points to.
struct Private {
    buffers: Vec<*const c_void>,
    _bytes: Vec<Option<Vec<u8>>>,
    _owner: Option<Arc<Owned<ArrowArray>>>,
    children: Vec<*mut ArrowArray>,
    dictionary: *mut ArrowArray,
}

impl Private {
    fn into_array(mut self: Box<Self>, len: usize, offset: usize, null_count: i64) -> ArrowArray {
        unsafe extern "C" fn release(array: *mut ArrowArray) {
            // SAFETY: `into_array` made the structure, and boxes are behind the pointers.
            unsafe {
                let private = Box::from_raw((*array).private_data.cast::<Private>());
                for &child in private.children.iter().chain([&private.dictionary]).filter(|child| !child.is_null()) {
                    let mut child = Box::from_raw(child);
                    child.release();
                }
                (*array).release = None;
            }
        }
        ArrowArray {
            length: len as i64,
            null_count,
            offset: offset as i64,
            n_buffers: self.buffers.len() as i64,
            n_children: self.children.len() as i64,
            buffers: self.buffers.as_mut_ptr(),
            children: self.children.as_mut_ptr(),
            dictionary: self.dictionary,
            release: Some(release),
            private_data: Box::into_raw(self).cast(),
        }
    }
}

/// The column in the two capsules that `__arrow_c_array__` gives.
pub fn import_array(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<Array> {
    let schema: Owned<ArrowSchema> = take(schema)?;
    let owner = Arc::new(take::<ArrowArray>(array)?);
    let field = Arc::new(Field::read(&schema.0, 0)?);
    // SAFETY: the structure is whole, and lives in `owner`.
    unsafe { Array::of(&owner, &raw const owner.0, &field) }
}

/// Columns that come one after the other.
pub struct Stream {
    stream: Owned<ArrowArrayStream>,
    pub field: Arc<Field>,
}

impl Stream {
    /// The stream in the capsule that `__arrow_c_stream__` gives.
    pub fn import(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut stream: Owned<ArrowArrayStream> = take(capsule)?;
        let mut schema = Owned(ArrowSchema::empty());
        let get_schema = stream.0.get_schema.ok_or_else(|| wrong("the stream cannot tell its columns"))?;
        // SAFETY: both structures are whole; the callback fills the second one, or says that it failed.
        let code = unsafe { get_schema(&mut stream.0, &mut schema.0) };
        if code != 0 || schema.0.is_released() {
            return Err(last_error(&mut stream.0, code));
        }
        let field = Arc::new(Field::read(&schema.0, 0)?);
        Ok(Self { stream, field })
    }

    /// The next column, or nothing at the end. The producer may need the interpreter's lock in other threads.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<Array>> {
        let get_next = self.stream.0.get_next.ok_or_else(|| wrong("the stream cannot give its columns"))?;
        let stream = &mut self.stream;
        let (code, array) = py.detach(move || {
            let mut array = Owned(ArrowArray::empty());
            // SAFETY: as above.
            (unsafe { get_next(&mut stream.0, &mut array.0) }, array)
        });
        if code != 0 {
            return Err(match PyErr::take(py) {
                Some(error) => error,
                None => last_error(&mut self.stream.0, code),
            });
        }
        if array.0.is_released() {
            return Ok(None);
        }
        let owner = Arc::new(array);
        // SAFETY: the structure is whole, and lives in `owner`.
        unsafe { Array::of(&owner, &raw const owner.0, &self.field).map(Some) }
    }
}

/// What the producer of a stream says of its error.
fn last_error(stream: &mut ArrowArrayStream, code: c_int) -> PyErr {
    let said = stream.get_last_error.and_then(|get| {
        // SAFETY: the structure is whole; the text ends in zero, or is missing.
        unsafe {
            let text = get(stream);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().chars().take(500).collect::<String>())
        }
    });
    wrong(format!("what gives the data failed (code {code}): {}", said.unwrap_or_else(|| "it does not say why".into())))
}

/// The capsules of one column.
pub fn export_array<'py>(py: Python<'py>, array: &Array) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    Ok((put(py, array.field.export())?, put(py, array.export())?))
}

/// The capsule of a stream of columns, all of one type.
pub fn export_stream<'py>(py: Python<'py>, field: Arc<Field>, arrays: Vec<Array>) -> PyResult<Bound<'py, PyAny>> {
    struct Rest(Arc<Field>, std::vec::IntoIter<Array>);
    unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, schema: *mut ArrowSchema) -> c_int {
        // SAFETY: the stream is one that was made below; the consumer has room for a schema.
        unsafe { ptr::write(schema, (*(*stream).private_data.cast::<Rest>()).0.export()) };
        0
    }
    unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, array: *mut ArrowArray) -> c_int {
        // SAFETY: as above. A structure that has been released is the end.
        unsafe {
            let next = (*(*stream).private_data.cast::<Rest>()).1.next();
            ptr::write(array, next.map_or_else(ArrowArray::empty, |next| next.export()));
        }
        0
    }
    unsafe extern "C" fn get_last_error(_: *mut ArrowArrayStream) -> *const c_char {
        ptr::null()
    }
    unsafe extern "C" fn release(stream: *mut ArrowArrayStream) {
        // SAFETY: as above.
        unsafe {
            drop(Box::from_raw((*stream).private_data.cast::<Rest>()));
            (*stream).release = None;
        }
    }
    let stream = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(Box::new(Rest(field, arrays.into_iter()))).cast(),
    };
    put(py, stream)
}
