/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The arithmetic of the twins alone: an operation, its arguments, two words of result. */
#include "../bandwidth.h"
#include "../trend.h"
#include "twin.h"

void db_helper(const db_u64 *r, db_u64 *answer)
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
		z.lo = db_rate(r[1], r[2]);
		break;
	case 10:
		z.lo = db_tustin(r[1], r[2], r[3], (db_u32)r[4], (db_u32)r[5]);
		break;
	case 11:
		z.lo = db_scaled(r[1], (db_u32)r[2]);
		break;
	case 12:
		z.lo = db_product_above(r[1], r[2], r[3], r[4]);
		break;
	case 13:
		z.lo = db_wide_quotient(x, r[3]);
		break;
	case 14:
		z.lo = db_leading_zeros(r[1]);
		break;
	case 15:
		z.lo = db_bytes(r[1], (db_u32)r[2]);
		break;
	case 16:
		z.lo = db_path_window(r[1], r[2], (db_u32)r[3]);
		break;
	case 17:
		z.lo = db_throughput(r[1], (db_u32)r[2], r[3]);
		break;
	case 18:
		z.lo = db_ewma(r[1], r[2], (db_u32)r[3]);
		break;
	case 19:
		z.lo = (db_u64)(db_change(r[1], r[2], (db_u32)r[3]) + 1);
		break;
	case 20:
		z.lo = (db_u64)(db_sign((db_s64)r[1], r[2]) + 1);
		break;
	}
	answer[0] = z.hi;
	answer[1] = z.lo;
}
