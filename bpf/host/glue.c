/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* One control's glue, -DDB_SOURCE="../veno.bpf.c", driven by records on standard input; see glue.h. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "state.h"
#include "glue.h"
#include DB_SOURCE

static struct tcp_sock tp;
static struct db_connection storage;
static int stored, memory = 1;
#ifdef DB_QUEUEING
static struct db_aqt_report report;
#endif

void *db_host_storage(const void *map, int create)
{
#ifdef DB_QUEUEING
	if (map == &aqt_sk)
		return &report;
#endif
	(void)map;
	if (!stored && create && memory) {
		memset(&storage, 0, sizeof(storage));
		stored = 1;
	}
	return stored ? &storage : NULL;
}

void db_host_delete(const void *map)
{
	(void)map;
	stored = 0;
}

/* The last ACK that the receiver's part has sent. */
static __u32 acked;
static __u8 acked_with_ece;

int db_host_send_ack(__u32 rcv_nxt)
{
	acked = rcv_nxt;
	acked_with_ece = (tp.ecn_flags & DB_ECN_DEMAND_CWR) != 0;
	return 0;
}

/* Stubs of the kernel's Reno: they return numbers that no control returns. */
__u32 tcp_reno_ssthresh(struct sock *sk)
{
	(void)sk;
	return 1001;
}

void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked)
{
	(void)ack;
	tcp_sk(sk)->snd_cwnd = 1000 + acked;
}

__u32 tcp_reno_undo_cwnd(struct sock *sk)
{
	(void)sk;
	return 1002;
}

static struct sock *sk(void)
{
	return (struct sock *)&tp;
}

static void enter(__u8 state)
{
	ca_set_state(sk(), state);
	tp.inet_conn.icsk_ca_state = state;
}

static void begin(const db_u64 *r)
{
	memset(&tp, 0, sizeof(tp));
	stored = 0;
	tp.mss_cache = (__u32)r[1];
	tp.snd_cwnd = (__u32)r[2];
	tp.snd_ssthresh = (__u32)r[3];
	tp.snd_cwnd_clamp = (__u32)r[4];
	tp.rx_opt.saw_tstamp = r[5] != 0;
	tp.tcp_usec_ts = r[5] == 2;
	tp.tcp_mstamp = 1000000;
	tp.data_segs_out = (__u32)r[6];
	tp.inet_conn.icsk_ca_state = r[7];
	tp.packets_out = (__u32)r[8];
	tp.delivered = (__u32)r[9];
	ca_init(sk());
}

static void count(db_u64 counts)
{
	tp.packets_out = counts & 0xffff;
	tp.sacked_out = counts >> 16 & 0xffff;
	tp.lost_out = counts >> 32 & 0xffff;
	tp.retrans_out = counts >> 48 & 0xffff;
	if (tp.packets_out > tp.max_packets_out)
		tp.max_packets_out = tp.packets_out;
}

static void ack(const db_u64 *r)
{
	struct ack_sample sample = { .rtt_us = (__s32)r[4] };
	__u8 state = tp.inet_conn.icsk_ca_state;

	tp.tcp_mstamp += r[1];
	tp.snd_una += (__u32)r[2] * tp.mss_cache;
	tp.delivered += (__u32)r[3];
	if (r[2])
		tp.inet_conn.icsk_retransmits = 0;
	tp.rx_opt.rcv_tsval = (__u32)r[5];
	tp.rx_opt.rcv_tsecr = (__u32)r[6];
	count(r[7]);
	tp.is_cwnd_limited = r[8] >> 63;
	tp.delivered_ce += r[8] >> 32 & 0x7fff;
	ca_pkts_acked(sk(), &sample);
	if (state == TCP_CA_CWR || state == TCP_CA_Recovery)
		tp.snd_cwnd = (__u32)r[8];
	else if (r[2])
		ca_cong_avoid(sk(), tp.snd_una, (__u32)r[8]);
}

/* An ACK of a segment that is not full. */
static void small(const db_u64 *r)
{
	struct ack_sample sample = { .rtt_us = (__s32)r[3] };

	tp.tcp_mstamp += r[1];
	tp.snd_una += (__u32)r[2];
	tp.delivered++;
	ca_pkts_acked(sk(), &sample);
	ca_cong_avoid(sk(), tp.snd_una, 1);
}

static void recover(__u8 state, __u32 lost)
{
	tp.lost_out = lost;
	tp.retrans_out = db_min(tp.retrans_out, lost);
	/* of a window that is being lowered, the kernel does not ask for a threshold again */
	if (tp.inet_conn.icsk_ca_state != TCP_CA_CWR)
		tp.snd_ssthresh = ca_ssthresh(sk());
	enter(state);
}

