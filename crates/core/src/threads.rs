//! Work shared among threads. No other module of the core starts any.
//!
//! Items of work are numbered from 0, and threads claim them in that order. Each thread makes a worker, which owns the
//! working memory, and hands it one item after the other. A worker puts what it finds where the number of the item
//! says, so results do not depend on how many threads there are. Between two items a thread looks whether anybody still
//! wants the result ([`crate::halt`]); the calling thread goes on looking while it waits for the others.

use crate::halt::{self, HelperPost};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// How many threads may work.
#[derive(Clone, Debug)]
pub struct Threads {
    most: usize,
}

impl Threads {
    /// Up to `most` threads. Zero means as many as there are cores.
    pub fn new(most: usize) -> Self {
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = || *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from));
        Self { most: if most > 0 { most } else { cores() } }
    }

    /// The largest number of threads that work at a time.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Works on the items from 0 to `items` − 1. The calling thread works too.
    ///
    /// After an error no more items are claimed. If several items fail, the error is that of the first of them: as
    /// items are claimed in order, it is the same however many threads there are. A panic ends the work likewise and
    /// goes on in the calling thread.
    pub fn for_each<W, E>(&self, items: usize, worker: impl Fn() -> W + Sync) -> Result<(), E>
    where
        W: FnMut(usize) -> Result<(), E>,
        E: Send,
    {
        let (claims, first) = (Claims { next: AtomicUsize::new(0), items }, Mutex::new(None));
        let work = || {
            let failed = claims.work_with(&worker);
            let mut first = lock(&first);
            *first = first.take().into_iter().chain(failed).min_by_key(|(item, _)| *item);
        };
        match self.most.min(items) {
            0 | 1 => work(),
            threads => share(threads - 1, &work),
        }
        unlocked(first).map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Works on the items from 0 to `items` − 1 as [`Threads::for_each`] does, and returns what was found, in order.
    pub fn map<T, W, E>(&self, items: usize, worker: impl Fn() -> W + Sync) -> Result<Vec<T>, E>
    where
        T: Send,
        W: FnMut(usize) -> Result<T, E>,
        E: Send,
    {
        let found: Mutex<Vec<Option<T>>> = Mutex::new((0..items).map(|_| None).collect());
        self.for_each(items, || {
            let (mut work, found) = (worker(), &found);
            move |item| {
                let result = work(item)?;
                lock(found)[item] = Some(result);
                Ok(())
            }
        })?;
        Ok(unlocked(found).into_iter().map(|result| result.expect("every item was worked on")).collect())
    }
}

/// Works here and in up to so many other threads, and waits for these. It is compiled once for all kinds of work.
fn share(helpers: usize, work: &(dyn Fn() + Sync)) {
    let (post, busy, caller) = (HelperPost::new(), AtomicUsize::new(0), thread::current());
    let help = || {
        let _leave = WakeOnLeave { busy: &busy, caller: &caller };
        post.run(work);
    };
    thread::scope(|scope| {
        // Where the system gives no more threads, those that there are do the work.
        let start = |_| {
            busy.fetch_add(1, Ordering::Relaxed);
            let helper = thread::Builder::new().spawn_scoped(scope, help);
            if helper.is_err() {
                busy.fetch_sub(1, Ordering::Relaxed);
            }
            helper.ok()
        };
        let helpers: Vec<_> = (0..helpers).map_while(start).collect();
        work();
        halt::wait_while(|| busy.load(Ordering::Acquire) > 0);
        helpers.into_iter().for_each(|helper| helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
    });
}

/// What an item is taken to cost at least, in steps of [`halt::spend`].
const CLAIM: usize = 16;

/// What threads share, for this thread alone. If another came to an early end while it had it, so will the work.
pub fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What threads have shared, when they are done.
pub fn unlocked<T>(shared: Mutex<T>) -> T {
    shared.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes the calling thread when a helper has done its part, in whatever way.
struct WakeOnLeave<'a> {
    busy: &'a AtomicUsize,
    caller: &'a thread::Thread,
}

impl Drop for WakeOnLeave<'_> {
    fn drop(&mut self) {
        self.busy.fetch_sub(1, Ordering::Release);
        self.caller.unpark();
    }
}

/// The items that nobody has claimed yet.
struct Claims {
    next: AtomicUsize,
    items: usize,
}

impl Claims {
    /// Works until nothing is left to claim. Returns the item that failed, and its error.
    fn work_with<W, E>(&self, worker: impl Fn() -> W) -> Option<(usize, E)>
    where
        W: FnMut(usize) -> Result<(), E>,
    {
        let _guard = StopOnPanic(self);
        let mut next = self.claim();
        let mut work = next.is_some().then(worker)?;
        while let Some(item) = next {
            if let Err(error) = work(item) {
                self.stop();
                return Some((item, error));
            }
            next = self.claim();
        }
        None
    }

    fn claim(&self) -> Option<usize> {
        halt::spend(CLAIM);
        let item = self.next.fetch_add(1, Ordering::Relaxed);
        (item < self.items).then_some(item)
    }

