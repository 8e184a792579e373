/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Vegas in the Linux kernel: the control of vegas.h as tcp_congestion_ops.
 *
 * Deviations: those of glue.h, and
 *   - Vegas' own retransmissions (its fine timers) are not there: the kernel's RACK finds losses as
 *     early, and tells of one an episode, not of each.
 *   - A round's mean is over what the kernel times: one RTT an ACK, however many segments it covers.
 */
#include "kernel.h"
#include "vegas.h"

#define DB_CONTROL vegas
#define DB_KERNEL_NAME "db_vegas"

static DB_INLINE struct db_growth *control_growth(struct db_vegas *v)
{
	return &v->growth;
}

static DB_INLINE db_u64 control_base(const struct db_vegas *v)
{
	return v->base;
}

static DB_INLINE db_u8 control_rule(const struct db_vegas *v, const void *past)
{
	(void)past;
	return v->rule;
}

#include "glue.h"
