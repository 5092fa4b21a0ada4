/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sections that are tables: which columns each has, in which order they are written. A new one
 * is a row here (doc/howto/add-a-profile-section.md).
 */
#include "profile/rows.h"

#include "base/cleanup.h"

#define FIELD(row, member, key_, type_, ...)                                                       \
	{                                                                                          \
		.key = (key_), .offset = offsetof(row, member), .type = RAROG_FIELD_##type_,       \
		__VA_ARGS__                                                                        \
	}
#define LAST               .predict = RAROG_PREDICT_LAST
#define ROW                .predict = RAROG_PREDICT_ROW
#define OTHER(row, field_) .predict = RAROG_PREDICT_OTHER, .other = offsetof(row, field_)
#define PLAIN              .predict = RAROG_PREDICT_ZERO
#define MAY(section)       .refers = RAROG_REFERS_MAY, .to = RAROG_BLOCK_##section
#define MUST(section)      .refers = RAROG_REFERS_MUST, .to = RAROG_BLOCK_##section
#define BELOW(limit)       .refers = RAROG_REFERS_BELOW, .to = (limit)
#define EARLIER            .refers = RAROG_REFERS_EARLIER
#define TREE               .refers = RAROG_REFERS_TREE

static const struct rarog_field clock_columns[] = {
	FIELD(struct rarog_clock, hz, "hz", U64, PLAIN),
	FIELD(struct rarog_clock, origin_ticks, "origin_ticks", U64, PLAIN),
	FIELD(struct rarog_clock, origin_ns, "origin_ns", U64, PLAIN),
	FIELD(struct rarog_clock, suspect, "is_suspect", BOOL, PLAIN),
};

static const struct rarog_field binary_columns[] = {
	FIELD(struct rarog_profile_binary, path, "path", TEXT, LAST),
	FIELD(struct rarog_profile_binary, build_id, "build_id", TEXT, LAST),
	FIELD(struct rarog_profile_binary, load_bias, "load_bias", U64, PLAIN),
};

static const struct rarog_field location_columns[] = {
	FIELD(struct rarog_location, kind, "kind", U32, PLAIN),
	FIELD(struct rarog_location, binary, "binary", U32, LAST, MAY(BINARIES)),
	FIELD(struct rarog_location, address, "address", U64, LAST),
	FIELD(struct rarog_location, size, "size_bytes", U64, PLAIN),
	FIELD(struct rarog_location, name, "name", TEXT, LAST),
	FIELD(struct rarog_location, demangled, "demangled", TEXT, LAST),
	FIELD(struct rarog_location, file, "file", TEXT, LAST),
	FIELD(struct rarog_location, line, "line", U32, LAST),
};

static const struct rarog_field process_columns[] = {
	FIELD(struct rarog_process, pid, "pid", U32, LAST),
	FIELD(struct rarog_process, parent, "parent", U32, LAST, MAY(PROCESSES)),
	FIELD(struct rarog_process, start_ticks, "start_ticks", U64, LAST),
	FIELD(struct rarog_process, end_ticks, "end_ticks", U64,
	      OTHER(struct rarog_process, start_ticks)),
	FIELD(struct rarog_process, wait_status, "wait_status", I32, PLAIN),
	FIELD(struct rarog_process, command, "command", TEXT, LAST),
};

static const struct rarog_field strand_columns[] = {
	FIELD(struct rarog_strand, process, "process", U32, LAST, MAY(PROCESSES)),
	FIELD(struct rarog_strand, tid, "tid", U32, LAST),
	FIELD(struct rarog_strand, start_ticks, "start_ticks", U64, LAST),
	FIELD(struct rarog_strand, end_ticks, "end_ticks", U64,
	      OTHER(struct rarog_strand, start_ticks)),
};

static const struct rarog_field node_columns[] = {
	FIELD(struct rarog_node, parent, "parent", U32, ROW, TREE),
	FIELD(struct rarog_node, location, "location", U32, PLAIN, MAY(LOCATIONS)),
	FIELD(struct rarog_node, count, "count", U64, PLAIN),
	FIELD(struct rarog_node, exclusive, "exclusive_ticks", U64, PLAIN),
	FIELD(struct rarog_node, inclusive, "inclusive_ticks", U64,
	      OTHER(struct rarog_node, exclusive)),
};

