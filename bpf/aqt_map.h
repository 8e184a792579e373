/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What routers reported to a socket: the map between the tc programs that read RoVegas' AQT option
 * (they write it) and the kernel's RoVegas (it reads). The two are separate objects; the loader
 * makes them share one map (bpf_map__reuse_fd).
 *
 * Include it after <linux/bpf.h> and <bpf/bpf_helpers.h>.
 */
#ifndef DUMBBELL_AQT_MAP_H
#define DUMBBELL_AQT_MAP_H

struct db_aqt_report {
	/* AQT: how long the ACK waited in routers on its path to this socket, in microseconds */
	__u32 aqt_us;
	/* AQT-echo: how long the data waited that the ACK acknowledges, in microseconds */
	__u32 echo_us;
	/* Increases by one with each report, so that each report is used once. */
	__u32 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct db_aqt_report);
} aqt_sk SEC(".maps");

#endif
