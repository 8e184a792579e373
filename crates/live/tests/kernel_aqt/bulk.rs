//! A bulk connection that checks that all data arrives unchanged.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::thread;

use dumbbell_live::kernel::aqt::{Aqt, Report};
use dumbbell_live::system::tcp_info;

use crate::network::{Network, RECEIVER};

const PORT: u16 = 5003;

/// An open connection.
pub struct Transfer {
    sender: TcpStream,
    receiver: TcpStream,
}

/// The result of a transfer.
#[derive(Debug)]
pub struct Told {
    /// Payload of a full segment.
    pub mss: u32,
    /// The report that the sender's programs held at the end.
    pub report: Option<Report>,
}

impl Transfer {
    pub fn open(network: &Network) -> Self {
        let listen = || Ok(TcpListener::bind((RECEIVER, PORT)).expect("free"));
        let listener = network.receiver.run(listen).expect("the receiver");
        let connect = || Ok(TcpStream::connect((RECEIVER, PORT)).expect("a route there"));
        let sender = network.sender.run(connect).expect("the sender");
        let (receiver, _) = listener.accept().expect("the sender comes");
        Self { sender, receiver }
    }

    /// Sends this number of bytes.
    pub fn run(mut self, bytes: usize, programs: &Aqt) -> Told {
        // The period is a prime, so no two segments begin alike.
        let content: Vec<u8> = (0..bytes).map(|i| (i % 251) as u8).collect();
        let received = thread::scope(|scope| {
            let received = scope.spawn(|| {
                let mut received = vec![0; bytes];
                self.receiver.read_exact(&mut received).expect("it comes");
                received
            });
            self.sender.write_all(&content).expect("it goes");
            received.join().expect("it was received")
        });
        assert!(received == content, "what came is not what went");
        Told {
            mss: tcp_info(&self.sender).expect("it is TCP").mss,
            report: programs.report(self.sender.as_fd()).expect("a socket"),
        }
    }
}