static const struct rarog_field summary_columns[] = {
	FIELD(struct rarog_summary, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_summary, strand, "strand", U32, LAST, MAY(STRANDS)),
	FIELD(struct rarog_summary, count, "count", U64, PLAIN),
	FIELD(struct rarog_summary, timed, "timed", U64, OTHER(struct rarog_summary, count)),
	FIELD(struct rarog_summary, sum, "sum_ticks", U64, PLAIN),
	FIELD(struct rarog_summary, total, "total_ticks", U64, OTHER(struct rarog_summary, sum)),
	FIELD(struct rarog_summary, exclusive, "exclusive_ticks", U64,
	      OTHER(struct rarog_summary, sum)),
	FIELD(struct rarog_summary, min, "min_ticks", U64, PLAIN),
	FIELD(struct rarog_summary, max, "max_ticks", U64, OTHER(struct rarog_summary, min)),
	FIELD(struct rarog_summary, square_low, "squares_low", U64, PLAIN),
	FIELD(struct rarog_summary, square_high, "squares_high", U64, PLAIN),
	FIELD(struct rarog_summary, open, "open", U64, PLAIN),
	FIELD(struct rarog_summary, unwound, "unwound", U64, PLAIN),
	FIELD(struct rarog_summary, n_buckets, "n_bars", U32, PLAIN),
};

static const struct rarog_field inlined_columns[] = {
	FIELD(struct rarog_inlined_into, name, "name", TEXT, LAST),
	FIELD(struct rarog_inlined_into, host, "host", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_inlined_into, file, "file", TEXT, LAST),
	FIELD(struct rarog_inlined_into, line, "line", U32, LAST),
};

static const struct rarog_field loss_columns[] = {
	FIELD(struct rarog_loss, what, "what", TEXT, PLAIN),
	FIELD(struct rarog_loss, count, "count", U64, PLAIN),
};

static const struct rarog_field quantity_columns[] = {
	FIELD(struct rarog_quantity, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_quantity, what, "what", TEXT, LAST),
	FIELD(struct rarog_quantity, unit, "unit", TEXT, LAST),
	FIELD(struct rarog_quantity, count, "count", U64, PLAIN),
	FIELD(struct rarog_quantity, sum, "sum", U64, PLAIN),
	FIELD(struct rarog_quantity, min, "min", U64, PLAIN),
	FIELD(struct rarog_quantity, max, "max", U64, OTHER(struct rarog_quantity, min)),
};

static const struct rarog_field note_columns[] = {
	FIELD(struct rarog_note, key, "key", TEXT, LAST),
	FIELD(struct rarog_note, text, "text", TEXT, PLAIN),
};

static const struct rarog_field off_cpu_columns[] = {
	FIELD(struct rarog_off_cpu, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_off_cpu, strand, "strand", U32, LAST, MAY(STRANDS)),
	FIELD(struct rarog_off_cpu, is_unknown, "is_unknown", BOOL, PLAIN),
	FIELD(struct rarog_off_cpu, waited, "waited_ticks", U64, PLAIN),
	FIELD(struct rarog_off_cpu, preempted, "preempted_ticks", U64, PLAIN),
	FIELD(struct rarog_off_cpu, total_waited, "total_waited_ticks", U64,
	      OTHER(struct rarog_off_cpu, waited)),
	FIELD(struct rarog_off_cpu, total_preempted, "total_preempted_ticks", U64,
	      OTHER(struct rarog_off_cpu, preempted)),
};

static const struct rarog_field node_off_cpu_columns[] = {
	FIELD(struct rarog_node_off_cpu, node, "node", U32, LAST),
	FIELD(struct rarog_node_off_cpu, waited, "waited_ticks", U64, PLAIN),
	FIELD(struct rarog_node_off_cpu, preempted, "preempted_ticks", U64, PLAIN),
};

static const struct rarog_field block_columns[] = {
	FIELD(struct rarog_block_count, location, "location", U32, LAST, MUST(LOCATIONS)),
	FIELD(struct rarog_block_count, line, "line", U32, LAST),
	FIELD(struct rarog_block_count, column, "column", U32, PLAIN),
	FIELD(struct rarog_block_count, instructions, "instructions", U32, PLAIN),
	FIELD(struct rarog_block_count, count, "count", U64, LAST),
};

