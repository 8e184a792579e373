//! What holds for every sender and receiver, whatever the path does.

mod hostile;
mod limits;
mod pipe;
mod session;
