//! Peers that have no business here, want too much, or stop talking. The server is up afterwards each time.

use std::fs;
use std::net::UdpSocket;
use std::time::Duration;

use dumbbell_transfer::{Limits, Message};
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

#[tokio::test]
async fn a_put_is_refused_if_it_is_too_large_or_not_allowed() {
    let limits = Limits {
        put_size: 1000,
        ..impatient()
    };
    let setting = Setting::new("large", limits);
    fs::write(setting.folder.join("a"), bytes(1001)).expect("ours");
    let why = setting
        .put("a", "a")
        .await
        .expect_err("it is too large")
        .to_string();
    assert!(why.contains("1000 bytes"), "{why}");
    // More bytes than were announced are no part of the file.
    let connection = connect(setting.peer.address).await.expect("let in");
    let request = put(&setting.peer.token, "b", 10);
    let (mut send, mut answer) = write(&connection, &request.encoded()).await;
    assert!(matches!(read(&mut answer).await, Message::Have(_)));
    send.write_all(&Message::From { from: 0 }.encoded())
        .await
        .expect("it is open");
    // The server may end it before all is written.
    let _ = send.write_all(&[b'x'; 5000]).await;
    assert_eq!(closed(&connection).await, 3);
    assert!(!setting.served("b").exists());
    let stored = fs::metadata(setting.served("b.part"))
        .expect("the beginning")
        .len();
    assert_eq!(stored, 10);

    let folder = crate::setting::folder("no-put");
    let mut serve = crate::setting::serve(&folder, impatient());
    serve.allow_put = false;
    let setting = Setting::of(folder, serve);
    fs::write(setting.folder.join("a"), "a").expect("ours");
    let why = setting
        .put("a", "a")
        .await
        .expect_err("not allowed")
        .to_string();
    assert!(why.contains("--allow-put"), "{why}");
    assert!(!setting.served("a.part").exists());
}

/// Each file takes 4096 bytes more than it has.
#[tokio::test]
async fn a_put_goes_on_after_what_is_there_or_begins_again_and_nowhere_else() {
    let setting = Setting::new("place", impatient());
    fs::write(setting.served("a.part"), bytes(100)).expect("ours");
    for (n, from) in [50, 99, 101, 1000, u64::MAX].into_iter().enumerate() {
        let connection = connect(setting.peer.address).await.expect("let in");
        let request = put(&setting.peer.token, "a", 1000);
        let (mut send, mut answer) = write(&connection, &request.encoded()).await;
        let Message::Have(have) = read(&mut answer).await else {
            panic!("no answer");
        };
        assert_eq!(have.length, 100);
        let rest = [&Message::From { from }.encoded(), &b"xyz"[..]].concat();
        send.write_all(&rest).await.expect("it is open");
        assert_eq!(closed(&connection).await, 3, "{from}");
        assert_eq!(setting.tally().malformed, n as u64 + 1);
        assert!(fs::read(setting.served("a.part")).expect("it is there") == bytes(100));
    }
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
async fn many_files_do_not_fill_the_disk() {
    let limits = Limits {
        put_total: 20_000,
        ..impatient()
    };
    let setting = Setting::new("total", limits);
    let file = |name: &str, length| {
        fs::write(setting.folder.join(name), bytes(length)).expect("ours");
    };
    file("large", 16_000);
    file("some", 7000);
    file("empty", 0);
    let refused = async |name: &str, to: &str| {
        let why = setting
            .put(name, to)
            .await
            .expect_err("too much")
            .to_string();
        assert!(why.contains("--put-total"), "{why}");
        assert!(!setting.served(to).exists() && !setting.served(&format!("{to}.part")).exists());
    };
    // 20096 bytes are too many, and a refusal costs nothing.
    refused("large", "a").await;
    setting.put("some", "a").await.expect("11096 of 20000");
    // What is there already costs nothing.
    setting.put("some", "a").await.expect("it is the same");
    setting.put("empty", "b").await.expect("15192 of 20000");
    refused("some", "c").await;
    setting.put("empty", "c").await.expect("19288 of 20000");
    refused("empty", "d").await;
    setting.is_up().await;
}

#[tokio::test]
async fn what_is_left_of_a_transfer_counts_and_what_is_gone_does_not() {
    let limits = Limits {
        put_total: 100_000,
        ..impatient()
    };
    let setting = Setting::new("left", limits);
    let begin = async |name: &str, size, first: &[u8]| {
        let connection = connect(setting.peer.address).await.expect("let in");
        let request = put(&setting.peer.token, name, size);
        let (mut send, mut answer) = write(&connection, &request.encoded()).await;
        let Message::Have(have) = read(&mut answer).await else {
            panic!("no answer");
        };
        let from = have.length;
        let rest = [&Message::From { from }.encoded(), first].concat();
        send.write_all(&rest).await.expect("it is open");
        (connection, send, answer)
    };
    // A file that is on its way takes its whole size, and all but its beginning is free again when it stops.
    let (connection, mut send, mut answer) = begin("a", 90_000, &bytes(10_000)).await;
    setting.until_stored("a.part", 10_000).await;
    let (_other, _send, mut refused) = begin("b", 10_000, b"").await;
    assert!(matches!(read(&mut refused).await, Message::Refused(_)));
    let _ = send.reset(VarInt::from_u32(0));
    assert!(matches!(
        read(&mut answer).await,
        Message::Stored { length: 10_000, .. }
    ));
    connection.close(VarInt::from_u32(0), b"");
    fs::write(setting.folder.join("b"), bytes(70_000)).expect("ours");
    setting.put("b", "b").await.expect("88192 of 100000");
    let why = setting
        .put("b", "c")
        .await
        .expect_err("too much")
        .to_string();
    assert!(why.contains("11808 are left"), "{why}");
    // Other bytes than the hash says are discarded, with those of the first attempt.
    let end = Message::End {
        blake3: blake3::hash(b"other").to_string(),
    };
    let rest = [&b"x"[..], &end.encoded()].concat();
    let (_open, _send, mut answer) = begin("a", 10_001, &rest).await;
    assert!(matches!(read(&mut answer).await, Message::Refused(_)));
    let why = setting
        .put("b", "c")
        .await
        .expect_err("too much")
        .to_string();
    assert!(why.contains("25904 are left"), "{why}");
    setting.is_up().await;
}

#[tokio::test]
async fn other_bytes_than_the_hash_says_are_not_stored() {
    let setting = Setting::new("hash", impatient());
    let connection = connect(setting.peer.address).await.expect("let in");
    let request = put(&setting.peer.token, "a", 3);
    let (mut send, mut answer) = write(&connection, &request.encoded()).await;
    assert!(matches!(read(&mut answer).await, Message::Have(_)));
    let end = Message::End {
        blake3: blake3::hash(b"two").to_string(),
    };
    let rest = [
        &Message::From { from: 0 }.encoded(),
        &b"one"[..],
        &end.encoded(),
    ]
    .concat();
    send.write_all(&rest).await.expect("it is open");
    assert!(matches!(read(&mut answer).await, Message::Refused(_)));
    assert!(!setting.served("a").exists() && !setting.served("a.part").exists());
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
