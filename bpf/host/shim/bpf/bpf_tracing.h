/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A program is a function. */
#define BPF_PROG(name, ...) name(__VA_ARGS__)
