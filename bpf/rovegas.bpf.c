/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * RoVegas in the Linux kernel: the control of rovegas.h as tcp_congestion_ops.
 *
 * The routers' reports (AQT and AQT-echo) come through the map aqt_sk, which the tc programs of
 * aqt.bpf.c fill. Without them, the control is Vegas.
 *
 * Deviations: those of glue.h and of vegas.bpf.c, and
 *   - A report counts for the first ACK that TCP sees after it; of several ACKs that the network card
 *     merged, only the last report remains.
 */
#include "kernel.h"
#include "aqt_map.h"
#include "rovegas.h"

#define DB_CONTROL rovegas
#define DB_KERNEL_NAME "db_rovegas"
#define DB_QUEUEING

static DB_INLINE struct db_growth *control_growth(struct db_rovegas *v)
{
	return &v->vegas.growth;
}

static DB_INLINE db_u64 control_base(const struct db_rovegas *v)
{
	return v->vegas.base;
}

static DB_INLINE db_u8 control_rule(const struct db_rovegas *v, const void *past)
{
	(void)past;
	return v->vegas.rule;
}

#include "glue.h"
