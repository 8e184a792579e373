//! Peers that have no business here, want too much, or stop talking. The server is up afterwards each time.

mod puts;

use std::fs;
use std::net::UdpSocket;
use std::time::Duration;

use dumbbell_transfer::{Event, Identity, Limits, Message, Peer, Server};
use quinn::{Connection, ConnectionError, VarInt};
use tokio::time::timeout;

use crate::setting::{Setting, bytes, impatient};
use crate::stranger::{beginnings, connect, read, write};

const LONG: Duration = Duration::from_secs(10);

/// The code with which the server closes a connection.
async fn closed(connection: &Connection) -> u64 {
    match timeout(LONG, connection.closed())
        .await
        .expect("the server closes it")
    {
        ConnectionError::ApplicationClosed(close) => close.error_code.into_inner(),
        other => panic!("{other}"),
    }
}

fn get(token: &str, name: &str) -> Message {
    Message::Get {
        token: token.to_owned(),
        name: name.to_owned(),
        have: None,
        sample_ms: None,
    }
}

fn put(token: &str, name: &str, size: u64) -> Message {
    Message::Put {
        token: token.to_owned(),
        name: name.to_owned(),
        size,
    }
}

#[tokio::test]
async fn a_wrong_token_ends_the_connection_and_is_counted() {
    let setting = Setting::new("token", impatient());
    fs::write(setting.served("a"), "secret").expect("ours");
    let mut wrong = setting.peer.token.clone();
    wrong.replace_range(31.., if wrong.ends_with('0') { "1" } else { "0" });
    for (n, token) in ["", &wrong, &setting.peer.token[1..]]
        .into_iter()
        .enumerate()
    {
        for request in [get(token, "a"), put(token, "b", 1)] {
            let connection = connect(setting.peer.address).await.expect("let in");
            let _streams = write(&connection, &request.encoded()).await;
            assert_eq!(closed(&connection).await, 1, "{request:?}");
        }
        assert_eq!(setting.tally().wrong_tokens, 2 * (n as u64 + 1));
    }
    let mut stranger = setting.peer.clone();
    stranger.token = wrong;
    let out = setting.folder.join("a");
    let options = crate::setting::options("reno");
    let name = crate::setting::name("a");
    let got = dumbbell_transfer::get(&stranger, &name, &out, &options, &mut |_| {}).await;
    let why = got.expect_err("it is wrong").to_string();
    assert!(why.contains("--token"), "{why}");
    assert!(!setting.served("b").exists() && !out.exists());
    setting.is_up().await;
}

#[tokio::test]
async fn a_client_with_another_fingerprint_is_told_so_and_so_is_the_server() {
    let folder = crate::setting::folder("other-pin");
    let server = Server::bind(crate::setting::serve(&folder, impatient())).expect("a free port");
    let peer = Peer {
        address: server.address(),
        pin: Identity::generate().expect("random numbers").pin(),
        token: server.token().to_owned(),
    };
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move { server.run(move |event| drop(tell.send(event))).await });
    let (name, out) = (crate::setting::name("a"), folder.join("a"));
    let options = crate::setting::options("reno");
    let got = dumbbell_transfer::get(&peer, &name, &out, &options, &mut |_| {}).await;
    let why = got.expect_err("it is another").to_string();
    assert!(why.contains("has another fingerprint"), "{why}");
    match timeout(LONG, told.recv()).await.expect("it is told") {
        Some(Event::Trouble { why, .. }) => {
            assert!(why.contains("knows another fingerprint"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    fs::remove_dir_all(folder).expect("ours");
}

#[tokio::test]
async fn what_a_client_that_stops_did_not_get_is_not_counted() {
    let setting = Setting::new("stops", impatient());
    fs::write(setting.served("a"), bytes(10_000_000)).expect("ours");
    let (address, token) = (setting.peer.address, setting.peer.token.clone());
    let stopped = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            let connection = connect(address).await.expect("let in");
            let (_send, mut answer) = write(&connection, &get(&token, "a").encoded()).await;
            assert!(matches!(read(&mut answer).await, Message::File { .. }));
            // Nothing is acknowledged meanwhile, and the server fills a buffer of a megabyte.
            std::thread::sleep(Duration::from_millis(300));
            answer.stop(VarInt::from_u32(0)).expect("it is open");
            let _ = timeout(LONG, connection.closed()).await;
        });
    });
    setting
        .until("a transfer that stopped", |tally| tally.incomplete == 1)
        .await;
    let bytes = setting.tally().bytes;
    assert!(bytes < 600_000, "{bytes}");
    let stopped = tokio::task::spawn_blocking(|| stopped.join());
    stopped.await.expect("a thread").expect("it ends");
}

