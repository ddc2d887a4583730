//! What Python has to say while the core works: signals, and a wish to hear how far it is.

use crate::errors::memory_error;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use truebleu_core::halt::{self, Halt, Watch};

thread_local! {
    static CALLBACK: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// How often the callback is called at most.
const INTERVAL: Duration = Duration::from_millis(100);

/// From now on, long calls of this thread tell `callback` how many parts of how many are done, at most ten times a
/// second. The total is 0 where nobody knows it. What the callback raises ends the call. Returns the callback before.
#[pyfunction]
#[pyo3(signature = (callback))]
pub fn watching(callback: Option<Py<PyAny>>) -> Option<Py<PyAny>> {
    CALLBACK.replace(callback)
}

/// Does some work without the interpreter's lock. Signals are heard meanwhile, and what their handlers raise ends it.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let callback = CALLBACK.with_borrow(|callback| callback.as_ref().map(|callback| callback.clone_ref(py)));
    let caller = Arc::new(Caller { callback, told: Mutex::new(Instant::now()), error: Mutex::default() });
    py.detach(|| halt::run(caller.clone(), work)).map_err(|end| match end {
        Halt::Stopped => {
            caller.error.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_else(memory_error)
        }
        Halt::OutOfMemory => memory_error(),
    })
}

/// The thread that waits for the result.
struct Caller {
    callback: Option<Py<PyAny>>,
    told: Mutex<Instant>,
    error: Mutex<Option<PyErr>>,
}

impl Watch for Caller {
    fn keep_going(&self, done: u64, total: u64) -> bool {
        let heard = Python::attach(|py| {
            py.check_signals()?;
            self.tell(py, done, total)
        });
        match heard {
            Ok(()) => true,
            Err(error) => {
                *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                false
            }
        }
    }
}

impl Caller {
    fn tell(&self, py: Python<'_>, done: u64, total: u64) -> PyResult<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= INTERVAL {
            *told = Instant::now();
            callback.call1(py, (done, total))?;
        }
        Ok(())
    }
}
