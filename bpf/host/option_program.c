/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Reads records from standard input, writes results to standard output; see option.h. */
#include <stdio.h>

#include "option.h"

int main(void)
{
	db_u64 record[DB_OPTION_WORDS];
	db_s64 answer;

	while (fread(record, sizeof(record), 1, stdin) == 1) {
		answer = db_option_answer(record);
		fwrite(&answer, sizeof(answer), 1, stdout);
	}
	return 0;
}
