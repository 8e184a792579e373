//! A server that reads what clients send: `cargo run --release --example noq_server -- ADDRESS`.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use noq::rustls::pki_types::PrivatePkcs8KeyDer;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address: SocketAddr = std::env::args().nth(1).ok_or("ADDRESS")?.parse()?;
    let signed = rcgen::generate_simple_self_signed(["localhost".into()])?;
    let certificate = signed.cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
    std::fs::write("server.der", &certificate)?;
    let mut config = noq::ServerConfig::with_single_cert(vec![certificate], key.into())?;
    // What the server sends, if it sends, has this control, too.
    let mut transport = noq::TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(dumbbell_noq::Factory::named("veno")?));
    config.transport_config(Arc::new(transport));
    let endpoint = noq::Endpoint::server(config, address)?;
    println!(
        "at {}; its certificate is in server.der",
        endpoint.local_addr()?
    );
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            let peer = incoming.remote_address();
            let connection = incoming.await?;
            let mut stream = connection.accept_uni().await?;
            let mut bytes = 0;
            while let Some(chunk) = stream.read_chunk(usize::MAX).await? {
                bytes += chunk.len();
            }
            println!("{bytes} bytes from {peer}");
            connection.close(0u8.into(), b"thanks");
            Ok::<(), Box<dyn Error + Send + Sync>>(())
        });
    }
    Ok(())
}
