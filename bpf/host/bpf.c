/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The twins as functions of their own, for a compiler to BPF: what it makes of them must
 * call nothing. Not a program that the kernel loads.
 */
#include "../veno.h"

db_u64 probe_tustin(db_u64 bwe, db_u64 previous, db_u64 sample, db_u32 two_tau, db_u32 d)
{
	return db_tustin(bwe, previous, sample, two_tau, d);
}

db_u64 probe_rate(db_u64 bytes, db_u32 span)
{
	return db_rate(bytes, span);
}

void probe_div128by32(struct db_u128 *n, db_u32 d)
{
	*n = db_div128by32(*n, d);
}

void probe_shl128(struct db_u128 *n, db_u32 bits)
{
	*n = db_shl128(*n, bits);
}

void probe_veno_init(struct db_veno *v, db_u64 initial_window, db_u64 ssthresh)
{
	db_veno_init(v, initial_window, ssthresh);
}

void probe_veno_on_rtt(struct db_veno *v, const struct db_veno_config *config, db_u64 now,
		       db_u64 rtt)
{
	db_veno_on_rtt(v, config, now, rtt);
}

void probe_veno_on_ack(struct db_veno *v, const struct db_veno_config *config, db_u64 acked,
		       int app_limited)
{
	db_veno_on_ack(v, config, acked, app_limited);
}

void probe_veno_on_loss(struct db_veno *v, const struct db_veno_config *config, db_u64 in_flight)
{
	db_veno_on_loss(v, config, in_flight);
}

void probe_veno_on_timeout(struct db_veno *v, const struct db_veno_config *config,
			   db_u64 in_flight, db_u32 consecutive)
{
	db_veno_on_timeout(v, config, in_flight, consecutive);
}

void probe_veno_restrict(struct db_veno *v, db_u64 cwnd)
{
	db_veno_restrict(v, cwnd);
}