#[cfg(unix)]
#[tokio::test]
async fn no_request_leads_out_of_the_folder() {
    let setting = Setting::new("out", impatient());
    fs::write(setting.folder.join("secret"), "secret").expect("ours");
    fs::create_dir(setting.served("sub")).expect("ours");
    let link = std::os::unix::fs::symlink::<&std::path::Path, _>;
    link("../secret".as_ref(), setting.served("link")).expect("ours");
    link("..".as_ref(), setting.served("up-there")).expect("ours");
    let pipe = std::process::Command::new("mkfifo")
        .arg(setting.served("pipe"))
        .status();
    assert!(pipe.expect("mkfifo").success());
    let absolute = setting.folder.join("secret");
    let absolute = absolute.to_str().expect("a name");
    let outside = [
        "../secret",
        "sub/../../secret",
        absolute,
        "link",
        "up-there/secret",
        "up-there",
        "pipe",
        "sub\\..\\..\\secret",
        "sub",
        ".",
        "",
        "no-such-file",
        "a\0b",
    ];
    let token = &setting.peer.token;
    let mut refused = 0;
    for name in outside {
        for request in [get(token, name), put(token, &format!("{name}/new"), 1)] {
            if name == "sub" && matches!(request, Message::Put { .. }) {
                continue;
            }
            let connection = connect(setting.peer.address).await.expect("let in");
            let (_send, mut answer) = write(&connection, &request.encoded()).await;
            let answer = read(&mut answer).await;
            assert!(
                matches!(answer, Message::Refused(_)),
                "{request:?}: {answer:?}"
            );
            refused += 1;
        }
    }
    assert_eq!(setting.tally().refused, refused);
    // Neither does a pipe take a file, whose writer would wait for a reader.
    let connection = connect(setting.peer.address).await.expect("let in");
    let (_send, mut answer) = write(&connection, &put(token, "pipe", 1).encoded()).await;
    assert!(matches!(read(&mut answer).await, Message::Refused(_)));
    assert!(!setting.folder.join("new").exists() && !setting.folder.join("new.part").exists());
    setting.is_up().await;
}

#[tokio::test]
async fn what_is_no_request_ends_the_connection() {
    let setting = Setting::new("malformed", impatient());
    let too_long = Message::Refused("x".repeat(3000)).encoded();
    let sent = Message::Received.encoded();
    for (n, bytes) in [
        &b"\xff\xff"[..],
        b"\x00\x02{}",
        b"\x00\x00",
        &too_long,
        &sent,
    ]
    .into_iter()
    .enumerate()
    {
        let connection = connect(setting.peer.address).await.expect("let in");
        let (mut send, _recv) = write(&connection, bytes).await;
        let _ = send.finish();
        assert_eq!(closed(&connection).await, 3, "{bytes:?}");
        setting
            .until("counted", |tally| tally.malformed == n as u64 + 1)
            .await;
    }
    setting.is_up().await;
}

#[tokio::test]
async fn a_peer_has_one_stream_and_little_room_before_its_token() {
    let setting = Setting::new("streams", impatient());
    let connection = connect(setting.peer.address).await.expect("let in");
    let (mut send, _recv) = connection.open_bi().await.expect("one");
    let short = Duration::from_millis(100);
    assert!(
        timeout(short, connection.open_bi()).await.is_err(),
        "a second stream"
    );
    assert!(
        timeout(short, connection.open_uni()).await.is_err(),
        "another kind of stream"
    );
    assert!(connection.max_datagram_size().is_none(), "datagrams");
    // The window is full before the server has read a message.
    let mut written = 0;
    while let Ok(Ok(more)) = timeout(short, send.write(&[0xff; 1000])).await {
        written += more;
        assert!(written < 50_000, "the server takes everything");
    }
    setting.is_up().await;
}

