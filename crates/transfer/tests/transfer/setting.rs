//! A server in a folder of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dumbbell_transfer::{
    Error, Identity, Limits, Name, Options, Patience, Peer, Report, Serve, Server, Tally, Token,
    get, put,
};

use crate::stranger::in_time;

pub struct Setting {
    pub folder: PathBuf,
    pub peer: Peer,
    server: Arc<Server>,
}

/// A folder of one test.
pub fn folder(name: &str) -> PathBuf {
    let path =
        std::env::temp_dir().join(format!("dumbbell-transfer-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(path.join("served")).expect("a folder of our own");
    path
}

/// Limits under which a test does not wait long.
pub fn impatient() -> Limits {
    Limits {
        request: Duration::from_secs(1),
        patience: Patience {
            span: Duration::from_secs(2),
            least: 1024,
        },
        ..Limits::default()
    }
}

/// What a test's server has.
pub fn serve(folder: &Path, limits: Limits) -> Serve {
    Serve {
        root: folder.join("served"),
        listen: "127.0.0.1:0".parse().expect("an address"),
        control: "veno".parse().expect("a control"),
        token: Token::random().expect("random numbers"),
        identity: Identity::generate().expect("random numbers"),
        allow_put: true,
        limits,
        qlog: None,
    }
}

impl Setting {
    pub fn new(name: &str, limits: Limits) -> Self {
        let folder = folder(name);
        let serve = serve(&folder, limits);
        Self::of(folder, serve)
    }

    pub fn of(folder: PathBuf, serve: Serve) -> Self {
        let server = Arc::new(Server::bind(serve).expect("a free port"));
        let peer = Peer {
            address: server.address(),
            pin: server.pin(),
            token: server.token().to_owned(),
        };
        let running = Arc::clone(&server);
        // What happens is seen if a test fails.
        tokio::spawn(async move { running.run(|event| println!("{event:?}")).await });
        Self {
            folder,
            peer,
            server,
        }
    }

    /// A file at the server.
    pub fn served(&self, name: &str) -> PathBuf {
        self.folder.join("served").join(name)
    }

    pub fn tally(&self) -> Tally {
        self.server.tally()
    }

    pub async fn get(&self, file: &str, out: &str) -> Result<Report, Error> {
        let out = self.folder.join(out);
        in_time(get(
            &self.peer,
            &name(file),
            &out,
            &options("reno"),
            &mut |_| {},
        ))
        .await
    }

    pub async fn put(&self, file: &str, to: &str) -> Result<Report, Error> {
        let file = self.folder.join(file);
        in_time(put(
            &self.peer,
            &file,
            &name(to),
            &options("reno"),
            &mut |_| {},
        ))
        .await
    }

    /// Waits until the server's counts are so, for at most 30 s.
    pub async fn until(&self, what: &str, so: impl Fn(&Tally) -> bool) {
        let start = Instant::now();
        while !so(&self.tally()) {
            let tally = self.tally();
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{what}: {tally:?}"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the server has so many bytes of a file, for at most 30 s.
    pub async fn until_stored(&self, name: &str, length: u64) {
        let start = Instant::now();
        while std::fs::metadata(self.served(name)).map_or(0, |it| it.len()) < length {
            assert!(start.elapsed() < Duration::from_secs(30), "{name}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Whether the server still does its work.
    pub async fn is_up(&self) {
        std::fs::write(self.served("up"), "up").expect("ours");
        let out = format!("up-{:?}", Instant::now());
        let report = self.get("up", &out).await.expect("the server is up");
        assert!(report.complete);
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

pub fn options(control: &str) -> Options {
    Options::new(control.parse().expect("a control"))
}

/// Bytes that do not repeat soon.
pub fn bytes(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    (0..length).map(next).collect()
}
