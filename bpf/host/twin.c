/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Runs the C twins for the tests of dumbbell-control. Records of six 64-bit words come on
 * standard input; each is answered on standard output. Host byte order.
 *
 *   twin helpers   record: operation, a, b, c, d, e        answer: two words
 *   twin veno      record: event and its five arguments    answer: the state, twelve words
 */
#include <stdio.h>
#include <string.h>

#include "../veno.h"

static void write_words(const db_u64 *words, size_t count)
{
	fwrite(words, sizeof(*words), count, stdout);
}

static void helper(const db_u64 *r)
{
	struct db_u128 x = { r[1], r[2] }, y = { r[3], r[4] }, z = { 0, 0 };

	switch (r[0]) {
	case 0:
		z = db_mul64(r[1], r[2]);
		break;
	case 1:
		z = db_add128(x, y);
		break;
	case 2:
		z = db_shl128(x, (db_u32)r[3]);
		break;
	case 3:
		z.lo = db_ge128(x, y);
		break;
	case 4:
		z = db_div128by32(x, (db_u32)r[3]);
		break;
	case 5:
		z.lo = db_muldiv(r[1], (db_u32)r[2], (db_u32)r[3]);
		break;
	case 6:
		z.lo = db_muladd_div(r[1], (db_u32)r[2], r[3], (db_u32)r[4], (db_u32)r[5]);
		break;
	case 7:
		z.lo = db_reciprocal(r[1]);
		break;
	case 8:
		z.lo = db_product_at_least(r[1], r[2], r[3], r[4]);
		break;
	case 9:
		z.lo = db_rate(r[1], (db_u32)r[2]);
		break;
	case 10:
		z.lo = db_tustin(r[1], r[2], r[3], (db_u32)r[4], (db_u32)r[5]);
		break;
	case 11:
		z.lo = db_scaled(r[1], (db_u32)r[2]);
		break;
	}
	write_words(&z.hi, 1);
	write_words(&z.lo, 1);
}

static void veno(struct db_veno *v, struct db_veno_config *config, const db_u64 *r)
{
	switch (r[0]) {
	case 0:
		config->beta = r[1];
		config->factor_random = (db_u32)(r[2] >> 32);
		config->factor_congestion = (db_u32)r[2];
		config->growth.counting = (db_u8)r[3];
		config->growth.abc_limit = (db_u8)(r[3] >> 8);
		config->growth.loss_window = (db_u8)(r[3] >> 16);
		config->growth.min_ssthresh = (db_u8)(r[3] >> 24);
		config->growth.rto_repeat_halve = (db_u8)(r[3] >> 32);
		config->rtt_mode = (db_u8)(r[3] >> 40);
		config->base_reset = (db_u8)(r[3] >> 48);
		config->busy_growth = (db_u8)(r[3] >> 56);
		db_veno_init(v, r[4], r[5]);
		break;
	case 1:
		db_veno_on_rtt(v, config, r[1], r[2]);
		break;
	case 2:
		db_veno_on_ack(v, config, r[1], r[2] != 0);
		break;
	case 3:
		db_veno_on_loss(v, config, r[1]);
		break;
	case 4:
		db_veno_on_timeout(v, config, r[1], (db_u32)r[2]);
		break;
	case 5:
		db_veno_restrict(v, r[1]);
		break;
	}
}

static void write_state(const struct db_veno *v)
{
	const db_u64 words[12] = {
		v->growth.cwnd, v->growth.ssthresh, v->growth.credit, v->growth.repairing,
		v->rtt.rtt, v->rtt.began, v->rtt.gathered, v->rtt.count,
		v->base, v->grow_next, v->rule, 0,
	};

	write_words(words, 12);
}

int main(int argc, char **argv)
{
	struct db_veno v;
	struct db_veno_config config;
	db_u64 record[6];
	int helpers = argc > 1 && strcmp(argv[1], "helpers") == 0;

	memset(&v, 0, sizeof(v));
	memset(&config, 0, sizeof(config));
	while (fread(record, sizeof(record), 1, stdin) == 1) {
		if (helpers) {
			helper(record);
		} else {
			veno(&v, &config, record);
			write_state(&v);
		}
	}
	return 0;
}
