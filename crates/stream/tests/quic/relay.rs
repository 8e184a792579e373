//! A path between two sockets: a delay, and regular losses in one direction.

use std::collections::VecDeque;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub struct Relay {
    address: SocketAddr,
    /// Nothing passes any more.
    cut: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Relay {
    /// A path to an address that takes this long each way, and loses every n-th datagram towards it, from the 20th on:
    /// handshakes are not what is tested.
    pub fn new(to: SocketAddr, delay: Duration, every: u64) -> Self {
        let near = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let far = UdpSocket::bind("127.0.0.1:0").expect("a port");
        for socket in [&near, &far] {
            socket.set_nonblocking(true).expect("ours");
        }
        let relay = Self {
            address: near.local_addr().expect("bound"),
            cut: Arc::default(),
            over: Arc::default(),
        };
        let (cut, over) = (Arc::clone(&relay.cut), Arc::clone(&relay.over));
        std::thread::spawn(move || {
            let (mut count, mut client) = (0, None);
            let mut flying: VecDeque<(Instant, bool, Vec<u8>)> = VecDeque::new();
            let mut buffer = vec![0; 65_535];
            while !over.load(Ordering::Relaxed) {
                let due = Instant::now() + delay;
                while let Ok((length, from)) = near.recv_from(&mut buffer) {
                    client = Some(from);
                    count += 1;
                    if count < 20 || count % every != 0 {
                        flying.push_back((due, true, buffer[..length].to_vec()));
                    }
                }
                while let Ok((length, _)) = far.recv_from(&mut buffer) {
                    flying.push_back((due, false, buffer[..length].to_vec()));
                }
                while flying
                    .front()
                    .is_some_and(|(due, ..)| *due <= Instant::now())
                {
                    let (_, forward, bytes) = flying.pop_front().expect("it is there");
                    if cut.load(Ordering::Relaxed) {
                        continue;
                    }
                    let _ = match (forward, client) {
                        (true, _) => far.send_to(&bytes, to),
                        (false, Some(client)) => near.send_to(&bytes, client),
                        (false, None) => continue,
                    };
                }
                std::thread::sleep(Duration::from_micros(500));
            }
        });
        relay
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on nothing passes.
    pub fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
