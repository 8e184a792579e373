/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * SARBE with LDED in the Linux kernel: the control of sarbe.h as tcp_congestion_ops.
 *
 * Deviations: those of glue.h, and
 *   - The receiver's times are its timestamps: ACKs within one tick (1 ms) make one bandwidth sample.
 *     Without timestamps there is no sample, and every loss cuts the window to the minimum.
 */
#include "kernel.h"
#include "sarbe.h"

#define DB_CONTROL sarbe
#define DB_KERNEL_NAME "db_sarbe"
#define DB_HAS_PAST

static DB_INLINE struct db_growth *control_growth(struct db_sarbe *v)
{
	return &v->growth;
}

static DB_INLINE db_u64 control_base(const struct db_sarbe *v)
{
	return v->rtt_min;
}

static DB_INLINE db_u8 control_rule(const struct db_sarbe *v, const struct db_sarbe_past *past)
{
	(void)past;
	return v->rule;
}

#include "glue.h"
