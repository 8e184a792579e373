/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Vegas in the Linux kernel: the control of vegas.h as tcp_congestion_ops.
 *
 * Deviations: those of glue.h, and
 *   - Vegas' own retransmissions (its fine timers) do not exist: the kernel's RACK detects losses as
 *     early, and reports one loss per episode, not each.
 *   - A round's mean is over the kernel's samples: one RTT per ACK, however many segments it covers.
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
