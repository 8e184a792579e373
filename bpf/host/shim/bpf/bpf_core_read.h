/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* On a host every member is there, and where the compiler put it. */
#define BPF_CORE_READ_BITFIELD(from, member) ((from)->member)
#define bpf_core_field_exists(member) 1
