/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Superblocks end at jumps (chasing is off, main.c), so nearly all are one run of instructions that
 * are executed from the first to the last. Where one can be left in between (a repeated string
 * instruction), it is several. Each run adds 1 to its own counter and its number of instructions to
 * the strand's, both by plain loads and stores.
 *
 * A condition at the end of a superblock has a counter after it: with that of the run it says how
 * often both ways were taken.
 *
 * Functions are called into where calls arrive; after returns, and where an indirect jump has
 * moved the stack pointer above the innermost call, calls are closed.
 */
#include "vex/instrument.h"

#include "vex/accesses.h"
#include "vex/code.h"
#include "vex/stack.h"
#include "vex/store.h"

Bool instrument_accesses;

struct sb {
	IRSB *in, *out;
	Int sp; /* of the guest state */
	struct code_place place;
	Addr address; /* of the instruction … */
	struct accesses_place accesses;
	struct rarog_vex_block *block; /* the run */
};

/* --- pieces of code --- */

static IRExpr *temporary(IRSB *out, IRType type, IRExpr *value)
{
	IRTemp t = newIRTemp(out->tyenv, type);

	addStmtToIRSB(out, IRStmt_WrTmp(t, value));
	return IRExpr_RdTmp(t);
}

static IRExpr *constant(const void *pointer)
{
	return IRExpr_Const(IRConst_U64((ULong)(Addr)pointer));
}

static IRExpr *load(IRSB *out, const uint64_t *from)
{
	return temporary(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, constant(from)));
}

static void store(IRSB *out, uint64_t *to, IRExpr *value)
{
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, constant(to), value));
}

static void add_expression(IRSB *out, uint64_t *counter, IRExpr *n)
{
	IRExpr *sum = IRExpr_Binop(Iop_Add64, load(out, counter), n);

	store(out, counter, temporary(out, Ity_I64, sum));
}

static void add(IRSB *out, uint64_t *counter, UInt n)
{
	add_expression(out, counter, IRExpr_Const(IRConst_U64(n)));
}

static IRExpr *stack_pointer(const struct sb *sb)
{
	return temporary(sb->out, Ity_I64, IRExpr_Get(sb->sp, Ity_I64));
}

static IRExpr *compare(IRSB *out, IROp operation, IRExpr *a, IRExpr *b)
{
	return temporary(out, Ity_I1, IRExpr_Binop(operation, a, b));
}

/* --- calls --- */

/* The call may read all registers that values are passed in. */
static void reads_registers(IRDirty *call)
{
	VexGuestAMD64State *state = NULL;

	call->nFxState = 2;
	for (UInt i = 0; i < 2; i++) {
		call->fxState[i].fx = Ifx_Read;
		call->fxState[i].nRepeats = call->fxState[i].repeatLen = 0;
	}
	call->fxState[0].offset = (Addr)&state->guest_RAX;
	call->fxState[0].size = (Addr)(&state->guest_R15 + 1) - (Addr)&state->guest_RAX;
	call->fxState[1].offset = (Addr)&state->guest_YMM0;
	call->fxState[1].size = (Addr)(&state->guest_YMM7 + 1) - (Addr)&state->guest_YMM0;
}

static void enter_values(struct sb *sb)
{
	IRExpr *function = constant(code_function(&sb->place));
	IRDirty *call = unsafeIRDirty_0_N(
		0, "stack_enter_values", VG_(fnptr_to_fnentry)(&stack_enter_values),
		mkIRExprVec_4(function, stack_pointer(sb), constant(sb->place.values),
			      IRExpr_GSPTR()));

	reads_registers(call);
	addStmtToIRSB(sb->out, IRStmt_Dirty(call));
}

static void leave_values(struct sb *sb)
{
	IRDirty *call = unsafeIRDirty_0_N(0, "stack_leave_values",
					  VG_(fnptr_to_fnentry)(&stack_leave_values),
					  mkIRExprVec_2(stack_pointer(sb), IRExpr_GSPTR()));

	reads_registers(call);
	addStmtToIRSB(sb->out, IRStmt_Dirty(call));
}