static void arrive(const db_u64 *r, db_u64 *told)
{
	acked = 0;
	acked_with_ece = 0;
	tp.rcv_nxt = (__u32)r[2];
	tp.inet_conn.icsk_ack.pending = r[3] ? DB_ACK_DELAYED : 0;
	ca_cwnd_event(sk(), r[1] ? CA_EVENT_ECN_IS_CE : CA_EVENT_ECN_NO_CE);
	told[0] = (tp.ecn_flags & DB_ECN_DEMAND_CWR) != 0;
	told[1] = (tp.inet_conn.icsk_ack.pending & DB_ACK_NOW) != 0;
	told[2] = acked;
	told[3] = acked_with_ece;
}

static void leave(int to_threshold)
{
	__u8 state = tp.inet_conn.icsk_ca_state;

	if (state == TCP_CA_Recovery)
		enter(TCP_CA_Open);
	if (state == TCP_CA_Recovery || state == TCP_CA_CWR) {
		if (to_threshold)
			tp.snd_cwnd = tp.snd_ssthresh;
		ca_cwnd_event(sk(), CA_EVENT_COMPLETE_CWR);
	}
	if (state != TCP_CA_Recovery)
		enter(TCP_CA_Open);
}

static void time_out(const db_u64 *r)
{
	tp.tcp_mstamp += r[1];
	tp.lost_out = tp.packets_out - tp.sacked_out;
	tp.retrans_out = 0;
	if (r[2]) {
		tp.snd_ssthresh = ca_ssthresh(sk());
		ca_cwnd_event(sk(), CA_EVENT_LOSS);
	}
	tp.snd_cwnd = tcp_pipe(&tp) + 1;
	enter(TCP_CA_Loss);
	tp.inet_conn.icsk_retransmits++;
}

static void undo(__u32 prior)
{
	tp.snd_cwnd = ca_undo_cwnd(sk());
	if (prior > tp.snd_ssthresh)
		tp.snd_ssthresh = prior;
	if (tp.inet_conn.icsk_ca_state > TCP_CA_Disorder)
		enter(TCP_CA_Open);
}

static void configure(const db_u64 *r)
{
	size_t from = r[1] * 8, size = 7 * 8;

	if (from >= sizeof(config))
		return;
	if (size > sizeof(config) - from)
		size = sizeof(config) - from;
	memcpy((char *)&config + from, r + 2, size);
}

static void step(const db_u64 *r, db_u64 *told)
{
	switch (r[0]) {
	case DB_GLUE_BEGIN:
		begin(r);
		break;
	case DB_GLUE_ACK:
		ack(r);
		break;
	case DB_GLUE_RECOVER:
		recover((__u8)r[1], (__u32)r[2]);
		break;
	case DB_GLUE_LEAVE:
		leave(r[1] != 0);
		break;
	case DB_GLUE_TIMEOUT:
		time_out(r);
		break;
	case DB_GLUE_LOWER:
		tp.snd_cwnd = (__u32)r[1];
		break;
	case DB_GLUE_CONFIGURE:
		configure(r);
		break;
	case DB_GLUE_UNDO:
		undo((__u32)r[1]);
		break;
	case DB_GLUE_REPORT:
#ifdef DB_QUEUEING
		report.aqt_us = (__u32)r[1];
		report.echo_us = (__u32)r[2];
		report.count++;
#endif
		break;
	case DB_GLUE_TOO_LARGE:
		enter(TCP_CA_Loss);
		break;
	case DB_GLUE_CLAMP:
		tp.snd_cwnd_clamp = (__u32)r[1];
		break;
	case DB_GLUE_DISORDER:
		enter(TCP_CA_Disorder);
		break;
	case DB_GLUE_SMALL:
		small(r);
		break;
	case DB_GLUE_ARRIVE:
		arrive(r, told);
		break;
	case DB_GLUE_RELEASE:
		ca_release(sk());
		memory = 0;
		break;
	}
}

static void put_state(db_u64 *w)
{
#ifdef DB_HAS_PAST
	DB_NAMED(put_, DB_CONTROL, )(w, db_control_of(sk()), &storage.past);
#else
	DB_NAMED(put_, DB_CONTROL, )(w, db_control_of(sk()));
#endif
}

int main(void)
{
	db_u64 record[DB_GLUE_RECORD_WORDS], answer[DB_GLUE_ANSWER_WORDS];

	while (fread(record, sizeof(record), 1, stdin) == 1) {
		memset(answer, 0, sizeof(answer));
		step(record, answer + DB_GLUE_ANSWER_WORDS - 4);
		answer[0] = tp.snd_cwnd;
		answer[1] = tp.snd_ssthresh;
		put_state(answer + 2);
		fwrite(answer, sizeof(answer), 1, stdout);
	}
	return 0;
}
