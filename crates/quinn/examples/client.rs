//! A client that sends zeros: `cargo run --release --example client -- ADDRESS CONTROL BYTES`.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use quinn::rustls::RootCertStore;
use quinn::rustls::pki_types::CertificateDer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, control, bytes] = &arguments[..] else {
        return Err("give ADDRESS CONTROL BYTES".into());
    };
    // The one line that chooses the control.
    let factory = dumbbell_quinn::Factory::named(control)?;

    let mut transport = quinn::TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(factory));
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(std::fs::read("server.der")?))?;
    let mut config = quinn::ClientConfig::with_root_certificates(Arc::new(roots))?;
    config.transport_config(Arc::new(transport));
    let endpoint = quinn::Endpoint::client(([0, 0, 0, 0], 0).into())?;
    let connection = endpoint
        .connect_with(config, address.parse()?, "localhost")?
        .await?;

    let start = Instant::now();
    let mut stream = connection.open_uni().await?;
    stream.write_all(&vec![0; bytes.parse()?]).await?;
    stream.finish()?;
    connection.closed().await;
    let path = connection.stats().path;
    println!(
        "{control}: {:.2} s, {} packets lost, {:.1} ms round trip, a window of {} bytes",
        start.elapsed().as_secs_f64(),
        path.lost_packets,
        path.rtt.as_secs_f64() * 1e3,
        path.cwnd,
    );
    Ok(())
}
