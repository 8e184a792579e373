//! On the real machine: namespaces, TUN devices, TCP. All traffic stays in namespaces that the tests make.
#![cfg(target_os = "linux")]

mod comparison;
mod controls;
mod emulator;
mod hosts;
