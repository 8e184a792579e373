//! A server that reads what clients send: `cargo run --release --example s2n_server -- ADDRESS`.

use std::error::Error;

use s2n_quic::Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).ok_or("ADDRESS")?;
    let signed = rcgen::generate_simple_self_signed(["localhost".into()])?;
    let (certificate, key) = (signed.cert.pem(), signed.signing_key.serialize_pem());
    std::fs::write("server.pem", &certificate)?;
    let mut server = Server::builder()
        .with_tls((certificate.as_str(), key.as_str()))?
        .with_io(&*address)?
        // What the server sends, if it sends, has this control, too.
        .with_congestion_controller(dumbbell_s2n_quic::Provider::named("veno")?)?
        .start()?;
    println!(
        "at {}; its certificate is in server.pem",
        server.local_addr()?
    );
    while let Some(mut connection) = server.accept().await {
        tokio::spawn(async move {
            let peer = connection.remote_addr()?;
            while let Some(mut stream) = connection.accept_receive_stream().await? {
                let mut bytes = 0;
                while let Some(chunk) = stream.receive().await? {
                    bytes += chunk.len();
                }
                println!("{bytes} bytes from {peer}");
            }
            Ok::<(), Box<dyn Error + Send + Sync>>(())
        });
    }
    Ok(())
}