static const struct rarog_field edge_columns[] = {
	FIELD(struct rarog_edge_count, from, "from", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_edge_count, to, "to", U32, OTHER(struct rarog_edge_count, from),
	      MUST(COUNTS)),
	FIELD(struct rarog_edge_count, count, "count", U64, PLAIN),
	FIELD(struct rarog_edge_count, is_unknown, "is_unknown", BOOL, PLAIN),
};

static const struct rarog_field block_line_columns[] = {
	FIELD(struct rarog_block_line, block, "block", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_block_line, line, "line", U32, LAST),
};

static const struct rarog_field frame_columns[] = {
	FIELD(struct rarog_inline_frame, parent, "parent", U32, LAST, EARLIER),
	FIELD(struct rarog_inline_frame, name, "name", TEXT, LAST),
	FIELD(struct rarog_inline_frame, file, "file", TEXT, LAST),
	FIELD(struct rarog_inline_frame, line, "line", U32, LAST),
	FIELD(struct rarog_inline_frame, column, "column", U32, PLAIN),
};

static const struct rarog_field machine_columns[] = {
	FIELD(struct rarog_machine_count, location, "location", U32, LAST, MUST(LOCATIONS)),
	FIELD(struct rarog_machine_count, address, "address", U64, LAST),
	FIELD(struct rarog_machine_count, size, "size", U32, PLAIN),
	FIELD(struct rarog_machine_count, instructions, "instructions", U32, PLAIN),
	FIELD(struct rarog_machine_count, counting, "counting", U32, PLAIN),
	FIELD(struct rarog_machine_count, frame, "frame", U32, LAST, MAY(FRAMES)),
	FIELD(struct rarog_machine_count, file, "file", TEXT, LAST),
	FIELD(struct rarog_machine_count, line, "line", U32, LAST),
	FIELD(struct rarog_machine_count, column, "column", U32, PLAIN),
	FIELD(struct rarog_machine_count, least, "least", U64, LAST),
	FIELD(struct rarog_machine_count, most, "most", U64,
	      OTHER(struct rarog_machine_count, least)),
};

static const struct rarog_field unrolled_columns[] = {
	FIELD(struct rarog_unrolled, block, "block", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_unrolled, copies, "copies", U32, PLAIN),
};

static const struct rarog_field trips_columns[] = {
	FIELD(struct rarog_trips, block, "block", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_trips, entries, "entries", U64, PLAIN),
	FIELD(struct rarog_trips, rounds, "rounds", U64, OTHER(struct rarog_trips, entries)),
	FIELD(struct rarog_trips, least, "least", U64, PLAIN),
	FIELD(struct rarog_trips, most, "most", U64, OTHER(struct rarog_trips, least)),
};

static const struct rarog_field trip_bucket_columns[] = {
	FIELD(struct rarog_trip_bucket, block, "block", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_trip_bucket, log2, "log2", U32, PLAIN, BELOW(RAROG_TRIPS_LAST + 1)),
	FIELD(struct rarog_trip_bucket, entries, "entries", U64, PLAIN),
};

static const struct rarog_field path_columns[] = {
	FIELD(struct rarog_path, block, "block", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_path, n_more, "more_blocks", U32, PLAIN),
	FIELD(struct rarog_path, next, "next", U32, LAST, MAY(COUNTS)),
	FIELD(struct rarog_path, count, "count", U64, PLAIN),
};

static const struct rarog_field path_block_columns[] = {
	FIELD(struct rarog_path_block, block, "block", U32, LAST, MUST(COUNTS)),
};

static const struct rarog_field origin_columns[] = {
	FIELD(struct rarog_block_origin, block, "block", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_block_origin, frame, "frame", U32, LAST, MUST(FRAMES)),
	FIELD(struct rarog_block_origin, file, "file", TEXT, LAST),
	FIELD(struct rarog_block_origin, line, "line", U32, LAST),
	FIELD(struct rarog_block_origin, column, "column", U32, PLAIN),
};

static const struct rarog_field part_columns[] = {
	FIELD(struct rarog_block_part, block, "block", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_block_part, frame, "frame", U32, LAST, MAY(FRAMES)),
	FIELD(struct rarog_block_part, file, "file", TEXT, LAST),
	FIELD(struct rarog_block_part, line, "line", U32, LAST),
	FIELD(struct rarog_block_part, flags, "flags", U32, PLAIN, BELOW(2 * RAROG_PART_BEGINS)),
};

