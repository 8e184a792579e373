//! A sender that always has data, and a receiver that reads it: the same text for quinn and for noq, whose types differ
//! in name alone.

/// Defines `run` for the stack that the module calls `stack`, whose module also has `Factory`, `Counting`, `Times`,
/// `others`, `made` and `looked`.
macro_rules! bulk {
    () => {
        use std::io;
        use std::sync::atomic::Ordering;
        use std::sync::mpsc;
        use std::thread;

        use dumbbell_run::End;
        use rustls::RootCertStore;
        use rustls::pki_types::PrivatePkcs8KeyDer;

        use super::{BUFFER, Job, NAME, PORT, Shared, WINDOW};
        use crate::emulator::Emulator;
        use crate::error::Error;
        use crate::transfer::{HEAD_START, Measured, Sample};

        /// What a connection says of itself.
        struct Looked {
            rtt: std::time::Duration,
            cwnd: u64,
            sent: u64,
            lost: u64,
        }

        /// Bytes that are written and read at a time.
        const BLOCK: usize = 1 << 16;
        /// How often the receiver looks whether it is to stop.
        const GLANCE: std::time::Duration = std::time::Duration::from_millis(20);

        pub(super) fn run(
            job: &Job<'_>,
            factory: Factory,
            times: Option<Times>,
            path: &mut Emulator,
        ) -> Result<Measured, Error> {
            let server = server(job)?;
            let (ready, bound) = mpsc::channel();
            let shared = Arc::clone(&job.shared);
            let timed = times.as_ref().map(others);
            let sink = path.host(End::Receiver).spawn(move || {
                on_runtime(async {
                    let endpoint = endpoint(Some(server), PORT, timed)?;
                    // The sender waits for it.
                    let _ = ready.send(());
                    swallow(&endpoint, &shared).await;
                    Ok(())
                })
            })?;
            let measured = match bound.recv() {
                Ok(()) => path.begin().and_then(|()| {
                    thread::sleep(HEAD_START);
                    path.host(End::Sender)
                        .run(|| on_runtime(send(job, factory, times)))
                }),
                // Its error is returned below.
                Err(_) => Ok(Measured::default()),
            };
            job.shared.stop.store(true, Ordering::Relaxed);
            match sink.join() {
                Ok(ended) => ended?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
            measured
        }

        /// Runs one end, on a thread of its own. It has the policy of the emulator, if the system permits: the kernel's TCP
        /// runs where the emulator hands packets over, and so it has it, too. On a busy machine an ordinary program waits
        /// for some milliseconds until it sees a packet.
        fn on_runtime<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
            let _ = crate::system::make_realtime(1);
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|reason| Error::system("start the runtime of QUIC", reason))?
                .block_on(work)
        }

        fn broken(reason: impl std::fmt::Display) -> Error {
            Error::system("send over QUIC", io::Error::other(reason.to_string()))
        }

        fn endpoint(
            server: Option<stack::ServerConfig>,
            port: u16,
            times: Option<Times>,
        ) -> Result<stack::Endpoint, Error> {
            made(server, super::socket(port)?, times)
                .map_err(|reason| Error::system("make a QUIC endpoint", reason))
        }

        /// What both ends have: packets of one size, and windows that never limit.
        fn transport(job: &Job<'_>) -> stack::TransportConfig {
            let mut transport = stack::TransportConfig::default();
            transport
                .initial_mtu(job.payload)
                .min_mtu(job.payload)
                .mtu_discovery_config(None)
                .stream_receive_window(WINDOW.into())
                .receive_window(WINDOW.into())
                .send_window(BUFFER as u64);
            transport
        }

        fn server(job: &Job<'_>) -> Result<stack::ServerConfig, Error> {
            let certificate = job.certificate.cert.der().clone();
            let key = PrivatePkcs8KeyDer::from(job.certificate.signing_key.serialize_der());
            let mut config = stack::ServerConfig::with_single_cert(vec![certificate], key.into())
                .map_err(broken)?;
            config.transport_config(Arc::new(transport(job)));
            Ok(config)
        }

        /// Reads what comes on the first stream of the first connection.
        async fn swallow(endpoint: &stack::Endpoint, shared: &Shared) {
            let read = async {
                let connection = endpoint.accept().await?.await.ok()?;
                let mut stream = connection.accept_uni().await.ok()?;
                let mut block = vec![0; BLOCK];
                while let Ok(Some(bytes)) = stream.read(&mut block).await {
                    shared.received.fetch_add(bytes as u64, Ordering::Relaxed);
                }
                Some(())
            };
            let told = async {
                while !shared.stop.load(Ordering::Relaxed) {
                    tokio::time::sleep(GLANCE).await;
                }
            };
            tokio::select! {
                _ = read => {}
                () = told => {}
            }
        }

        async fn send(
            job: &Job<'_>,
            factory: Factory,
            times: Option<Times>,
        ) -> Result<Measured, Error> {
            let episodes = Episodes::default();
            let counting = Counting {
                factory,
                episodes: episodes.clone(),
            };
            let mut transport = transport(job);
            transport.congestion_controller_factory(Arc::new(counting));
            let mut roots = RootCertStore::empty();
            roots
                .add(job.certificate.cert.der().clone())
                .map_err(broken)?;
            let mut config =
                stack::ClientConfig::with_root_certificates(Arc::new(roots)).map_err(broken)?;
            config.transport_config(Arc::new(transport));
            let endpoint = endpoint(None, 0, times)?;

            let start = Instant::now();
            let (duration, interval) = (job.transfer.duration, job.transfer.interval);
            let mut samples = Vec::new();
            let mut last = None;
            let work = async {
                let connecting = endpoint
                    .connect_with(config, super::receiver(), NAME)
                    .map_err(broken)?;
                let connection = connecting.await.map_err(broken)?;
                let mut stream = connection.open_uni().await.map_err(broken)?;
                let write = async {
                    let block = vec![0x55; BLOCK];
                    loop {
                        if let Err(reason) = stream.write_all(&block).await {
                            return Err(broken(reason));
                        }
                    }
                };
                let watch = async {
                    loop {
                        let now = start.elapsed();
                        let looked = looked(&connection);
                        let cwnd = looked.cwnd / u64::from(job.payload);
                        samples.push(Sample {
                            at_s: now.as_secs_f64(),
                            cwnd: u32::try_from(cwnd).unwrap_or(u32::MAX),
                            ssthresh: None,
                            rtt_s: looked.rtt.as_secs_f64(),
                            bytes: job.shared.received.load(Ordering::Relaxed),
                        });
                        last = Some(looked);
                        let wait = interval.min(duration.saturating_sub(now));
                        if wait.is_zero() || job.interrupted.load(Ordering::Relaxed) {
                            return Ok(());
                        }
                        tokio::time::sleep(wait).await;
                    }
                };
                tokio::select! {
                    broken = write => broken,
                    over = watch => over,
                }
            };
            // A connection that does not open in all that time transfers nothing.
            if let Ok(done) = tokio::time::timeout(duration + duration / 4, work).await {
                done?;
            }
            let elapsed_s = start.elapsed().as_secs_f64();
            let received = job.shared.received.load(Ordering::Relaxed);
            let sum: f64 = samples.iter().map(|it: &Sample| it.rtt_s).sum();
            Ok(Measured {
                goodput_bps: received as f64 * 8.0 / elapsed_s,
                segments: last.as_ref().map_or(0, |it| it.sent),
                retransmits: last.as_ref().map_or(0, |it| it.lost),
                cuts: episodes.count(),
                rtt_mean_s: (!samples.is_empty()).then(|| sum / samples.len() as f64),
                rtt_min_s: None,
                payload: job.payload.into(),
                elapsed_s,
                limits: Vec::new(),
                samples,
            })
        }
    };
}

pub(super) use bulk;