static void enter(struct sb *sb, IRExpr *guard)
{
	struct rarog_vex_function *function = code_function(&sb->place);
	IRDirty *call = unsafeIRDirty_0_N(2, "stack_enter", VG_(fnptr_to_fnentry)(&stack_enter),
					  mkIRExprVec_2(constant(function), stack_pointer(sb)));

	if (guard)
		call->guard = guard;
	addStmtToIRSB(sb->out, IRStmt_Dirty(call));
}

/* Where symbols do not tell, what is called is a function. */
static void enter_if_called(struct sb *sb)
{
	struct rarog_vex_hot *hot = &store_head->hot;
	IRExpr *address = constant((const void *)sb->place.address);
	IRExpr *guard = compare(sb->out, Iop_CmpEQ64, load(sb->out, &hot->called), address);

	enter(sb, guard);
}

static void leave(struct sb *sb, Bool is_return)
{
	IRExpr *sp = stack_pointer(sb);
	IRDirty *call = unsafeIRDirty_0_N(1, "stack_leave", VG_(fnptr_to_fnentry)(&stack_leave),
					  mkIRExprVec_1(sp));

	if (!is_return)
		call->guard = compare(sb->out, Iop_CmpLT64U,
				      load(sb->out, &store_head->hot.top_slot), sp);
	addStmtToIRSB(sb->out, IRStmt_Dirty(call));
}

static Bool is_known(const IRExpr *target)
{
	struct code_place place;

	if (target->tag != Iex_Const)
		return False;
	place = code_place((Addr)target->Iex.Const.con->Ico.U64);
	return place.has_symbol && !place.is_plt;
}

static void at_end(struct sb *sb)
{
	IRExpr *next = sb->in->next;
	Bool is_indirect = next->tag != Iex_Const;
	Bool is_jump = sb->in->jumpkind == Ijk_Boring && is_indirect;

	if (sb->in->jumpkind == Ijk_Ret && values_are_wanted())
		leave_values(sb);
	else if (sb->in->jumpkind == Ijk_Ret || is_jump)
		leave(sb, sb->in->jumpkind == Ijk_Ret);
	if ((sb->in->jumpkind == Ijk_Call && !is_known(next)) ||
	    (is_jump && (sb->place.is_plt || sb->place.goes_on)))
		store(sb->out, &store_head->hot.called, next);
}

/* --- runs of instructions --- */

static uint32_t sum_of(const struct rarog_vex_access *access)
{
	uint32_t sum = access->loads;

	sum = sum * 31 + access->stores;
	sum = sum * 31 + access->load_bytes;
	return sum * 31 + access->store_bytes;
}

/* What the @n instructions of a block do with memory whenever it is executed. */
static void add_accesses(const struct rarog_vex_block *block, UInt n,
			 struct rarog_vex_access accesses[n])
{
	for (UInt i = 0; i < n; i++) {
		accesses[i].block = block->id;
		accesses[i].object = block->object;
		if (accesses[i].loads > 0 || accesses[i].stores > 0)
			code_access(&accesses[i]);
	}
}

/* Is the instruction at @address done again (rep, or what lock has found changed) by way out @i? */
static Bool is_again(const IRSB *in, Int i, Addr address)
{
	if ((Addr)in->stmts[i]->Ist.Exit.dst->Ico.U64 == address)
		return True;
	while (++i < in->stmts_used)
		if (in->stmts[i]->tag == Ist_IMark)
			return False;
	return in->next->tag == Iex_Const && (Addr)in->next->Iex.Const.con->Ico.U64 == address;
}

/* Those from statement @at on end at a branch, a call or a return; not where a superblock is full,
 * at what may fault, or where an instruction is done again. */
static Bool ends_in_branch(const IRSB *in, Int at)
{
	const IRExpr *next = in->next;
	Addr begin = 0, end = 0;

	for (Int i = at; i < in->stmts_used; i++) {
		const IRStmt *statement = in->stmts[i];

		if (statement->tag == Ist_Exit)
			return statement->Ist.Exit.jk == Ijk_Boring && !is_again(in, i, begin);
		if (statement->tag == Ist_IMark) {
			begin = (Addr)statement->Ist.IMark.addr;
			end = begin + statement->Ist.IMark.len;
		}
	}
	if (in->jumpkind != Ijk_Boring)
		return in->jumpkind == Ijk_Call || in->jumpkind == Ijk_Ret;
	return next->tag != Iex_Const || (Addr)next->Iex.Const.con->Ico.U64 != end;
}