static const struct rarog_field access_columns[] = {
	FIELD(struct rarog_block_accesses, block, "block", U32, LAST, MUST(COUNTS)),
	FIELD(struct rarog_block_accesses, loads, "loads", U64, PLAIN),
	FIELD(struct rarog_block_accesses, load_bytes, "load_bytes", U64, PLAIN),
	FIELD(struct rarog_block_accesses, stores, "stores", U64, PLAIN),
	FIELD(struct rarog_block_accesses, store_bytes, "store_bytes", U64, PLAIN),
};

static const struct rarog_field argument_columns[] = {
	FIELD(struct rarog_argument, location, "location", U32, LAST, MUST(LOCATIONS)),
	FIELD(struct rarog_argument, name, "name", TEXT, LAST),
	FIELD(struct rarog_argument, type, "type", TEXT, LAST),
	FIELD(struct rarog_argument, kind, "kind", U32, PLAIN),
	FIELD(struct rarog_argument, is_return, "is_return", BOOL, PLAIN),
};

static const struct rarog_field argument_sum_columns[] = {
	FIELD(struct rarog_argument_sum, argument, "argument", U32, LAST, MUST(ARGUMENTS)),
	FIELD(struct rarog_argument_sum, count, "count", U64, PLAIN),
	FIELD(struct rarog_argument_sum, unknown, "unknown", U64, PLAIN),
	FIELD(struct rarog_argument_sum, min, "min", U64, PLAIN),
	FIELD(struct rarog_argument_sum, max, "max", U64, OTHER(struct rarog_argument_sum, min)),
	FIELD(struct rarog_argument_sum, sum, "sum_bits", U64, PLAIN),
};

static const struct rarog_field value_columns[] = {
	FIELD(struct rarog_call_value, argument, "argument", U32, LAST, MUST(ARGUMENTS)),
	FIELD(struct rarog_call_value, strand, "strand", U32, LAST, MUST(STRANDS)),
	FIELD(struct rarog_call_value, number, "number", U64, LAST),
	FIELD(struct rarog_call_value, value, "value", U64, LAST),
};

static const struct rarog_field block_time_columns[] = {
	FIELD(struct rarog_block_time, block, "block", U32, LAST, MAY(COUNTS)),
	FIELD(struct rarog_block_time, machine, "machine", U32, LAST, MAY(MACHINE)),
	FIELD(struct rarog_block_time, is_estimated, "is_estimated", BOOL, PLAIN),
	FIELD(struct rarog_block_time, count, "count", U64, PLAIN),
	FIELD(struct rarog_block_time, sum, "sum_ticks", U64, PLAIN),
	FIELD(struct rarog_block_time, min, "min_ticks", U64, PLAIN),
	FIELD(struct rarog_block_time, max, "max_ticks", U64, OTHER(struct rarog_block_time, min)),
};

static const struct rarog_field allocation_columns[] = {
	FIELD(struct rarog_allocation, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_allocation, site, "site", U64, LAST),
	FIELD(struct rarog_allocation, count, "count", U64, PLAIN),
	FIELD(struct rarog_allocation, bytes, "bytes", U64, PLAIN),
	FIELD(struct rarog_allocation, live, "live_bytes", U64, PLAIN),
	FIELD(struct rarog_allocation, peak, "peak_bytes", U64,
	      OTHER(struct rarog_allocation, live)),
};

static const struct rarog_field bound_columns[] = {
	FIELD(struct rarog_bound, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_bound, what, "what", TEXT, LAST),
	FIELD(struct rarog_bound, unit, "unit", TEXT, LAST),
	FIELD(struct rarog_bound, least, "least", U64, PLAIN),
	FIELD(struct rarog_bound, most, "most", U64, OTHER(struct rarog_bound, least)),
	FIELD(struct rarog_bound, reason, "reason", TEXT, LAST),
};

static const struct rarog_field region_columns[] = {
	FIELD(struct rarog_region, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_region, name, "name", TEXT, LAST),
	FIELD(struct rarog_region, file, "file", TEXT, LAST),
	FIELD(struct rarog_region, line, "line", U32, LAST),
	FIELD(struct rarog_region, last_line, "last_line", U32, OTHER(struct rarog_region, line)),
	FIELD(struct rarog_region, count, "count", U64, PLAIN),
	FIELD(struct rarog_region, exclusive, "exclusive_ticks", U64, PLAIN),
	FIELD(struct rarog_region, inclusive, "inclusive_ticks", U64,
	      OTHER(struct rarog_region, exclusive)),
};

