#!/bin/sh
# Builds the module of the lab, and prints its path: module.sh [TARGET-FOLDER]
# The same sources, compiler and flags make the same bytes wherever they are: no path of this machine is in them.
set -eu
root=$(cd "$(dirname "$0")/../../../.." && pwd)
folder=${1:-$root/target/wasm}
# A run of a scenario that is too large ends with a message, before the browser ends the page.
RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$root=/dumbbell -C link-arg=--max-memory=2147483648"
export RUSTFLAGS
unset CARGO_ENCODED_RUSTFLAGS || true
# As a library for Rust, too, the crate could not be optimised as a whole.
cargo rustc --quiet --manifest-path "$root/Cargo.toml" --package dumbbell-web --lib --crate-type cdylib \
    --target wasm32-unknown-unknown --profile web --target-dir "$folder" >&2
echo "$folder/wasm32-unknown-unknown/web/dumbbell_web.wasm"
