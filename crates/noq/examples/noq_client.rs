//! A client that sends zeros: `cargo run --release --example noq_client -- ADDRESS CONTROL BYTES`.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use noq::rustls::RootCertStore;
use noq::rustls::pki_types::CertificateDer;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, control, bytes] = &arguments[..] else {
        return Err("give ADDRESS CONTROL BYTES".into());
    };
    // The one line that chooses the control.
    let factory = dumbbell_noq::Factory::named(control)?;

    let mut transport = noq::TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(factory));
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(std::fs::read("server.der")?))?;
    let mut config = noq::ClientConfig::with_root_certificates(Arc::new(roots))?;
    config.transport_config(Arc::new(transport));
    let endpoint = noq::Endpoint::client(([0, 0, 0, 0], 0).into())?;
    let connection = endpoint
        .connect_with(config, address.parse()?, "localhost")?
        .await?;

    let start = Instant::now();
    let mut stream = connection.open_uni().await?;
    stream.write_all(&vec![0; bytes.parse()?]).await?;
    stream.finish()?;
    connection.closed().await;
    let path = connection.path_stats(noq::PathId::ZERO).ok_or("no path")?;
    println!(
        "{control}: {:.2} s, {} packets lost, {:.1} ms round trip, a window of {} bytes",
        start.elapsed().as_secs_f64(),
        path.lost_packets,
        path.rtt.as_secs_f64() * 1e3,
        path.cwnd,
    );
    Ok(())
}