static const struct rarog_field experiment_columns[] = {
	FIELD(struct rarog_experiment, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_experiment, line, "line", U32, LAST),
	FIELD(struct rarog_experiment, kind, "kind", TEXT, LAST),
	FIELD(struct rarog_experiment, amount, "amount_ticks", U64, PLAIN),
	FIELD(struct rarog_experiment, runs, "runs", U64, PLAIN),
	FIELD(struct rarog_experiment, effect, "effect_bits", U64, PLAIN),
	FIELD(struct rarog_experiment, low, "low_bits", U64, PLAIN),
	FIELD(struct rarog_experiment, high, "high_bits", U64, PLAIN),
};

static const struct rarog_field trial_columns[] = {
	FIELD(struct rarog_trial, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_trial, line, "line", U32, LAST),
	FIELD(struct rarog_trial, strand, "strand", U32, LAST, MAY(STRANDS)),
	FIELD(struct rarog_trial, number, "number", U64, LAST),
	FIELD(struct rarog_trial, amount, "amount_ticks", U64, LAST),
	FIELD(struct rarog_trial, injected, "injected_ticks", U64, PLAIN),
	FIELD(struct rarog_trial, time, "time_ticks", U64, LAST),
};

static const struct rarog_field snapshot_columns[] = {
	FIELD(struct rarog_snapshot, ticks, "ticks", U64, LAST),
	FIELD(struct rarog_snapshot, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_snapshot, what, "what", TEXT, LAST),
	FIELD(struct rarog_snapshot, unit, "unit", TEXT, LAST),
	FIELD(struct rarog_snapshot, value, "value", U64, LAST),
};

static const struct rarog_field absence_columns[] = {
	FIELD(struct rarog_absence, strand, "strand", U32, LAST, MUST(STRANDS)),
	FIELD(struct rarog_absence, begin, "begin_ticks", U64, LAST),
	FIELD(struct rarog_absence, ticks, "ticks", U64, PLAIN),
	FIELD(struct rarog_absence, is_preempted, "is_preempted", BOOL, LAST),
};

static const struct rarog_field measured_columns[] = {
	FIELD(struct rarog_measured, location, "location", U32, LAST, MAY(LOCATIONS)),
	FIELD(struct rarog_measured, binary, "binary", U32, LAST, MAY(BINARIES)),
	FIELD(struct rarog_measured, how, "how", U32, LAST, BELOW(RAROG_HOW_PRUNED + 1)),
	FIELD(struct rarog_measured, every, "every", U64, LAST),
	FIELD(struct rarog_measured, reason, "reason", TEXT, LAST),
};

#define FORMAT(kind_, name_, row, columns_, ...)                                                   \
	{                                                                                          \
		.kind = RAROG_BLOCK_##kind_, .name = (name_), .row_size = sizeof(row),             \
		.columns = (columns_), .n_columns = RAROG_COUNT(columns_), __VA_ARGS__             \
	}

