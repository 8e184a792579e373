/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The units of a congestion control and their arithmetic, in C: the twin of the Rust
 * modules `units` and `wide` of dumbbell-control. Every result is the exact floor of the
 * stated expression, so the two agree bit for bit.
 *
 * Plain C that a compiler for BPF accepts: 64-bit unsigned integers only, no 128-bit
 * arithmetic, no floats, no signed division, no division by zero, no shift by 64 or more,
 * no call, no loop without a constant bound.
 *
 * Scales: windows are segments << 32, times nanoseconds, rates bytes/s << 16, factors
 * millionths.
 */
#ifndef DUMBBELL_H
#define DUMBBELL_H

typedef unsigned char db_u8;
typedef unsigned int db_u32;
typedef unsigned long long db_u64;
typedef signed char db_s8;
typedef signed long long db_s64;

#define DB_INLINE inline __attribute__((always_inline))

/* Hides a value from the compiler, so that it does not create a branch for it. */
#define DB_OPAQUE(x) __asm__("" : "+r"(x))

#define DB_U64_MAX (~0ULL)
#define DB_SEGMENT (1ULL << 32)
#define DB_CWND_CAP (1ULL << 52)
#define DB_RATE_CAP (1ULL << 60)
#define DB_RATIO_ONE 1000000U
#define DB_SECOND 1000000000U
/* The longest RTT that an estimator accepts unchanged: 2^37 ns. */
#define DB_RTT_LONGEST (1ULL << 37)

struct db_u128 {
	db_u64 hi;
	db_u64 lo;
};

static DB_INLINE db_u64 db_min(db_u64 a, db_u64 b)
{
	return a < b ? a : b;
}

static DB_INLINE db_u64 db_max(db_u64 a, db_u64 b)
{
	return a > b ? a : b;
}

static DB_INLINE db_u64 db_clamp(db_u64 x, db_u64 least, db_u64 most)
{
	return db_min(db_max(x, least), most);
}

/* a + b, saturating */
static DB_INLINE db_u64 db_add(db_u64 a, db_u64 b)
{
	db_u64 sum = a + b;

	return sum < a ? DB_U64_MAX : sum;
}

/* a - b, or 0 */
static DB_INLINE db_u64 db_sub(db_u64 a, db_u64 b)
{
	return a > b ? a - b : 0;
}

/* a * b in full, from halves of 32 bits */
static DB_INLINE struct db_u128 db_mul64(db_u64 a, db_u64 b)
{
	db_u64 a0 = a & 0xffffffffULL, a1 = a >> 32;
	db_u64 b0 = b & 0xffffffffULL, b1 = b >> 32;
	db_u64 low = a0 * b0;
	/* at most (2^32 - 1)^2 + 2^32 - 1 < 2^64 */
	db_u64 cross = a1 * b0 + (low >> 32);
	db_u64 middle = a0 * b1 + (cross & 0xffffffffULL);
	struct db_u128 product;

	product.hi = a1 * b1 + (cross >> 32) + (middle >> 32);
	product.lo = (middle << 32) | (low & 0xffffffffULL);
	return product;
}

/* a + b, modulo 2^128 */
static DB_INLINE struct db_u128 db_add128(struct db_u128 a, struct db_u128 b)
{
	struct db_u128 sum;

	sum.lo = a.lo + b.lo;
	sum.hi = a.hi + b.hi + (sum.lo < a.lo);
	return sum;
}

/* a << bits, modulo 2^128; 0 from 128 bits on */
static DB_INLINE struct db_u128 db_shl128(struct db_u128 a, db_u32 bits)
{
	struct db_u128 shifted = a;

	if (bits >= 128) {
		shifted.hi = 0;
		shifted.lo = 0;
	} else if (bits >= 64) {
		shifted.hi = a.lo << ((bits - 64) & 63);
		shifted.lo = 0;
	} else if (bits > 0) {
		shifted.hi = (a.hi << (bits & 63)) | (a.lo >> ((64 - bits) & 63));
		shifted.lo = a.lo << (bits & 63);
	}
	return shifted;
}

/* a >= b */
static DB_INLINE int db_ge128(struct db_u128 a, struct db_u128 b)
{
	return a.hi > b.hi || (a.hi == b.hi && a.lo >= b.lo);
}

/* a * b >= c * d */
static DB_INLINE int db_product_at_least(db_u64 a, db_u64 b, db_u64 c, db_u64 d)
{
	return db_ge128(db_mul64(a, b), db_mul64(c, d));
}

/* a * b > c * d */
static DB_INLINE int db_product_above(db_u64 a, db_u64 b, db_u64 c, db_u64 d)
{
	return !db_product_at_least(c, d, a, b);
}

