//! Servers with the right certificate and wrong answers. What a client has is what it had before, or it is not there.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use dumbbell_transfer::{
    Error, Identity, Message, Options, Patience, Peer, Prefix, Report, RoundTrips, Statistics, get,
    put,
};
use quinn::{Endpoint, ServerConfig};

use crate::setting::{folder, name, options};
use crate::stranger::{in_time, read};

/// A server that has one answer to each request, whatever it is.
struct False {
    folder: PathBuf,
    peer: Peer,
}

impl False {
    fn new(name: &str, answer: Vec<u8>) -> Self {
        let identity = Identity::generate().expect("random numbers");
        let tls = identity.server(b"dumbbell-transfer/1").expect("TLS 1.3");
        let any = "127.0.0.1:0".parse().expect("an address");
        let endpoint = Endpoint::server(ServerConfig::with_crypto(tls), any).expect("a port");
        let peer = Peer {
            address: endpoint.local_addr().expect("bound"),
            pin: identity.pin(),
            token: "any-token-at-all".to_owned(),
        };
        tokio::spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                let connection = incoming.await.expect("a client");
                let (mut send, mut recv) = connection.accept_bi().await.expect("a request");
                read(&mut recv).await;
                send.write_all(&answer).await.expect("it is open");
                // Its streams stay open.
                tokio::spawn(async move {
                    connection.closed().await;
                    drop((send, recv));
                });
            }
        });
        Self {
            folder: folder(&format!("false-{name}")),
            peer,
        }
    }

    async fn get(&self) -> Result<Report, Error> {
        let out = self.folder.join("a");
        in_time(get(&self.peer, &name("a"), &out, &impatient(), &mut |_| {})).await
    }

    /// What the client has: the file, and the part.
    fn there(&self) -> [Option<Vec<u8>>; 2] {
        ["a", "a.part"].map(|name| fs::read(self.folder.join(name)).ok())
    }
}

impl Drop for False {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn impatient() -> Options {
    Options {
        patience: Patience {
            span: Duration::from_secs(1),
            least: 1024,
        },
        ..options("reno")
    }
}

fn file(size: u64, from: u64, bytes: &[u8]) -> Vec<u8> {
    [&Message::File { size, from }.encoded(), bytes].concat()
}

fn sent(of: &[u8]) -> Vec<u8> {
    let sender = Statistics {
        control: "reno".to_owned(),
        sent_packets: 1,
        lost_packets: 0,
        sent_bytes: 1,
        lost_bytes: 0,
        acked_bytes: 1,
        congestion_events: 0,
        rtt: RoundTrips::default(),
        window_bytes: 1,
        mtu_bytes: 1200,
        samples: Vec::new(),
    };
    let blake3 = blake3::hash(of).to_string();
    Message::Sent { blake3, sender }.encoded()
}

#[tokio::test]
async fn a_file_goes_on_after_what_is_there_or_begins_again_and_nowhere_else() {
    for (case, (part, answer)) in [
        (&b""[..], file(10, 5, b"56789")),
        (b"one", file(10, 2, b"23456789")),
        (b"one", file(10, 4, b"456789")),
        (b"one", file(2, 3, b"")),
        (b"one", file(10, u64::MAX, b"3456789")),
    ]
    .into_iter()
    .enumerate()
    {
        let server = False::new(&format!("place-{case}"), answer);
        if !part.is_empty() {
            fs::write(server.folder.join("a.part"), part).expect("ours");
        }
        let why = server.get().await.expect_err("it is nowhere");
        assert!(matches!(why, Error::Protocol(_)), "{case}: {why}");
        let before = (!part.is_empty()).then(|| part.to_vec());
        assert_eq!(server.there(), [None, before], "{case}");
    }
}

#[tokio::test]
async fn bytes_that_are_not_those_of_the_hash_are_no_file() {
    let right = False::new("right", [file(3, 0, b"one"), sent(b"one")].concat());
    assert!(right.get().await.expect("it arrives").complete);
    assert_eq!(right.there(), [Some(b"one".to_vec()), None]);
    let wrong = False::new("wrong", [file(3, 0, b"one"), sent(b"two")].concat());
    let why = wrong.get().await.expect_err("it is another");
    assert!(why.to_string().contains("other bytes"), "{why}");
    assert_eq!(wrong.there(), [None, None]);
}

#[tokio::test]
async fn what_is_no_answer_ends_the_transfer() {
    for (case, answer) in [
        Message::Received.encoded(),
        b"\x00\x02{}".to_vec(),
        // Bytes after the file, where a message is due.
        file(3, 0, b"one\x00\x02{}"),
    ]
    .into_iter()
    .enumerate()
    {
        let server = False::new(&format!("none-{case}"), answer);
        let why = server.get().await.expect_err("it is none");
        assert!(matches!(why, Error::Protocol(_)), "{case}: {why}");
        assert_eq!(server.there()[0], None, "{case}");
    }
}

#[tokio::test]
async fn a_server_that_stops_sending_is_left() {
    let server = False::new("stops", file(1_000_000, 0, b"one"));
    let begun = Instant::now();
    let why = server.get().await.expect_err("it stops");
    assert!(matches!(why, Error::Lost(_)), "{why}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{why}");
    // What came is kept for another attempt.
    assert_eq!(server.there(), [None, Some(b"one".to_vec())]);
}

/// Of a file that the server claims to have the beginning of, and has not, all is sent.
#[tokio::test]
async fn a_put_goes_on_only_after_its_own_bytes() {
    let have = Message::Have(Prefix {
        length: 2,
        blake3: blake3::hash(b"tw").to_string(),
    });
    let stored = Message::Stored {
        length: 3,
        complete: true,
    };
    let server = False::new("have", [have.encoded(), stored.encoded()].concat());
    let path = server.folder.join("mine");
    fs::write(&path, "one").expect("ours");
    let (target, options) = (name("a"), impatient());
    let report = in_time(put(&server.peer, &path, &target, &options, &mut |_| {})).await;
    assert_eq!(report.expect("it says so").resumed_from, 0);
}
