//! A client that sends zeros: `cargo run --release --example s2n_client -- ADDRESS CONTROL BYTES`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use s2n_quic::Client;
use s2n_quic::client::Connect;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, control, bytes] = &arguments[..] else {
        return Err("give ADDRESS CONTROL BYTES".into());
    };
    let client = Client::builder()
        .with_tls(Path::new("server.pem"))?
        .with_io("0.0.0.0:0")?
        // The one line that chooses the control.
        .with_congestion_controller(dumbbell_s2n_quic::Provider::named(control)?)?
        .start()?;
    let address: std::net::SocketAddr = address.parse()?;
    let server = Connect::new(address).with_server_name("localhost");
    let mut connection = client.connect(server).await?;

    let start = Instant::now();
    let bytes: usize = bytes.parse()?;
    let mut stream = connection.open_send_stream().await?;
    stream.send(vec![0; bytes].into()).await?;
    // All is acknowledged when this returns.
    stream.close().await?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = bytes as f64 * 8e-6 / seconds;
    println!("{control}: {seconds:.2} s, {rate:.3} Mb/s");
    Ok(())
}
