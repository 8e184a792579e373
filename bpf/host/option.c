/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The parsers of options, one record at a time; see option.h. */
#include "option.h"

db_s64 db_option_answer(const db_u64 record[DB_OPTION_WORDS])
{
	const db_u8 *options = (const db_u8 *)(record + 3);

	switch (record[0]) {
	case 0:
		return db_aqt_find(options, (db_u32)record[1]);
	case 1:
		return db_mss_find(options, (db_u32)record[1]);
	case 2:
		return db_aqt_delayed((db_u32)record[1], record[2]);
	default:
		return db_mss_with_room((db_u32)record[1]);
	}
}
