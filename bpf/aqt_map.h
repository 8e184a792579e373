/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What routers reported to a socket: the map between the tc programs that read RoVegas' AQT option
 * (they write it) and the kernel's RoVegas (it reads). The two are separate objects; whoever loads
 * them lets them share one map (bpf_map__reuse_fd).
 *
 * Include it after <linux/bpf.h> and <bpf/bpf_helpers.h>.
 */
#ifndef DUMBBELL_AQT_MAP_H
#define DUMBBELL_AQT_MAP_H

struct db_aqt_report {
	/* AQT: the wait of the ACK in the routers on its way to this socket, in microseconds */
	__u32 aqt_us;
	/* AQT-echo: the wait of the data that the ACK acknowledges, in microseconds */
	__u32 echo_us;
	/* Goes up by one with each report, so that each is used once. */
	__u32 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct db_aqt_report);
} aqt_sk SEC(".maps");

#endif