#[tokio::test]
async fn silent_and_slow_peers_are_ended() {
    let setting = Setting::new("slow", impatient());
    // Nothing is asked, or half of something.
    let silent = connect(setting.peer.address).await.expect("let in");
    assert_eq!(closed(&silent).await, 2);
    let half = connect(setting.peer.address).await.expect("let in");
    let _streams = write(&half, b"\x00\x10{").await;
    assert_eq!(closed(&half).await, 2);
    // A byte now and then.
    let put = put(&setting.peer.token, "trickle", 1_000_000);
    let slow = connect(setting.peer.address).await.expect("let in");
    let (mut send, mut answer) = write(&slow, &put.encoded()).await;
    assert!(matches!(read(&mut answer).await, Message::Have(_)));
    send.write_all(&Message::From { from: 0 }.encoded())
        .await
        .expect("it is open");
    let dripping = tokio::spawn(async move {
        while send.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    assert_eq!(closed(&slow).await, 2);
    dripping.await.expect("it ends");
    // A file is asked for, and not read.
    fs::write(setting.served("big"), bytes(20_000_000)).expect("ours");
    let deaf = connect(setting.peer.address).await.expect("let in");
    let _streams = write(&deaf, &get(&setting.peer.token, "big").encoded()).await;
    assert_eq!(closed(&deaf).await, 2);
    assert_eq!(setting.tally().slow, 4);
    setting.is_up().await;
}

/// Each time an eighth of the window has been read, the server grants more (MAX_DATA): often while the peer is unknown, and a
/// few times when it has shown its token.
#[tokio::test]
async fn a_peer_has_more_room_after_its_token() {
    let setting = Setting::new("room", impatient());
    const SIZE: usize = 3_000_000;
    let connection = connect(setting.peer.address).await.expect("let in");
    let request = put(&setting.peer.token, "a", SIZE as u64);
    let (mut send, mut answer) = write(&connection, &request.encoded()).await;
    assert!(matches!(read(&mut answer).await, Message::Have(_)));
    let end = Message::End {
        blake3: blake3::hash(&bytes(SIZE)).to_string(),
    };
    let rest = [
        &Message::From { from: 0 }.encoded(),
        &bytes(SIZE)[..],
        &end.encoded(),
    ]
    .concat();
    send.write_all(&rest).await.expect("it is open");
    assert!(matches!(
        read(&mut answer).await,
        Message::Stored { complete: true, .. }
    ));
    let granted = connection.stats().frame_rx.max_data;
    assert!(granted < 50, "{granted}");
}

#[tokio::test]
async fn a_peer_that_vanishes_leaves_its_place_and_what_it_sent() {
    let setting = Setting::new("vanished", impatient());
    // It vanishes: its runtime ends, and with it all timers and sockets, without a goodbye.
    let (address, token) = (setting.peer.address, setting.peer.token.clone());
    let gone = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(async {
            let connection = connect(address).await.expect("let in");
            let request = put(&token, "a", 1_000_000);
            let (mut send, mut answer) = write(&connection, &request.encoded()).await;
            assert!(matches!(read(&mut answer).await, Message::Have(_)));
            send.write_all(&Message::From { from: 0 }.encoded())
                .await
                .expect("it is open");
            send.write_all(&bytes(100_000)).await.expect("it is open");
            tokio::time::sleep(Duration::from_millis(200)).await;
            std::mem::forget((connection, send, answer));
        });
        std::mem::forget(runtime);
    });
    let gone = tokio::task::spawn_blocking(|| gone.join());
    gone.await.expect("a thread").expect("it ends");
    setting
        .until("a transfer that stopped", |tally| {
            tally.incomplete + tally.slow == 1
        })
        .await;
    // Its file goes on.
    fs::write(setting.folder.join("a"), bytes(1_000_000)).expect("ours");
    let report = setting.put("a", "a").await.expect("it arrives");
    assert_eq!((report.complete, report.resumed_from), (true, 100_000));
    setting.is_up().await;
}

#[tokio::test]
async fn a_flood_of_connections_leaves_room_for_others_and_passes() {
    let limits = Limits {
        connections: 20,
        per_address: 10,
        validate_from: 5,
        // Longer than the flood takes, on a busy machine, too.
        request: Duration::from_secs(8),
        ..Limits::default()
    };
    let setting = Setting::new("flood", limits);
    let flood = beginnings(200).await;
    let socket = UdpSocket::bind("127.0.0.2:0").expect("Linux has all of 127/8");
    for datagram in &flood {
        socket
            .send_to(datagram, setting.peer.address)
            .expect("loopback");
        // What the socket's buffer cannot take is lost, and no flood.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    setting
        .until("the flood", |tally| {
            tally.connections + tally.address_validations + tally.turned_away >= 200
        })
        .await;
    let tally = setting.tally();
    // Those that never show their address get few places, and another address is served at once.
    assert!(tally.connections <= 5, "{tally:?}");
    setting.is_up().await;
    // The places are free again after the handshake's time.
    setting
        .until("the end", |tally| tally.slow == tally.connections - 1)
        .await;
}

#[tokio::test]
async fn connections_with_an_address_are_limited_too() {
    let limits = Limits {
        connections: 8,
        per_address: 8,
        validate_from: 4,
        request: Duration::from_secs(3),
        ..impatient()
    };
    let setting = Setting::new("many", limits);
    let mut open = Vec::new();
    for _ in 0..8 {
        open.push(connect(setting.peer.address).await.expect("a place"));
    }
    let ninth = connect(setting.peer.address)
        .await
        .expect_err("there is no place");
    assert!(
        matches!(ninth, ConnectionError::ConnectionClosed(_)),
        "{ninth}"
    );
    let why = setting
        .get("a", "a")
        .await
        .expect_err("there is no place")
        .to_string();
    assert!(why.contains("try again"), "{why}");
    assert_eq!(setting.tally().turned_away, 2);
    assert_eq!(setting.tally().address_validations, 4);
    open.pop().expect("one").close(VarInt::from_u32(0), b"");
    setting
        .until("a place", |tally| tally.connections == 8)
        .await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    setting.is_up().await;
}
