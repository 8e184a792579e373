//! Servers and clients as processes: their memory, and their death.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dumbbell_transfer::{Limits, Message, Peer, Server, get, put};

use crate::liar;
use crate::setting::{Setting, bytes, folder, impatient, name, options, serve};
use crate::stranger::{beginnings, connect, write};

/// What a child process does, in this variable; its arguments are in others.
const ROLE: &str = "DUMBBELL_TRANSFER_ROLE";

fn variable(name: &str) -> String {
    std::env::var(name).expect(name)
}

/// Starts this program again, as another one.
fn child(role: &str, variables: &[(&str, &str)]) -> Child {
    let own = std::env::current_exe().expect("this program");
    let mut command = Command::new(own);
    command.args(["--exact", "process::as_a_child", "--ignored", "--nocapture"]);
    command.env(ROLE, role).envs(variables.iter().copied());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("this program")
}

#[tokio::test]
#[ignore = "it is what other tests start as a process"]
async fn as_a_child() {
    let folder = variable("FOLDER");
    let folder = Path::new(&folder);
    match variable(ROLE).as_str() {
        role @ ("serve" | "serve-impatient") => {
            let limits = match role {
                "serve" => Limits::default(),
                _ => impatient(),
            };
            let server = Server::bind(serve(folder, limits)).expect("a free port");
            println!(
                "\nserver {} {} {}",
                server.address(),
                server.pin(),
                server.token()
            );
            server.run(|_| {}).await;
        }
        role => {
            let peer = Peer {
                address: variable("ADDRESS").parse().expect("an address"),
                pin: variable("PIN").parse().expect("a fingerprint"),
                token: variable("TOKEN"),
            };
            let (file, options) = (folder.join("a"), options("reno"));
            let report = match role {
                "get" => get(&peer, &name("a"), &file, &options, &mut |_| {}).await,
                _ => put(&peer, &file, &name("a"), &options, &mut |_| {}).await,
            };
            report.expect("it arrives, if nothing happens");
        }
    }
}

