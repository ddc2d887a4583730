//! What ends work before it is done: somebody who no longer wants the result, or want of memory.
//!
//! Both are noticed deep inside loops that have nothing to say about either, and what is half done then is of no use to
//! anybody. So work ends by unwinding, as after a panic, but without a message: [`run`] starts it and catches the end.
//! Loops that may last tell what they do with [`spend`]; it costs three instructions, and looks around after some
//! milliseconds of work. Vectors that grow with a text grow with [`reserve`] and [`resize`].
//!
//! Only the thread that called [`run`] asks its watch; the others ask whether that one has stopped. Without a watch
//! nothing is asked.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Somebody who waits for the result, may lose interest, and likes to hear how far the work is.
pub trait Watch: Send + Sync {
    /// Whether to go on. `done` of `total` parts are done; a total of 0 says that nobody knows.
    fn keep_going(&self, done: u64, total: u64) -> bool;
}

/// Why work ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The watch said so.
    Stopped,
    /// There was no memory for what was to be kept.
    OutOfMemory,
}

/// How often the watch is asked.
const INTERVAL: Duration = Duration::from_millis(50);

/// How much may be spent before the next look: some milliseconds at ten to a hundred nanoseconds a step.
const BUDGET: usize = 1 << 16;

/// What the threads of one piece of work share.
struct Shared {
    watch: Arc<dyn Watch>,
    stopped: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

/// A thread's part in a piece of work.
#[derive(Clone)]
struct Post {
    shared: Arc<Shared>,
    /// When the watch was asked last; None in a thread that does not ask it.
    asked: Option<Instant>,
}

thread_local! {
    static POST: RefCell<Option<Post>> = const { RefCell::new(None) };
    static LEFT: Cell<usize> = const { Cell::new(BUDGET) };
}

/// Does some work under a watch.
pub fn run<T>(watch: Arc<dyn Watch>, work: impl FnOnce() -> T) -> Result<T, Halt> {
    let shared = Shared { watch, stopped: false.into(), done: 0.into(), total: 0.into() };
    let post = Post { shared: Arc::new(shared), asked: Some(Instant::now()) };
    catch_unwind(AssertUnwindSafe(|| at_post(Some(post), work)))
        .map_err(|end| end.downcast::<Halt>().map_or_else(|panic| resume_unwind(panic), |halt| *halt))
}

/// Does some work that is too short for a watch. It ends early only for want of memory.
pub fn run_briefly<T>(work: impl FnOnce() -> T) -> Result<T, Halt> {
    catch_unwind(AssertUnwindSafe(|| at_post(None, work)))
        .map_err(|end| end.downcast::<Halt>().map_or_else(|panic| resume_unwind(panic), |halt| *halt))
}

/// A helper's part in the work that this thread does.
pub(crate) struct HelperPost(Option<Post>);

impl HelperPost {
    pub fn new() -> Self {
        Self(POST.with_borrow(|post| post.as_ref().map(|post| Post { shared: post.shared.clone(), asked: None })))
    }

    /// Does some work in the helper's thread.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        at_post(self.0.clone(), work)
    }
}

fn at_post<T>(post: Option<Post>, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there before, however the work ends.
    struct Leave(Option<Post>);
    impl Drop for Leave {
        fn drop(&mut self) {
            POST.set(self.0.take());
        }
    }
    let _leave = Leave(POST.replace(post));
    work()
}

/// Says that some work was done, in steps of ten to a hundred nanoseconds. Ends the work if nobody wants it any more.
#[inline]
pub fn spend(steps: usize) {
    let left = LEFT.get();
    if left < steps { look() } else { LEFT.set(left - steps) }
}

/// Ends the work if nobody wants it any more.
#[cold]
pub fn look() {
    LEFT.set(BUDGET);
    let ask = POST.with_borrow_mut(|post| {
        let Post { shared, asked } = post.as_mut()?;
        let is_due = asked.is_some_and(|asked| asked.elapsed() >= INTERVAL);
        if is_due {
            *asked = Some(Instant::now());
        }
        Some((shared.clone(), is_due))
    });
    let Some((shared, is_due)) = ask else { return };
    // The post is not borrowed while the watch is asked: it may start work of its own.
    if is_due && !shared.watch.keep_going(shared.done.load(Ordering::Relaxed), shared.total.load(Ordering::Relaxed)) {
        shared.stopped.store(true, Ordering::Relaxed);
    }
    if shared.stopped.load(Ordering::Relaxed) {
        end(Halt::Stopped);
    }
}

