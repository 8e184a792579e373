//! Peers that are no honest senders.

use std::time::{Duration as StdDuration, Instant};

use dumbbell_control::units::Duration;
use dumbbell_pinned::Identity;
use dumbbell_stream::packet::{Answer, Hello, Packet};
use dumbbell_stream::quic::{Error, Limits, Peer};
use quinn::SendDatagramError;

use crate::setting::{Playing, config, impatient, stream, tfrc, with_pin};
use crate::stranger::{connect, run, say};

const SPAN: Duration = Duration::from_secs(1);

/// Whether an honest sender is still served.
fn serves(playing: Playing) {
    let (sent, _) = stream(&playing.peer, config(SPAN, 100e3, 400e3), tfrc()).expect("it serves");
    let (got, _) = playing.played();
    assert_eq!(got.received, sent.packets, "{got:?}");
}

#[test]
fn wrong_tokens_and_wrong_fingerprints_are_refused() {
    let playing = Playing::new(impatient());
    for token in ["another-word-of-theirs", "", &playing.peer.token[1..]] {
        let peer = Peer {
            token: token.to_owned(),
            ..playing.peer.clone()
        };
        let error = stream(&peer, config(SPAN, 100e3, 400e3), tfrc()).expect_err(token);
        assert!(
            matches!(&error, Error::Refused(why) if why.contains("--token")),
            "{error}"
        );
    }
    assert_eq!(playing.tally().wrong_token, 3);
    let other = Identity::generate().expect("random numbers").pin();
    let peer = with_pin(&playing.peer, other);
    let error = stream(&peer, config(SPAN, 100e3, 400e3), tfrc()).expect_err("another one");
    assert!(
        matches!(&error, Error::Refused(why) if why.contains("--pin")),
        "{error}"
    );
    serves(playing);
}

/// Half a token, more than a token, no token, and a token without a stream: each is given up after a second, and holds up
/// nobody meanwhile.
#[test]
fn slow_peers_are_given_up() {
    let playing = Playing::new(impatient());
    let (address, pin) = (playing.peer.address, playing.peer.pin);
    let token = playing.peer.token.clone();
    run(async {
        let begin = Instant::now();
        let silent = connect(address, pin).await.expect("it is let in");
        let slow = connect(address, pin).await.expect("it is let in");
        let _open = say(&slow, &token.as_bytes()[..5], false).await;
        for connection in [&silent, &slow] {
            connection.closed().await;
        }
        let took = begin.elapsed();
        assert!(took >= StdDuration::from_millis(900), "{took:?}");
        assert!(took < StdDuration::from_secs(10), "{took:?}");
        // It knows the token, and begins no stream.
        let idle = connect(address, pin).await.expect("it is let in");
        let _said = say(&idle, token.as_bytes(), true).await;
        idle.closed().await;
    });
    playing.until("three were slow", |tally| tally.slow == 3);
    serves(playing);
}

#[test]
fn a_token_that_does_not_end_costs_128_bytes() {
    let playing = Playing::new(impatient());
    let (address, pin) = (playing.peer.address, playing.peer.pin);
    run(async {
        let connection = connect(address, pin).await.expect("it is let in");
        let mut stream = connection.open_uni().await.expect("one stream");
        // What is beyond the receiver's window waits here, until the receiver gives up.
        let written = stream.write_all(&[b'a'; 4096]).await;
        assert!(written.is_err());
        connection.closed().await;
    });
    playing.until("it was refused", |tally| {
        tally.wrong_token + tally.slow == 1
    });
    serves(playing);
}

#[test]
fn many_connections_are_turned_away() {
    // None is given up meanwhile.
    let playing = Playing::new(Limits {
        request: StdDuration::from_secs(60),
        ..impatient()
    });
    let (address, pin) = (playing.peer.address, playing.peer.pin);
    run(async {
        let mut held = Vec::new();
        for _ in 0..20 {
            held.push(connect(address, pin).await);
        }
        let open = held.iter().flatten().count();
        assert!(open <= 6, "{open} of one address");
        drop(held);
        tokio::time::sleep(StdDuration::from_millis(500)).await;
    });
    let tally = playing.tally();
    assert!(tally.turned_away >= 10 && tally.validated >= 1, "{tally:?}");
    serves(playing);
}

/// While one stream is played, a second sender with the token is refused, and the first does not notice.
#[test]
fn a_second_sender_is_refused() {
    let playing = Playing::new(impatient());
    let peer = playing.peer.clone();
    let first = std::thread::spawn(move || {
        stream(&peer, config(Duration::from_secs(3), 100e3, 400e3), tfrc())
    });
    std::thread::sleep(StdDuration::from_secs(1));
    let second = stream(&playing.peer, config(SPAN, 100e3, 400e3), tfrc());
    let error = second.expect_err("it is busy");
    assert!(
        matches!(&error, Error::Refused(why) if why.contains("another stream")),
        "{error}"
    );
    let (sent, _) = first.join().expect("no panic").expect("it is served");
    assert_eq!(playing.tally().busy, 1);
    assert_eq!(playing.played().0.received, sent.packets);
}

/// A sender that knows the token floods the receiver: with what is no packet, with packets of other sessions, with datagrams of
/// the largest size. They come faster than it looks at them: 36 MB, of which it holds what its channels have room for, 1.5 MB. It
/// counts those that it sees, and plays on.
#[test]
fn floods_are_counted_and_cost_little() {
    let playing = Playing::at_leisure(impatient(), StdDuration::from_millis(1));
    let (address, pin) = (playing.peer.address, playing.peer.pin);
    let token = playing.peer.token.clone();
    run(async {
        let connection = connect(address, pin).await.expect("it is let in");
        let _said = say(&connection, token.as_bytes(), true).await;
        let most = connection.max_datagram_size().expect("datagrams");
        let too_large = connection.send_datagram(vec![0; most + 1].into());
        assert!(matches!(too_large, Err(SendDatagramError::TooLarge)));
        let (mut hello, mut end) = (Vec::new(), Vec::new());
        let greeting = Packet::Hello(Hello {
            interval: Duration::from_millis(40),
            segment: 1000,
            answer: Answer::One,
        });
        greeting.encode(7, &mut hello);
        Packet::End.encode(7, &mut end);
        connection.send_datagram(hello.into()).expect("open");
        let before = resident();
        for number in 0..30_000_u32 {
            let mut garbage = vec![number as u8; most];
            garbage[..4].copy_from_slice(&number.to_be_bytes());
            connection
                .send_datagram_wait(garbage.into())
                .await
                .expect("open");
        }
        let grown = resident().saturating_sub(before);
        assert!(grown < 20_000, "{grown} kB more");
        for _ in 0..20 {
            // The receiver closes the connection when one of them has arrived.
            let _ = connection.send_datagram(end.clone().into());
            tokio::time::sleep(StdDuration::from_millis(50)).await;
        }
        connection.closed().await;
    });
    let (got, _) = playing.played();
    assert!(got.ignored > 100, "{got:?}");
    assert_eq!((got.received, got.player.shown), (0, 0));
}

/// The resident memory of this process in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.expect("a size").parse().expect("a number")
}
