/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * DCTCP's receiver (RFC 8257, section 3.2): each ACK says whether the segments that it covers were marked. When that
 * changes, what was not acknowledged yet is acknowledged at once, as before the change.
 */
#ifndef DUMBBELL_ECN_ECHO_H
#define DUMBBELL_ECN_ECHO_H

#include "kernel.h"

/* After the last segment that arrived: what is to come next, and whether it was marked (DCTCP.CE). */
struct db_ecn_echo {
	__u32 rcv_nxt;
	__u8 marked;
};

/* From now on, ACKs have ECE or not. */
static __always_inline void db_echo(struct tcp_sock *tp, __u8 marked)
{
	if (marked)
		tp->ecn_flags |= DB_ECN_DEMAND_CWR;
	else
		tp->ecn_flags &= ~DB_ECN_DEMAND_CWR;
}

/* A segment arrived, marked or not; rcv_nxt covers it, unless one before it is missing. */
static __always_inline void db_arrived(struct db_ecn_echo *e, struct tcp_sock *tp, __u8 marked)
{
	if (marked != e->marked) {
		if (tp->inet_conn.icsk_ack.pending & DB_ACK_DELAYED) {
			db_echo(tp, e->marked);
			bpf_tcp_send_ack(tp, e->rcv_nxt);
		}
		tp->inet_conn.icsk_ack.pending |= DB_ACK_NOW;
	}
	e->rcv_nxt = tp->rcv_nxt;
	e->marked = marked;
	db_echo(tp, marked);
}

#endif
