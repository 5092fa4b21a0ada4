/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An instruction does nearly always the same with memory, so it is enough to count its block. What
 * it does under a condition (a part of a vector, a repetition that may not be wanted any more) is
 * counted where it is done.
 *
 * Valgrind's translation is told in the processor's terms where they differ: the exchange of a
 * locked instruction reads what has been loaded before, and bit tests of registers go through
 * memory below the stack.
 */
#include "vex/accesses.h"

/* --- places --- */

/* BT, BTS, BTR, BTC with two registers. */
static Bool is_register_bit_test(const UChar *code, UInt size)
{
	UInt at = 0;

	while (at < size && (code[at] == 0x66 || code[at] == 0xf2 || code[at] == 0xf3))
		at++;
	if (at < size && (code[at] & 0xf0) == 0x40)
		at++;
	return at + 2 < size && code[at] == 0x0f && (code[at + 1] & 0xe7) == 0xa3 &&
	       code[at + 2] >= 0xc0;
}

struct accesses_place accesses_begin(const IRSB *in, Int at)
{
	const IRStmt *mark = in->stmts[at];
	const UChar *code = (const UChar *)(Addr)mark->Ist.IMark.addr;
	struct accesses_place place = { .is_register_only =
						is_register_bit_test(code, mark->Ist.IMark.len) };

	for (Int i = at + 1; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		place.is_atomic |= in->stmts[i]->tag == Ist_CAS;
	return place;
}

void accesses_step(struct accesses_place *place, const IRStmt *statement)
{
	place->is_behind_exit |= statement->tag == Ist_Exit;
}

/* --- statements --- */

static void add_load(struct rarog_vex_access *access, Int size)
{
	access->loads++;
	access->load_bytes += (uint32_t)size;
}

static void add_store(struct rarog_vex_access *access, Int size)
{
	access->stores++;
	access->store_bytes += (uint32_t)size;
}

static Int size_of(const IRSB *in, const IRExpr *value)
{
	return sizeofIRType(typeOfIRExpr(in->tyenv, value));
}

static Int size_of_guarded_load(const IRLoadG *load)
{
	IRType result, argument;

	typeOfIRLoadGOp(load->cvt, &result, &argument);
	return sizeofIRType(argument);
}

static void add_exchange(const IRSB *in, const IRCAS *cas, struct rarog_vex_access *access)
{
	Int size = size_of(in, cas->dataLo) * (cas->dataHi ? 2 : 1);

	add_load(access, size);
	add_store(access, size);
}

static void add_call(const IRDirty *call, struct rarog_vex_access *access)
{
	if (call->mFx == Ifx_Read || call->mFx == Ifx_Modify)
		add_load(access, call->mSize);
	if (call->mFx == Ifx_Write || call->mFx == Ifx_Modify)
		add_store(access, call->mSize);
}

/* Return: under which condition, NULL: none. */
static IRExpr *add_statement(const IRSB *in, const struct accesses_place *place,
			     const IRStmt *statement, struct rarog_vex_access *access)
{
	const IRExpr *data;

	switch (statement->tag) {
	case Ist_WrTmp:
		data = statement->Ist.WrTmp.data;
		if (data->tag == Iex_Load && !place->is_atomic)
			add_load(access, sizeofIRType(data->Iex.Load.ty));
		return NULL;
	case Ist_Store:
		add_store(access, size_of(in, statement->Ist.Store.data));
		return NULL;
	case Ist_LoadG:
		add_load(access, size_of_guarded_load(statement->Ist.LoadG.details));
		return statement->Ist.LoadG.details->guard;
	case Ist_StoreG:
		add_store(access, size_of(in, statement->Ist.StoreG.details->data));
		return statement->Ist.StoreG.details->guard;
	case Ist_CAS:
		add_exchange(in, statement->Ist.CAS.details, access);
		return NULL;
	case Ist_Dirty:
		add_call(statement->Ist.Dirty.details, access);
		return statement->Ist.Dirty.details->guard;
	default:
		return NULL;
	}
}

/* A condition that is no question is none. */
static IRExpr *open_condition(IRExpr *guard)
{
	return guard && guard->tag == Iex_Const && guard->Iex.Const.con->Ico.U1 ? NULL : guard;
}

static Bool has_any(const struct rarog_vex_access *access)
{
	return access->loads > 0 || access->stores > 0;
}

/* --- all --- */

struct rarog_vex_access accesses_always(const IRSB *in, Int at)
{
	struct rarog_vex_access all = { .address = (Addr)in->stmts[at]->Ist.IMark.addr };
	struct accesses_place place = accesses_begin(in, at);

	for (Int i = at + 1; !place.is_register_only && i < in->stmts_used; i++) {
		struct rarog_vex_access access = all;

		if (in->stmts[i]->tag == Ist_IMark || in->stmts[i]->tag == Ist_Exit)
			break;
		if (!open_condition(add_statement(in, &place, in->stmts[i], &access)))
			all = access;
	}
	return all;
}

Bool accesses_sometimes(const IRSB *in, const struct accesses_place *place, const IRStmt *statement,
			struct rarog_vex_access *ret_access, IRExpr **ret_guard)
{
	struct rarog_vex_access access = { 0 };
	IRExpr *guard;

	if (place->is_register_only)
		return False;
	guard = open_condition(add_statement(in, place, statement, &access));
	*ret_access = access;
	*ret_guard = guard;
	return has_any(&access) && (guard || place->is_behind_exit);
}
