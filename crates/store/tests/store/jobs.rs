//! Scenarios, jobs and files that several tests use.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use dumbbell_run::Done;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use dumbbell_store::{Advance, Job, Key, Runner, Store, Summary};
use rusqlite::Connection;

/// A folder that is removed when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("dumbbell-store-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The file of a test's store.
    pub fn file(&self) -> PathBuf {
        self.0.join("runs.sqlite")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Veno and Reno on a lossy link, for this many seconds.
pub fn scenario(seconds: u32) -> Scenario {
    let text = format!(
        "duration = \"{seconds} s\"
         [dumbbell]
         access = {{ rate = \"10 Mbit/s\", delay = \"1 ms\" }}
         bottleneck = {{ rate = \"1 Mbit/s\", delay = \"20 ms\", queue = {{ droptail = 9 }}, loss = {{ bernoulli = 0.01 }} }}
         [[flow]]
         control = \"veno\"
         [[flow]]
         control = \"reno\"
         start = {{ uniform = [\"0 s\", \"1 s\"] }}"
    );
    Scenario::parse("test", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{}", report.render(false)))
}

/// Jobs with the first seeds of a scenario, without samples.
pub fn seeds(scenario: &Scenario, count: u64) -> Vec<Job<'_>> {
    let job = |seed| Job {
        scenario,
        seed,
        probe: None,
    };
    (1..=count).map(job).collect()
}

/// Executes the jobs on two threads.
pub fn run(store: Option<&Store>, jobs: &[Job<'_>]) -> (Vec<Done>, Summary) {
    let mut results = Vec::new();
    let runner = Runner {
        store,
        threads: 2,
        interrupted: &AtomicBool::new(false),
    };
    let hundredths = AtomicU32::new(0);
    let progress = |advance: Advance| {
        hundredths.fetch_add(u32::try_from(advance.steps).unwrap(), Ordering::Relaxed);
    };
    let summary = runner.run(jobs, progress, |index, run| {
        assert_eq!(index, results.len());
        results.push(run);
    });
    assert_eq!(hundredths.into_inner() as usize, 100 * jobs.len());
    (results, summary)
}

/// The stored run of a job.
pub fn kept(store: &Store, job: &Job<'_>) -> Option<Done> {
    let key = Key::of(job.scenario, job.seed, job.probe).unwrap();
    store.get(&key).unwrap()
}

/// Opens the file with SQLite and checks its integrity.
pub fn sound(folder: &Folder) -> Connection {
    let database = Connection::open(folder.file()).unwrap();
    let check: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    let dangling: i64 = database
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(dangling, 0);
    database
}
