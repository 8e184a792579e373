//! Files that peers put: too large, too many, not allowed, not what they say.

use std::fs;

use dumbbell_transfer::{Limits, Message};
use quinn::VarInt;

use super::{closed, put};
use crate::setting::{Setting, bytes, impatient};
use crate::stranger::{connect, read, write};

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
