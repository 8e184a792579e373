/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * VenoDB in the Linux kernel: the control of venodb.h as tcp_congestion_ops.
 *
 * Deviations: those of glue.h, and
 *   - The relative delay is a difference of timestamps, in steps of 1 ms; smaller differences are 0.
 *     Without timestamps, only the bandwidth distinguishes the states.
 */
#include "kernel.h"
#include "venodb.h"

#define DB_CONTROL venodb
#define DB_KERNEL_NAME "db_venodb"
#define DB_HAS_PAST

static DB_INLINE struct db_growth *control_growth(struct db_venodb *v)
{
	return &v->growth;
}

static DB_INLINE db_u64 control_base(const struct db_venodb *v)
{
	return v->base;
}

static DB_INLINE db_u8 control_rule(const struct db_venodb *v, const struct db_venodb_past *past)
{
	(void)v;
	return past->rule;
}

#include "glue.h"
