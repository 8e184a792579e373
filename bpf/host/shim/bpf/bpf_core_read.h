/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* On a host every member exists, at the compiler's offset. */
#define BPF_CORE_READ_BITFIELD(from, member) ((from)->member)
#define bpf_core_field_exists(member) 1
