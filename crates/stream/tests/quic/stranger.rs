//! A QUIC client that does whatever a test wants.

use std::net::SocketAddr;

use dumbbell_pinned::{Pin, client};
use quinn::{Connection, Endpoint};

/// Connects to a receiver, and says nothing.
pub async fn connect(to: SocketAddr, pin: Pin) -> Result<Connection, quinn::ConnectionError> {
    let endpoint = Endpoint::client("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let tls = client(pin, b"dumbbell-stream/1").expect("TLS 1.3");
    let config = quinn::ClientConfig::new(tls);
    let connecting = endpoint.connect_with(config, to, "dumbbell");
    connecting.expect("an address").await
}

/// Says a token, or a part of it.
pub async fn say(connection: &Connection, token: &[u8], whole: bool) -> quinn::SendStream {
    let mut stream = connection.open_uni().await.expect("one stream");
    stream.write_all(token).await.expect("it is open");
    if whole {
        stream.finish().expect("it is open");
    }
    stream
}

/// Runs what a test does with connections.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    runtime.expect("threads").block_on(work)
}
