//! Congestion controls for lossy paths. Events in, numbers out: a controller is a plain
//! struct that is told what happened and answers with a window.
#![no_std]
#![forbid(unsafe_code)]

pub mod controller;
pub mod event;
pub mod parameter;
pub mod units;