/* Counts those from statement @at on, an IMark, to the next way out. */
static void count_run(struct sb *sb, Int at)
{
	const IRSB *in = sb->in;
	UChar sizes[in->stmts_used];
	struct rarog_vex_access accesses[instrument_accesses ? in->stmts_used : 1];
	UInt n = 0, n_accesses = 0;
	uint32_t sum = 0;
	Addr address = (Addr)in->stmts[at]->Ist.IMark.addr;
	struct rarog_vex_block *block;
	Bool is_new;

	for (Int i = at; i < in->stmts_used && in->stmts[i]->tag != Ist_Exit; i++) {
		if (in->stmts[i]->tag != Ist_IMark)
			continue;
		sizes[n++] = (UChar)in->stmts[i]->Ist.IMark.len;
		if (!instrument_accesses)
			continue;
		accesses[n_accesses] = accesses_always(in, i);
		sum = sum * 31 + sum_of(&accesses[n_accesses++]);
	}
	block = code_block(address, sb->place.object, n, sizes, sum, &is_new);
	if (is_new)
		add_accesses(block, n_accesses, accesses);
	sb->block = block;
	add(sb->out, &block->count, 1);
	add(sb->out, &store_head->hot.instructions, n);
	if (values_are_wanted() && ends_in_branch(in, at))
		add(sb->out, &store_head->hot.branches, 1);
}

/* The last instruction has left or goes on. */
static void count_on(struct sb *sb)
{
	const IRExpr *next = sb->in->next;

	if (sb->in->jumpkind != Ijk_Boring || next->tag != Iex_Const)
		return;
	sb->block->next = (Addr)next->Iex.Const.con->Ico.U64;
	add(sb->out, &sb->block->went_on, 1);
}

/* --- what is not done each time --- */

static void count_access(struct sb *sb, const IRStmt *statement)
{
	struct rarog_vex_access access;
	IRExpr *guard;

	if (!accesses_sometimes(sb->in, &sb->accesses, statement, &access, &guard))
		return;
	access.address = sb->address;
	access.object = sb->place.object;
	if (guard)
		guard = temporary(sb->out, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard));
	add_expression(sb->out, &code_counted_access(&access)->count,
		       guard ? guard : IRExpr_Const(IRConst_U64(1)));
}

static void follow_accesses(struct sb *sb, Int at)
{
	const IRStmt *statement = sb->in->stmts[at];

	if (statement->tag == Ist_IMark) {
		sb->address = (Addr)statement->Ist.IMark.addr;
		sb->accesses = accesses_begin(sb->in, at);
	} else {
		count_access(sb, statement);
		accesses_step(&sb->accesses, statement);
	}
}

static void at_begin(struct sb *sb)
{
	if (sb->place.values)
		enter_values(sb);
	else if (sb->place.is_entry)
		enter(sb, NULL);
	else if (!sb->place.has_symbol && !sb->place.is_plt)
		enter_if_called(sb);
}

static Int copy_preamble(struct sb *sb)
{
	Int i = 0;

	for (; i < sb->in->stmts_used && sb->in->stmts[i]->tag != Ist_IMark; i++)
		addStmtToIRSB(sb->out, sb->in->stmts[i]);
	return i;
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
		 IRType host_word)
{
	struct sb sb = { .in = in, .out = deepCopyIRSBExceptStmts(in), .sp = layout->offset_SP };
	Bool begins_run = True;
	Int first = copy_preamble(&sb);

	(void)closure, (void)extents, (void)host, (void)guest_word, (void)host_word;
	if (first == in->stmts_used)
		return in;
	sb.place = code_place((Addr)in->stmts[first]->Ist.IMark.addr);
	for (Int i = first; i < in->stmts_used; i++) {
		if (instrument_accesses)
			follow_accesses(&sb, i);
		addStmtToIRSB(sb.out, in->stmts[i]);
		if (i == first)
			at_begin(&sb);
		if (in->stmts[i]->tag == Ist_IMark && begins_run) {
			count_run(&sb, i);
			begins_run = False;
		}
		begins_run |= in->stmts[i]->tag == Ist_Exit;
	}
	if (begins_run)
		count_on(&sb);
	at_end(&sb);
	return sb.out;
}
