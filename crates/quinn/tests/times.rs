//! Two endpoints on loopback whose sockets tell each other when datagrams arrived: the control of the sender hears it.

use std::sync::Arc;
use std::time::Duration;

use dumbbell_control::controller::{Controller as _, Value};
use dumbbell_quinn::{Adapter, Factory, TimedSocket, Times};
use quinn::rustls::RootCertStore;
use quinn::rustls::pki_types::PrivatePkcs8KeyDer;
use quinn::{
    ClientConfig, Endpoint, EndpointConfig, Runtime as _, ServerConfig, TokioRuntime,
    TransportConfig,
};

const SIZE: usize = 3_000_000;

fn endpoint(server: Option<ServerConfig>, times: Times) -> Endpoint {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let runtime = Arc::new(TokioRuntime);
    let socket = runtime.wrap_udp_socket(socket).expect("a socket");
    let socket = Arc::new(TimedSocket::new(socket, times));
    Endpoint::new_with_abstract_socket(EndpointConfig::default(), server, socket, runtime)
        .expect("an endpoint")
}

/// Transfers with this control, and returns it at the end.
async fn transferred(control: &str) -> Adapter {
    let signed = rcgen::generate_simple_self_signed(["localhost".into()]).expect("signed");
    let certificate = signed.cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a certificate");
    let server = ServerConfig::with_single_cert(vec![certificate], key.into()).expect("TLS");
    let receiver = endpoint(Some(server), Times::default());
    let address = receiver.local_addr().expect("bound");
    let read = tokio::spawn(async move {
        let connection = receiver.accept().await.expect("one").await.expect("opens");
        let mut stream = connection.accept_uni().await.expect("a stream");
        stream.read_to_end(SIZE).await.expect("all").len()
    });

    let times = Times::default();
    let factory = Factory::timed(control, times.clone()).expect(control);
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(factory));
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots)).expect("TLS");
    config.transport_config(Arc::new(transport));
    let sender = endpoint(None, times);
    let connecting = sender.connect_with(config, address, "localhost");
    let connection = connecting.expect("an address").await.expect("opens");
    let mut stream = connection.open_uni().await.expect("a stream");
    stream.write_all(&vec![7; SIZE]).await.expect("sent");
    stream.finish().expect("open");
    let all = tokio::time::timeout(Duration::from_secs(60), read).await;
    assert_eq!(all.expect("in time").expect("it did not panic"), SIZE);
    let control = connection.congestion_state().into_any();
    *control.downcast().expect("an adapter")
}

fn number(adapter: &Adapter, wanted: &str) -> Option<f64> {
    let mut found = None;
    adapter.path().control().explain(&mut |name, value: Value| {
        if name == wanted {
            found = value.number();
        }
    });
    found
}

#[tokio::test]
async fn controls_of_the_receivers_times_run_over_whole_transfers() {
    // What each of them has only if it was told when packets arrived.
    for (control, value) in [("sarbe", "bwe"), ("venodb", "relative_delay")] {
        let adapter = transferred(control).await;
        assert!(number(&adapter, value).is_some(), "{control}");
    }
}

#[test]
fn what_needs_more_than_times_is_refused() {
    for control in ["bbr", "rovegas", "dctcp"] {
        assert!(
            Factory::timed(control, Times::default()).is_err(),
            "{control}"
        );
    }
}
