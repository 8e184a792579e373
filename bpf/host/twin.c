/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Each twin, its parameters by name, and how a record steps it; see twin.h. */
#include <stddef.h>
#include <string.h>

#include "state.h"
#include "twin.h"

struct parameter {
	const char *name;
	size_t offset;
	size_t size;
};

/* A parameter of a control, and its field in the configuration. */
#define FIELD(control, name, field)                                      \
	{ name, offsetof(struct db_##control##_config, field),           \
	  sizeof(((struct db_##control##_config *)0)->field) }
#define OWN(control, name) FIELD(control, #name, name)

#define RULES(control, growth)                                           \
	FIELD(control, "counting", growth.counting),                     \
	FIELD(control, "abc_limit", growth.abc_limit),                   \
	FIELD(control, "min_ssthresh", growth.min_ssthresh)

#define CUTS(control, growth)                                            \
	FIELD(control, "loss_window", growth.loss_window),               \
	FIELD(control, "rto_repeat_halve", growth.rto_repeat_halve)

#define SPACING(control)                                                 \
	FIELD(control, "tau", bandwidth.tau),                            \
	FIELD(control, "m", bandwidth.m),                                \
	FIELD(control, "merge", bandwidth.merge),                        \
	FIELD(control, "max_virtual", bandwidth.max_virtual),            \
	FIELD(control, "constant_k", bandwidth.constant_k),              \
	FIELD(control, "gain", bandwidth.gain),                          \
	FIELD(control, "filter", bandwidth.filter)

#define VEGAS(control, vegas)                                            \
	RULES(control, vegas growth), CUTS(control, vegas growth),       \
	FIELD(control, "alpha", vegas alpha),                            \
	FIELD(control, "beta", vegas beta),                              \
	FIELD(control, "gamma", vegas gamma),                            \
	FIELD(control, "int_diff", vegas int_diff),                      \
	FIELD(control, "factor_exit", vegas factor_exit),                \
	FIELD(control, "factor_first", vegas factor_first),              \
	FIELD(control, "factor_again", vegas factor_again),              \
	FIELD(control, "factor_timeout", vegas factor_timeout),          \
	FIELD(control, "min_cwnd", vegas min_cwnd),                      \
	FIELD(control, "timeout_cwnd", vegas timeout_cwnd),              \
	FIELD(control, "slack", vegas slack)

static const struct parameter dctcp_parameters[] = {
	RULES(dctcp, growth), CUTS(dctcp, growth),
	OWN(dctcp, gain), OWN(dctcp, initial_alpha),
};

static const struct parameter veno_parameters[] = {
	RULES(veno, growth), CUTS(veno, growth),
	OWN(veno, beta), OWN(veno, factor_random), OWN(veno, factor_congestion),
	OWN(veno, rtt_mode), OWN(veno, base_reset), OWN(veno, busy_growth),
};

static const struct parameter vegas_parameters[] = { VEGAS(vegas, ) };
static const struct parameter rovegas_parameters[] = { VEGAS(rovegas, vegas.) };

static const struct parameter westwood_parameters[] = {
	RULES(westwood, growth), SPACING(westwood), OWN(westwood, credit_cap),
	OWN(westwood, tick), OWN(westwood, whole_ssthresh),
};

static const struct parameter westwood_plus_parameters[] = {
	RULES(westwood_plus, growth),
	FIELD(westwood_plus, "filter", bandwidth.filter),
	FIELD(westwood_plus, "gain", bandwidth.gain),
	FIELD(westwood_plus, "cascade_gain", bandwidth.cascade_gain),
	FIELD(westwood_plus, "min_round", bandwidth.min_round),
};

static const struct parameter sarbe_parameters[] = {
	RULES(sarbe, growth), OWN(sarbe, alpha), OWN(sarbe, beta),
	OWN(sarbe, stability_gain), OWN(sarbe, stability_window),
};

static const struct parameter venodb_parameters[] = {
	RULES(venodb, growth), CUTS(venodb, growth), SPACING(venodb),
	OWN(venodb, beta), OWN(venodb, factor_random), OWN(venodb, factor_easing),
	OWN(venodb, factor_congestion), OWN(venodb, gain_free_easing), OWN(venodb, gain_free),
	OWN(venodb, gain_s1), OWN(venodb, gain_s2_easing), OWN(venodb, gain_s2),
	OWN(venodb, gain_s3_easing), OWN(venodb, gain_s3), OWN(venodb, precedence),
	OWN(venodb, d_mode), OWN(venodb, eps_d), OWN(venodb, eps_bw),
	OWN(venodb, history_parts), OWN(venodb, use_delay), OWN(venodb, use_bandwidth),
	OWN(venodb, rtt_mode), OWN(venodb, base_reset), OWN(venodb, bw_source),
	OWN(venodb, stamp_source), OWN(venodb, bw_spacing), OWN(venodb, credit_cap),
};

static void store(void *place, size_t size, db_u64 value)
{
	db_u8 small = (db_u8)value;
	db_u32 middle = (db_u32)value;

	if (size == sizeof(small))
		memcpy(place, &small, size);
	else if (size == sizeof(middle))
		memcpy(place, &middle, size);
	else
		memcpy(place, &value, size);
}

static int set(void *config, const struct parameter *all, size_t count, const db_u64 *r)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (strncmp(all[i].name, (const char *)(r + 2), 32) == 0) {
			store((char *)config + all[i].offset, all[i].size, r[1]);
			return 0;
		}
	}
	return -1;
}

static struct db_sample sample_of(const db_u64 *r)
{
	return (struct db_sample){
		.now = r[1], .rtt = r[2], .credited = r[4], .sent_at = r[5],
		.received_at = r[6], .forward = r[7], .backward = r[8],
		.has_rtt = r[3] & 1, .duplicate = r[3] >> 1 & 1,
		.has_stamps = r[3] >> 2 & 1, .has_queueing = r[3] >> 3 & 1,
		.marks = r[3] >> 4 & 3, .marked = r[9],
	};
}

/* Steps a control by a record r: how its window is lowered, a preparation, and its state. */
#define CONTROL(control, restrict, prepare, ...)                                          \
	static int step_##control(const db_u64 *r, db_u64 *answer)                        \
	{                                                                                 \
		static struct db_##control##_config config;                               \
		struct db_path path = { r[2], r[3], r[4], (db_u32)r[1] };                 \
		struct db_sample sample = sample_of(r);                                   \
		struct db_ack ack = { r[1], r[2], r[3], r[4] != 0 };                      \
		struct db_loss loss = { r[1], r[2], r[3], (db_u32)r[4], r[5] != 0 };      \
		struct db_timeout timeout = { r[1], r[2], (db_u32)r[3] };                 \
											  \
		switch (r[0]) {                                                           \
		case DB_BEGIN:                                                            \
			prepare;                                                          \
			db_##control##_init(__VA_ARGS__, &config, &path);                 \
			break;                                                            \
		case DB_SAMPLE:                                                           \
			db_##control##_on_sample(__VA_ARGS__, &config, &sample);          \
			break;                                                            \
		case DB_ACK:                                                              \
			db_##control##_on_ack(__VA_ARGS__, &config, &ack);                \
			break;                                                            \
		case DB_LOSS:                                                             \
			db_##control##_on_loss(__VA_ARGS__, &config, &loss);              \
			break;                                                            \
		case DB_TIMEOUT:                                                          \
			db_##control##_on_timeout(__VA_ARGS__, &config, &timeout);        \
			break;                                                            \
		case DB_RESTRICT:                                                         \
			restrict;                                                         \
			break;                                                            \
		case DB_PARAMETER:                                                        \
			return set(&config, control##_parameters,                         \
				   sizeof(control##_parameters) /                         \
					   sizeof(control##_parameters[0]), r);           \
		case DB_CONFIG:                                                           \
			_Static_assert(sizeof(config) <= DB_ANSWER_WORDS * 8, "it fits"); \
			memcpy(answer, &config, sizeof(config));                          \
			return 0;                                                         \
		}                                                                         \
		put_##control(answer, __VA_ARGS__);                                       \
		return 0;                                                                 \
	}

static struct db_dctcp dctcp;
static struct db_veno veno;
static struct db_vegas vegas;
static struct db_rovegas rovegas;
static struct db_westwood westwood;
static struct db_westwood_plus westwood_plus;
static struct db_sarbe sarbe;
static struct db_sarbe_past sarbe_past;
static struct db_venodb venodb;
static struct db_venodb_past venodb_past;

CONTROL(dctcp, db_dctcp_restrict(&dctcp, r[1]), , &dctcp)
CONTROL(veno, db_restrict(&veno.growth, r[1]), , &veno)
CONTROL(vegas, db_restrict(&vegas.growth, r[1]), , &vegas)
CONTROL(rovegas, db_restrict(&rovegas.vegas.growth, r[1]), , &rovegas)
CONTROL(westwood, db_restrict(&westwood.growth, r[1]), db_tune(&config.bandwidth), &westwood)
CONTROL(westwood_plus, db_restrict(&westwood_plus.growth, r[1]), , &westwood_plus)
CONTROL(sarbe, db_restrict(&sarbe.growth, r[1]), , &sarbe, &sarbe_past)
CONTROL(venodb, db_restrict(&venodb.growth, r[1]), db_tune(&config.bandwidth), &venodb, &venodb_past)

static int step_helper(const db_u64 *r, db_u64 *answer)
{
	db_helper(r, answer);
	return 0;
}

int db_twin_step(const char *twin, const db_u64 *record, db_u64 *answer)
{
	static const struct {
		const char *name;
		int (*step)(const db_u64 *, db_u64 *);
	} twins[] = {
		{ "helpers", step_helper },
		{ "dctcp", step_dctcp },
		{ "veno", step_veno },
		{ "vegas", step_vegas },
		{ "rovegas", step_rovegas },
		{ "westwood", step_westwood },
		{ "westwood+", step_westwood_plus },
		{ "sarbe", step_sarbe },
		{ "venodb", step_venodb },
	};
	size_t i;

	for (i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		if (strcmp(twins[i].name, twin) == 0)
			return twins[i].step(record, answer);
	return -1;
}