/// A process that has to end.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Kills a client in the middle of its transfer, and returns the length of its partial file.
fn killed(setting: &Setting, role: &str, part: &Path) -> u64 {
    let (address, pin) = (
        setting.peer.address.to_string(),
        setting.peer.pin.to_string(),
    );
    let variables = [
        ("ADDRESS", &*address),
        ("PIN", &pin),
        ("TOKEN", &setting.peer.token),
        ("FOLDER", setting.folder.to_str().expect("a name")),
    ];
    let mut client = Ended(child(role, &variables));
    let start = Instant::now();
    loop {
        let length = fs::metadata(part).map_or(0, |part| part.len());
        if length > 1_000_000 {
            // SIGKILL, on Unix.
            client.0.kill().expect("it runs");
            client.0.wait().expect("it ends");
            return fs::metadata(part).expect("it is there").len();
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{length}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Makes a file of zeros, or cuts one, that takes no place on the disk.
fn zeros(path: &Path, length: u64) {
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).open(path);
    file.expect("ours").set_len(length).expect("a sparse file");
}

/// So long that no transfer ends before it is killed.
const ENDLESS: u64 = 1 << 40;
/// What the file keeps after what has arrived. A server may still receive what was on its way.
const REST: u64 = 20_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_get_whose_client_is_killed_goes_on() {
    let setting = Setting::new("kill-get", impatient());
    zeros(&setting.served("a"), ENDLESS);
    let there = killed(&setting, "get", &setting.folder.join("a.part"));
    zeros(&setting.served("a"), there + REST);
    let report = setting.get("a", "a").await.expect("it arrives");
    assert_eq!((report.complete, report.resumed_from), (true, there));
    assert_eq!(report.transferred, REST);
    let whole = fs::read(setting.folder.join("a")).expect("it is there");
    assert!(whole.len() as u64 == there + REST && whole.iter().all(|byte| *byte == 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_put_whose_client_is_killed_goes_on_at_once() {
    // The server waits long for the client that was killed, but not when it comes again.
    let setting = Setting::new("kill-put", Limits::default());
    zeros(&setting.folder.join("a"), ENDLESS);
    let there = killed(&setting, "put", &setting.served("a.part"));
    zeros(&setting.folder.join("a"), there + REST);
    let again = Instant::now();
    let report = setting.put("a", "a").await.expect("it arrives");
    assert!(
        report.complete && report.resumed_from >= there,
        "{report:?}"
    );
    assert!(
        again.elapsed() < Limits::default().patience.span,
        "{:?}",
        again.elapsed()
    );
    let whole = fs::read(setting.served("a")).expect("it is there");
    assert!(whole.len() as u64 == there + REST && whole.iter().all(|byte| *byte == 0));
}

/// A server in a process of its own, whose memory is its own.
#[cfg(target_os = "linux")]
struct Apart {
    child: Ended,
    peer: Peer,
    folder: std::path::PathBuf,
}

#[cfg(target_os = "linux")]
impl Apart {
    fn new(name: &str) -> Self {
        Self::of(name, "serve")
    }

    fn of(name: &str, role: &str) -> Self {
        let folder = folder(name);
        let variables = [("FOLDER", folder.to_str().expect("a name"))];
        let mut child = Ended(child(role, &variables));
        let out = child.0.stdout.take().expect("piped");
        let hello = BufReader::new(out).lines().map(|line| line.expect("text"));
        let hello = hello.into_iter().find(|line| line.starts_with("server "));
        let hello = hello.expect("it starts");
        let words: Vec<&str> = hello.split(' ').collect();
        let peer = Peer {
            address: words[1].parse().expect("an address"),
            pin: words[2].parse().expect("a fingerprint"),
            token: words[3].to_owned(),
        };
        Self {
            child,
            peer,
            folder,
        }
    }

    /// A request for a file.
    fn get(&self, name: &str) -> Vec<u8> {
        Message::Get {
            token: self.peer.token.clone(),
            name: name.to_owned(),
            have: None,
            sample_ms: None,
        }
        .encoded()
    }

    /// Its resident memory in kB: now, and at most so far.
    fn memory(&self) -> (u64, u64) {
        let status = format!("/proc/{}/status", self.child.0.id());
        let status = fs::read_to_string(status).expect("it runs");
        let of = |key: &str| {
            let line = status.lines().find(|line| line.starts_with(key));
            let words = line.and_then(|line| line.split_whitespace().nth(1));
            words.and_then(|kb| kb.parse().ok()).expect(key)
        };
        (of("VmRSS:"), of("VmHWM:"))
    }

    /// Checks that it is up, and that its memory has grown by no more than this.
    async fn is_up_within(&self, before: u64, kb: u64, what: &str) {
        let (now, most) = self.memory();
        println!("{what}: {before} kB before, {now} kB after, {most} kB at most");
        assert!(
            most < before + kb,
            "{what}: {before} kB before, {most} kB at most"
        );
        fs::write(self.folder.join("served/up"), "up").expect("ours");
        let out = self.folder.join(format!("up-{:?}", Instant::now()));
        let start = Instant::now();
        // Its own address has no places left until the handshakes' time is over.
        loop {
            match get(&self.peer, &name("up"), &out, &options("reno"), &mut |_| {}).await {
                Ok(report) => break assert!(report.complete),
                Err(why) => assert!(start.elapsed() < Duration::from_secs(60), "{why}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Apart {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_flood_of_a_thousand_connections_costs_little_memory() {
    let server = Apart::new("memory-flood");
    // What a first connection needs once is no part of it.
    drop(connect(server.peer.address).await);
    let flood = beginnings(1000).await;
    let before = server.memory().0;
    // From a thousand ports at four addresses, several times, as fast as it goes.
    let sockets: Vec<_> = (0..1000)
        .map(|n| UdpSocket::bind(format!("127.0.0.{}:0", 2 + n % 4)).expect("a port"))
        .collect();
    for _ in 0..5 {
        for (socket, datagram) in sockets.iter().zip(&flood) {
            socket
                .send_to(datagram, server.peer.address)
                .expect("loopback");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    server.is_up_within(before, 20_000, "a flood").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_thousand_slow_peers_cost_little_memory() {
    let server = Apart::new("memory-slow");
    drop(connect(server.peer.address).await);
    let before = server.memory().0;
    let mut open = Vec::new();
    let mut refused = 0;
    for _ in 0..1000 {
        match connect(server.peer.address).await {
            Ok(connection) => {
                let streams = write(&connection, b"\x07\xff{").await;
                open.push((connection, streams));
            }
            Err(_) => refused += 1,
        }
    }
    // The server lets 16 of them in at a time, for 5 s.
    assert!(refused > 500, "{refused}");
    server.is_up_within(before, 20_000, "slow peers").await;
}

/// `PROTOCOL_VIOLATION` (RFC 9000, section 20.1), which an acknowledgement of a packet that was never sent is (section
/// 13.1).
const PROTOCOL_VIOLATION: u64 = 0x0a;

#[cfg(target_os = "linux")]
#[tokio::test]
async fn acknowledgements_of_what_was_never_sent_end_the_connection_and_cost_little_memory() {
    let server = Apart::new("memory-liars");
    fs::write(server.folder.join("served/large"), bytes(10_000_000)).expect("ours");
    drop(connect(server.peer.address).await);
    let before = server.memory().0;
    let mut forgotten = 0;
    for _ in 0..200 {
        let Ok(liar) = liar::connect(server.peer.address).await else {
            forgotten += 1;
            continue;
        };
        // On a slow machine it lies before it asks.
        if let Ok((mut send, mut answer)) = liar.open_bi().await {
            let _ = send.write_all(&server.get("large")).await;
            while let Ok(Some(_)) = answer.read_chunk(usize::MAX, true).await {}
        }
        match liar::caught(&liar).await {
            Some(code) => assert_eq!(code, PROTOCOL_VIOLATION),
            None => forgotten += 1,
        }
    }
    println!("{forgotten} of 200 were told nothing");
    assert!(forgotten < 100, "{forgotten}");
    server.is_up_within(before, 20_000, "liars").await;
}

/// Peers that ask for a large file, take the beginning, and vanish: their runtime ends, and with it all timers and
/// sockets, without a goodbye.
#[cfg(target_os = "linux")]
fn vanish(address: std::net::SocketAddr, request: &[u8], count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut open = Vec::new();
        while open.len() < count {
            // Those of the round before keep their places for a while.
            let Ok(peer) = connect(address).await else {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let streams = write(&peer, request).await;
            open.push((peer, streams));
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        std::mem::forget(open);
    });
    std::mem::forget(runtime);
}

/// What is on its way to a peer that is gone is kept until its time is over: at most 4 MiB each, of 16 peers.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn peers_that_vanish_in_their_transfers_cost_no_more_than_their_windows() {
    const AT_A_TIME: usize = 15;
    let server = Apart::of("memory-vanished", "serve-impatient");
    fs::write(server.folder.join("served/large"), bytes(20_000_000)).expect("ours");
    drop(connect(server.peer.address).await);
    let before = server.memory().0;
    let bound = AT_A_TIME as u64 * (Limits::default().send_window >> 10) + 20_000;
    for round in 1..=4 {
        let (address, request) = (server.peer.address, server.get("large"));
        let gone = std::thread::spawn(move || vanish(address, &request, AT_A_TIME));
        let gone = tokio::task::spawn_blocking(|| gone.join());
        gone.await.expect("a thread").expect("it ends");
        let what = format!("{} that vanished", round * AT_A_TIME);
        server.is_up_within(before, bound, &what).await;
    }
}