/* floor(n / d), by four digits of 32 bits; all ones for d = 0 */
static DB_INLINE struct db_u128 db_div128by32(struct db_u128 n, db_u32 d)
{
	db_u64 divisor = d;
	db_u64 digit, upper;
	struct db_u128 quotient = { DB_U64_MAX, DB_U64_MAX };

	if (divisor == 0)
		return quotient;
	digit = n.hi >> 32;
	upper = digit / divisor;
	digit = ((digit % divisor) << 32) | (n.hi & 0xffffffffULL);
	quotient.hi = (upper << 32) | (digit / divisor);
	digit = ((digit % divisor) << 32) | (n.lo >> 32);
	upper = digit / divisor;
	digit = ((digit % divisor) << 32) | (n.lo & 0xffffffffULL);
	quotient.lo = (upper << 32) | (digit / divisor);
	return quotient;
}

/* floor(n / d), saturating: two digits, because more do not fit; all ones for d = 0 */
static DB_INLINE db_u64 db_narrow_quotient(struct db_u128 n, db_u32 d)
{
	db_u64 divisor = d;
	db_u64 upper, lower;

	if (n.hi >= divisor)
		return DB_U64_MAX;
	upper = (n.hi << 32) | (n.lo >> 32);
	lower = ((upper % divisor) << 32) | (n.lo & 0xffffffffULL);
	return ((upper / divisor) << 32) | (lower / divisor);
}

/* floor(a * x / d), saturating; all ones for d = 0 */
static DB_INLINE db_u64 db_muldiv(db_u64 a, db_u32 x, db_u32 d)
{
	return db_narrow_quotient(db_mul64(a, x), d);
}

/* floor((a * x + b * y) / d), saturating; all ones for d = 0 */
static DB_INLINE db_u64 db_muladd_div(db_u64 a, db_u32 x, db_u64 b, db_u32 y, db_u32 d)
{
	return db_narrow_quotient(db_add128(db_mul64(a, x), db_mul64(b, y)), d);
}

/* floor(2^64 / w), saturating: one segment divided by a window */
static DB_INLINE db_u64 db_reciprocal(db_u64 w)
{
	if (w <= 1)
		return DB_U64_MAX;
	/* 2^64 - w fits in 64 bits, and its quotient is one less than that of 2^64 */
	return (0 - w) / w + 1;
}

/* floor(window * ratio) */
static DB_INLINE db_u64 db_scaled(db_u64 window, db_u32 ratio)
{
	return db_muldiv(window, ratio, DB_RATIO_ONE);
}

/* The number of leading zeros of x; 64 for 0 */
static DB_INLINE db_u32 db_leading_zeros(db_u64 x)
{
	db_u32 zeros = 0;

	if (x == 0)
		return 64;
	if (!(x >> 32)) {
		zeros += 32;
		x <<= 32;
	}
	if (!(x >> 48)) {
		zeros += 16;
		x <<= 16;
	}
	if (!(x >> 56)) {
		zeros += 8;
		x <<= 8;
	}
	if (!(x >> 60)) {
		zeros += 4;
		x <<= 4;
	}
	if (!(x >> 62)) {
		zeros += 2;
		x <<= 2;
	}
	return zeros + !(x >> 63);
}

/*
 * floor((n * 2^32 + next) / d), for n < d and 2^63 <= d. The digit is estimated by the upper
 * half of d, which is at most two too high (Knuth, volume 2, section 4.3.1). The estimate is
 * at most 2^32 + 1, and its product with the lower half fits. The remainder replaces n.
 */
static DB_INLINE db_u64 db_digit(db_u64 *n, db_u64 next, db_u64 d)
{
	db_u64 upper = d >> 32, lower = d & 0xffffffffULL;
	db_u64 digit = *n / upper, rest = *n % upper;

	if (digit * lower > ((rest << 32) | next)) {
		digit -= 1;
		rest += upper;
		if (!(rest >> 32) && digit * lower > ((rest << 32) | next))
			digit -= 1;
	}
	*n = ((*n << 32) | next) - digit * d;
	return digit;
}

/* floor(n / d), saturating; all ones for d = 0 */
static DB_INLINE db_u64 db_wide_quotient(struct db_u128 n, db_u64 d)
{
	db_u64 upper, lower;
	db_u32 shift;

	if (n.hi >= d)
		return DB_U64_MAX;
	if (!(d >> 32))
		return db_narrow_quotient(n, (db_u32)d);
	shift = db_leading_zeros(d);
	n = db_shl128(n, shift);
	d <<= shift & 63;
	upper = db_digit(&n.hi, n.lo >> 32, d);
	lower = db_digit(&n.hi, n.lo & 0xffffffffULL, d);
	return (upper << 32) | lower;
}

/* floor(window * mss), the whole bytes of a window, at most 2^32 - 1 */
static DB_INLINE db_u32 db_bytes(db_u64 window, db_u32 mss)
{
	struct db_u128 product = db_mul64(window, mss);
	db_u64 bytes = (product.hi << 32) | (product.lo >> 32);

	return product.hi >> 32 || bytes >> 32 ? 0xffffffffU : (db_u32)bytes;
}

#endif
