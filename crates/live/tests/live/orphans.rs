//! Connections whose programs have ended, with data that is not yet sent.

use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use dumbbell_live::Error;
use dumbbell_live::emulator::Emulator;
use dumbbell_run::End;

use crate::hosts;

/// 100 kb/s: what a socket's buffer holds takes a minute.
const SLOW: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "100 kb/s", delay = "18 ms", queue = { droptail = 60 } }
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
"#;

/// The number of TCP sockets in the calling thread's network namespace.
fn sockets() -> usize {
    let table = fs::read_to_string("/proc/thread-self/net/tcp").unwrap();
    table.lines().count() - 1
}

#[test]
fn an_emulation_ends_with_all_of_its_connections() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let path = hosts::start(&hosts::scenario(SLOW), 1);
    let address = (Emulator::address(End::Receiver), 7001);
    let bind = || TcpListener::bind(address).map_err(|reason| Error::system("bind", reason));
    let listener = path.host(End::Receiver).run(bind).unwrap();
    let connect = || TcpStream::connect(address).map_err(|reason| Error::system("connect", reason));
    let mut stream = path.host(End::Sender).run(connect).unwrap();
    stream.set_nonblocking(true).unwrap();
    while stream.write(&[7; 1 << 14]).is_ok() {}
    drop(stream);
    drop(listener);
    // The thread keeps the namespace.
    let (ended, waits) = mpsc::channel::<()>();
    let watch = path.host(End::Sender).spawn(move || {
        // An error tells that the other end is gone.
        let _ = waits.recv();
        Ok(sockets())
    });
    assert!(path.host(End::Sender).run(|| Ok(sockets())).unwrap() > 0);
    path.stop().unwrap();
    drop(ended);
    let after = watch.unwrap().join().unwrap().unwrap();
    assert_eq!(after, 0);
}