/* In the order in which they are written: what is referred to first. */
static const struct rarog_rows_format formats[] = {
	FORMAT(CLOCK, "clock", struct rarog_clock, clock_columns, .version = 1),
	FORMAT(BINARIES, "binaries", struct rarog_profile_binary, binary_columns, .version = 1),
	FORMAT(LOCATIONS, "locations", struct rarog_location, location_columns, .keeps = true,
	       .version = 1),
	FORMAT(PROCESSES, "processes", struct rarog_process, process_columns, .keeps = true,
	       .version = 1),
	FORMAT(STRANDS, "strands", struct rarog_strand, strand_columns, .keeps = true,
	       .version = 1),
	FORMAT(INLINED, "inlined", struct rarog_inlined_into, inlined_columns, .version = 1),
	FORMAT(QUANTITIES, "quantities", struct rarog_quantity, quantity_columns, .version = 1),
	FORMAT(NOTES, "notes", struct rarog_note, note_columns, .version = 1),
	FORMAT(LOSSES, "losses", struct rarog_loss, loss_columns, .version = 1),
	FORMAT(OFF_CPU, "away", struct rarog_off_cpu, off_cpu_columns, .version = 1),
	FORMAT(NODES_OFF_CPU, "nodes_away", struct rarog_node_off_cpu, node_off_cpu_columns,
	       .version = 1),
	FORMAT(COUNTS, "blocks", struct rarog_block_count, block_columns, .version = 1),
	FORMAT(EDGES, "edges", struct rarog_edge_count, edge_columns, .version = 1),
	FORMAT(LINES, "block_lines", struct rarog_block_line, block_line_columns, .version = 1),
	FORMAT(FRAMES, "frames", struct rarog_inline_frame, frame_columns, .version = 1),
	FORMAT(MACHINE, "machine", struct rarog_machine_count, machine_columns, .version = 1),
	FORMAT(UNROLLED, "unrolled", struct rarog_unrolled, unrolled_columns, .version = 1),
	FORMAT(TRIPS, "trips", struct rarog_trips, trips_columns, .version = 1),
	FORMAT(TRIP_BUCKETS, "trip_bars", struct rarog_trip_bucket, trip_bucket_columns,
	       .version = 1),
	FORMAT(PATHS, "paths", struct rarog_path, path_columns, .version = 1),
	FORMAT(PATH_BLOCKS, "path_blocks", struct rarog_path_block, path_block_columns,
	       .version = 1),
	FORMAT(ORIGINS, "origins", struct rarog_block_origin, origin_columns, .version = 1),
	FORMAT(PARTS, "parts", struct rarog_block_part, part_columns, .version = 1),
	FORMAT(ACCESSES, "accesses", struct rarog_block_accesses, access_columns, .version = 1),
	FORMAT(SUMMARIES, "summaries", struct rarog_summary, summary_columns, .has_buckets = true,
	       .version = 2),
	FORMAT(ARGUMENTS, "arguments", struct rarog_argument, argument_columns, .version = 1),
	FORMAT(ARGUMENT_SUMS, "argument_sums", struct rarog_argument_sum, argument_sum_columns,
	       .version = 1),
	FORMAT(VALUES, "values", struct rarog_call_value, value_columns, .version = 1),
	FORMAT(TIMES, "block_times", struct rarog_block_time, block_time_columns, .version = 1),
	FORMAT(ALLOCATIONS, "allocations", struct rarog_allocation, allocation_columns,
	       .version = 1),
	FORMAT(BOUNDS, "bounds", struct rarog_bound, bound_columns, .version = 1),
	FORMAT(REGIONS, "regions", struct rarog_region, region_columns, .version = 1),
	FORMAT(EXPERIMENTS, "experiments", struct rarog_experiment, experiment_columns,
	       .version = 1),
	FORMAT(SNAPSHOTS, "snapshots", struct rarog_snapshot, snapshot_columns, .version = 1),
	FORMAT(MEASURED, "measured", struct rarog_measured, measured_columns, .version = 1),
	FORMAT(ABSENCES, "absences", struct rarog_absence, absence_columns, .version = 1),
	FORMAT(TRIALS, "trials", struct rarog_trial, trial_columns, .version = 1),
	FORMAT(NODES, "nodes", struct rarog_node, node_columns, .version = 2),
};

const struct rarog_rows_format *rarog_rows_format_at(size_t i)
{
	return i < RAROG_COUNT(formats) ? &formats[i] : NULL;
}

const struct rarog_rows_format *rarog_rows_format(unsigned kind)
{
	for (size_t i = 0; i < RAROG_COUNT(formats); i++)
		if (formats[i].kind == kind)
			return &formats[i];
	return NULL;
}

const char *rarog_block_name(unsigned kind)
{
	static const char *const others[] = {
		[RAROG_BLOCK_HEADER] = "header",
		[RAROG_BLOCK_STRINGS] = "strings",
		[RAROG_BLOCK_CALLS] = "calls",
		[RAROG_BLOCK_INDEX] = "index",
	};
	const struct rarog_rows_format *format = rarog_rows_format(kind);

	if (format)
		return format->name;
	return kind < RAROG_COUNT(others) && others[kind] ? others[kind] : "unknown";
}

unsigned rarog_rows_version(unsigned kind)
{
	const struct rarog_rows_format *format = rarog_rows_format(kind);

	return format ? format->version : 1;
}
