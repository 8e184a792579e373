//! qlog files, as qvis reads them.

use std::fs::File;
use std::io::BufWriter;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use quinn::{QlogConfig, QlogStream};

use crate::error::Error;

/// A qlog file of one connection.
pub(crate) fn at(path: &Path, title: &str) -> Result<QlogStream, Error> {
    let file = File::create(path).map_err(|error| Error::file(path, &error))?;
    let mut config = QlogConfig::default();
    config
        .writer(Box::new(BufWriter::new(file)))
        .title(Some(title.to_owned()));
    let stream = config.into_stream();
    stream.ok_or_else(|| Error::Local(format!("{}: it cannot be written", path.display())))
}

/// A qlog file of one connection of a server, in a folder.
pub(crate) fn in_folder(folder: &Path, peer: SocketAddr) -> Result<QlogStream, Error> {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{}-{number}.qlog", std::process::id()));
    at(&path, &format!("dumbbell transfer serve, with {peer}"))
}
