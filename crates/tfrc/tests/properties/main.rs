//! Properties that hold for every sender and receiver, whatever happens on the path.

mod hostile;
mod limits;
mod pipe;
mod session;