/// Looks around as long as helpers work; they wake this thread when they are done.
pub(crate) fn wait_while(is_busy: impl Fn() -> bool) {
    while is_busy() {
        thread::park_timeout(INTERVAL / 2);
        look();
    }
}

/// Says how many parts the work has. Who says so first, knows: what is called for a part does not.
pub fn expect(total: usize) {
    POST.with_borrow(|post| {
        if let Some(Post { shared, .. }) = post {
            let _ = shared.total.compare_exchange(0, total as u64, Ordering::Relaxed, Ordering::Relaxed);
        }
    });
}

/// Says that so many more parts are done.
pub fn advance(parts: usize) {
    POST.with_borrow(|post| {
        if let Some(Post { shared, .. }) = post {
            shared.done.fetch_add(parts as u64, Ordering::Relaxed);
        }
    });
}

/// Makes room for `more` values in a vector that grows with a text. Ends the work if there is no memory.
#[inline]
pub fn reserve<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more && values.try_reserve(more).is_err() {
        end(Halt::OutOfMemory);
    }
}

/// A copy of a text. Ends the work if there is no memory.
pub fn copied<T: Copy>(values: &[T]) -> Vec<T> {
    let mut copy = Vec::new();
    reserve(&mut copy, values.len());
    copy.extend_from_slice(values);
    copy
}

/// Lets a vector that grows with a text hold `length` values, the new ones all `value`.
#[inline]
pub fn resize<T: Clone>(values: &mut Vec<T>, length: usize, value: T) {
    if values.capacity() < length {
        reserve(values, length - values.len());
    }
    if length > MUCH {
        // A copy, so that the value itself stays in a register.
        fill(values, length, value.clone());
    }
    values.resize(length, value);
}

/// Values that take some ten milliseconds to write, in memory that was never used before.
const MUCH: usize = 1 << 22;

/// Lengthens a vector bit by bit, and looks around.
#[cold]
#[inline(never)]
fn fill<T: Clone>(values: &mut Vec<T>, length: usize, value: T) {
    while values.len() + MUCH < length {
        values.resize(values.len() + MUCH, value.clone());
        look();
    }
}

#[cold]
fn end(halt: Halt) -> ! {
    resume_unwind(Box::new(halt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Goes on for so many looks, and notes what it is told.
    struct Patient(AtomicU64, Mutex<Vec<(u64, u64)>>);

    impl Patient {
        fn new(looks: u64) -> Arc<Self> {
            Arc::new(Self(looks.into(), Mutex::default()))
        }
    }

    impl Watch for Patient {
        fn keep_going(&self, done: u64, total: u64) -> bool {
            self.1.lock().unwrap().push((done, total));
            self.0.fetch_sub(1, Ordering::Relaxed) > 0
        }
    }

    fn toil(seconds: u64) {
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end {
            spend(1);
        }
    }

    #[test]
    fn work_that_nobody_wants_ends_soon() {
        let started = Instant::now();
        assert_eq!(Err(Halt::Stopped), run(Patient::new(1), || toil(60)));
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn work_that_is_wanted_is_done_and_tells_how_far_it_is() {
        let watch = Patient::new(1000);
        let work = || {
            expect(2);
            expect(7);
            advance(1);
            toil(1);
            "done"
        };
        assert_eq!(Ok("done"), run(watch.clone(), work));
        assert_eq!(Some(&(1, 2)), watch.1.lock().unwrap().last());
    }

    #[test]
    fn work_without_memory_ends() {
        let mut values: Vec<u64> = Vec::new();
        assert_eq!(Err(Halt::OutOfMemory), run(Patient::new(0), || reserve(&mut values, usize::MAX / 16)));
    }

    #[test]
    fn nobody_is_asked_where_nobody_watches() {
        spend(BUDGET + 1);
        look();
    }

    #[test]
    fn work_within_work_has_a_watch_of_its_own() {
        let outer = Patient::new(1000);
        let inner = || run(Patient::new(0), || toil(60));
        let work = || {
            let found = inner();
            toil(1);
            found
        };
        assert_eq!(Ok(Err(Halt::Stopped)), run(outer, work));
    }
}
