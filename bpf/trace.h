/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Reports windows as they change, through a ring buffer that is filled while the switch is on. The
 * switch is a separate map, which every process that has the map (or its pin) may write. While it is
 * off, an event costs one load.
 *
 * Include it after kernel.h and the control.
 */
#ifndef DUMBBELL_TRACE_H
#define DUMBBELL_TRACE_H

enum {
	DB_TRACE_BEGIN,
	DB_TRACE_SAMPLE,	/* an ACK that only updates the estimators */
	DB_TRACE_ACK,
	DB_TRACE_LOSS,
	DB_TRACE_TIMEOUT,
	DB_TRACE_UNDO,
	DB_TRACE_RESTRICT,	/* the kernel lowered the window: idle, or a clamp */
	DB_TRACE_LEAVE,		/* a recovery ended */
	DB_TRACE_END,
};

struct db_trace_event {
	/* CLOCK_MONOTONIC, in nanoseconds */
	__u64 time;
	/* the kernel's socket cookie, or 0 if no process has requested it */
	__u64 cookie;
	/* of the control, segments << 32 */
	__u64 cwnd;
	__u64 ssthresh;
	/* nanoseconds; 0: unknown */
	__u64 rtt;
	__u64 base_rtt;
	/* increases with each connection of this control */
	__u32 connection;
	__u32 snd_cwnd;
	__u32 in_flight;
	/* an IPv4 address is in the first word; in network byte order, like the remote port */
	__u32 local[4];
	__u32 remote[4];
	__u16 family;
	__u16 local_port;
	__u16 remote_port;
	__u8 kind;
	/* the rule that was applied last, by its number in the control's header */
	__u8 rule;
	__u8 ca_state;
	__u8 unused[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 512 * 1024);
} trace SEC(".maps");

volatile __u32 tracing SEC(".data.switch") = 0;

static __noinline void db_trace_addresses(struct db_trace_event *e, struct sock *sk)
{
	struct sock_common *common = &sk->__sk_common;
	int i;

	e->family = common->skc_family;
	e->local_port = common->skc_num;
	e->remote_port = common->skc_dport;
	for (i = 0; i < 4; i++) {
		e->local[i] = 0;
		e->remote[i] = 0;
	}
	if (e->family != DB_AF_INET6) {
		e->local[0] = common->skc_rcv_saddr;
		e->remote[0] = common->skc_daddr;
	} else if (bpf_core_field_exists(common->skc_v6_daddr)) {
		for (i = 0; i < 4; i++) {
			e->local[i] = common->skc_v6_rcv_saddr.in6_u.u6_addr32[i];
			e->remote[i] = common->skc_v6_daddr.in6_u.u6_addr32[i];
		}
	}
}

#endif