    /// Leaves nothing to claim.
    fn stop(&self) {
        self.next.store(self.items, Ordering::Relaxed);
    }
}

/// Without it the other threads would work on until their result is thrown away.
struct StopOnPanic<'a>(&'a Claims);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::time::Duration;

    /// More items than can be worked on before a thread that fails gets its turn, even on a busy machine.
    const MANY: usize = 20_000;

    fn take_time<E>() -> Result<(), E> {
        thread::sleep(Duration::from_millis(1));
        Ok(())
    }

    #[test]
    fn every_item_is_worked_on_once_and_results_are_in_order() {
        for (threads, items) in [(1, 1000), (2, 1000), (5, 1000), (64, 3), (3, 0)] {
            let worked = AtomicUsize::new(0);
            let squares = Threads::new(threads).map(items, || {
                |item| {
                    worked.fetch_add(1, Ordering::Relaxed);
                    Ok::<_, Infallible>(item * item)
                }
            });
            assert_eq!(Ok((0..items).map(|item| item * item).collect()), squares);
            assert_eq!(items, worked.into_inner());
        }
    }

    #[test]
    fn as_many_threads_work_as_are_allowed_and_the_calling_one_is_among_them() {
        for most in [1, 2, 4] {
            let (all_here, names) = (Barrier::new(most), Mutex::new(HashSet::new()));
            let done = Threads::new(most).for_each(most, || {
                |_| {
                    // Nobody gets a second item before everybody has one.
                    all_here.wait();
                    lock(&names).insert(thread::current().id());
                    Ok::<_, Infallible>(())
                }
            });
            assert_eq!(Ok(()), done);
            let names = unlocked(names);
            assert_eq!((most, true), (names.len(), names.contains(&thread::current().id())));
        }
    }

    #[test]
    fn a_worker_is_made_for_each_thread_and_none_where_there_is_nothing_to_do() {
        for (items, most) in [(0, 0), (1, 1), (100, 3)] {
            let made = AtomicUsize::new(0);
            let done = Threads::new(3).for_each(items, || {
                made.fetch_add(1, Ordering::Relaxed);
                |_| Ok::<_, Infallible>(())
            });
            assert_eq!(Ok(()), done);
            assert!(made.into_inner() <= most);
        }
    }

    #[test]
    fn the_error_is_that_of_the_first_item_that_fails() {
        for threads in [1, 2, 8] {
            for _ in 0..50 {
                let failing = |item| if item % 10 == 7 { Err(item) } else { Ok(()) };
                assert_eq!(Err(7), Threads::new(threads).for_each(1000, || failing));
            }
        }
    }

    #[test]
    fn an_error_stops_the_others() {
        let worked = AtomicUsize::new(0);
        let failed = Threads::new(2).for_each(MANY, || {
            |item| {
                worked.fetch_add(1, Ordering::Relaxed);
                if item == 3 { Err("no") } else { take_time() }
            }
        });
        assert_eq!(Err("no"), failed);
        assert!(worked.into_inner() < MANY);
    }

    #[test]
    fn a_panic_goes_on_in_the_calling_thread_and_stops_the_others() {
        for threads in [1, 4] {
            let worked = AtomicUsize::new(0);
            let work = || {
                Threads::new(threads).for_each(MANY, || {
                    |item| {
                        worked.fetch_add(1, Ordering::Relaxed);
                        assert!(item != 5, "item five");
                        take_time::<Infallible>()
                    }
                })
            };
            let panic = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
            assert_eq!(Some(&"item five"), panic.downcast_ref::<&str>());
            assert!(worked.into_inner() < MANY);
        }
    }

    #[test]
    fn zero_threads_are_as_many_as_there_are_cores() {
        assert_eq!(thread::available_parallelism().map_or(1, usize::from), Threads::new(0).most());
        assert_eq!(7, Threads::new(7).most());
    }

    /// Loses interest at the second look.
    struct Impatient(AtomicUsize);

    impl halt::Watch for Impatient {
        fn keep_going(&self, _: u64, _: u64) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) < 1
        }
    }

    #[test]
    fn work_that_nobody_wants_ends_in_every_thread_also_while_the_caller_waits() {
        // Work that is not stopped takes twice the patience, which is long, so that a busy machine does not use it up.
        let patience = Duration::from_secs(300);
        for (threads, items) in [(1, 1), (3, 3), (3, MANY)] {
            let caller = thread::current().id();
            let work = || {
                Threads::new(threads).for_each(items, || {
                    |_| {
                        let lasts = threads == 1 || thread::current().id() != caller;
                        let end = std::time::Instant::now() + if lasts { 2 * patience } else { Duration::ZERO };
                        while std::time::Instant::now() < end {
                            halt::spend(1);
                        }
                        take_time::<Infallible>()
                    }
                })
            };
            let started = std::time::Instant::now();
            assert_eq!(Err(halt::Halt::Stopped), halt::run(std::sync::Arc::new(Impatient(0.into())), work));
            assert!(started.elapsed() < patience);
        }
    }
}
