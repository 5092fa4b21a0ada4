/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdw cuts .eh_frame into its entries; this file decodes what it leaves: the encoded addresses
 * of an FDE and the call-frame instructions up to one address. (libdw's own evaluation finds an
 * FDE through a search tree and allocates a frame for each query: too slow for every function.)
 *
 * Only the rule for the CFA and the one for the return address are followed; instructions for
 * other registers are decoded and dropped. A rule that is not register+constant, or an instruction
 * that is not known, makes the answer "not an entry": no proof, no patch.
 *
 * References: DWARF 5, 6.4 (call frame information); LSB 5, 10.6 (.eh_frame, pointer encodings).
 */
#include "binary/eh-frame.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <inttypes.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/vec.h"

#define REG_RAX   0
#define REG_RDX   1
#define REG_RBP   6
#define REG_RSP   7
#define REG_RIP   16
#define MAX_SAVED 16 /* nesting of DW_CFA_remember_state; compilers use 1 */

uint64_t rarog_eh_number(struct rarog_cursor *c, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return rarog_cursor_uint(c, 8);
	case DW_EH_PE_uleb128:
		return rarog_cursor_leb(c, false);
	case DW_EH_PE_sleb128:
		return rarog_cursor_leb(c, true);
	case DW_EH_PE_udata2:
		return rarog_cursor_uint(c, 2);
	case DW_EH_PE_sdata2:
		return rarog_cursor_int(c, 2);
	case DW_EH_PE_udata4:
		return rarog_cursor_uint(c, 4);
	case DW_EH_PE_sdata4:
		return rarog_cursor_int(c, 4);
	default:
		return rarog_cursor_fail(c);
	}
}

/* An encoded pointer of the section; text- and data-relative ones do not occur on x86-64. */
static uint64_t read_pointer(const struct rarog_eh_frame *frame, struct rarog_cursor *c,
			     uint8_t encoding)
{
	uint64_t here = frame->vaddr + (uint64_t)(c->at - frame->bytes);
	uint64_t value = rarog_eh_number(c, encoding);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return value + here;
	default:
		return rarog_cursor_fail(c);
	}
}

/* A CIE as far as it is needed here. */
struct cie {
	uint64_t offset;
	bool is_known; /* augmentation understood: FDEs can be read */
	bool is_sized; /* 'z': FDEs have augmentation data */
	uint8_t encoding;
	uint8_t lsda_encoding; /* DW_EH_PE_omit: FDEs have none */
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	const uint8_t *start, *end; /* initial instructions */
};

/* "zPLR" and friends: find the encoding of FDE addresses among the augmentation data. */
static void read_augmentation(struct cie *cie, const Dwarf_CIE *raw)
{
	struct rarog_cursor c = { raw->augmentation_data, NULL, false };
	const char *letter = raw->augmentation;

	cie->encoding = DW_EH_PE_absptr;
	cie->lsda_encoding = DW_EH_PE_omit;
	cie->is_sized = *letter == 'z';
	cie->is_known = *letter == '\0' || cie->is_sized;
	if (!cie->is_sized)
		return;
	c.end = raw->augmentation_data + raw->augmentation_data_size;
	while (*++letter && cie->is_known) {
		if (*letter == 'R')
			cie->encoding = (uint8_t)rarog_cursor_uint(&c, 1);
		else if (*letter == 'L')
			cie->lsda_encoding = (uint8_t)rarog_cursor_uint(&c, 1);
		else if (*letter == 'P')
			rarog_eh_number(&c, (uint8_t)rarog_cursor_uint(&c, 1));
		else if (*letter != 'S' && *letter != 'B')
			cie->is_known = false;
	}
	if (c.failed || cie->encoding & DW_EH_PE_indirect)
		cie->is_known = false;
}

static int next_entry(const struct rarog_eh_frame *frame, uint64_t offset, uint64_t *ret_next,
		      Dwarf_CFI_Entry *entry)
{
	Elf_Data data = {
		.d_buf = (void *)(uintptr_t)frame->bytes, /* libdw only reads it */
		.d_type = ELF_T_BYTE,
		.d_size = frame->n_bytes,
		.d_version = EV_CURRENT,
	};
	int r = dwarf_next_cfi(frame->elf->header->e_ident, &data, true, offset, ret_next, entry);

	if (r < 0)
		return rarog_fail(-EINVAL, "%s: damaged .eh_frame entry at offset %" PRIu64 ": %s",
				  frame->elf->path, offset, dwarf_errmsg(-1));
	return r;
}

static int read_cie(const struct rarog_eh_frame *frame, uint64_t offset, struct cie *cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (offset == cie->offset)
		return 0;
	if (next_entry(frame, offset, &next, &entry) != 0 || !dwarf_cfi_cie_p(&entry))
		return rarog_fail(-EINVAL, "%s: damaged .eh_frame: no CIE at offset %" PRIu64,
				  frame->elf->path, offset);
	*cie = (struct cie){
		.offset = offset,
		.code_align = entry.cie.code_alignment_factor,
		.data_align = entry.cie.data_alignment_factor,
		.return_register = entry.cie.return_address_register,
		.start = entry.cie.initial_instructions,
		.end = entry.cie.initial_instructions_end,
	};
	read_augmentation(cie, &entry.cie);
	return 0;
}

/* A null pointer stays null, whatever it is relative to. One that cannot be read is none: what
 * depends on it does without. */
static uint64_t read_lsda(const struct rarog_eh_frame *frame, const struct cie *cie,
			  struct rarog_cursor c)
{
	struct rarog_cursor number = c;

	if (cie->lsda_encoding & DW_EH_PE_indirect ||
	    rarog_eh_number(&number, cie->lsda_encoding) == 0)
		return 0;
	uint64_t lsda = read_pointer(frame, &c, cie->lsda_encoding);
	return c.failed ? 0 : lsda;
}

/* Addresses of an FDE; leaves @c at its instructions. */
static void read_range(const struct rarog_eh_frame *frame, const struct cie *cie,
		       struct rarog_cursor *c, struct rarog_fde *fde)
{
	fde->start = read_pointer(frame, c, cie->encoding);
	fde->end = fde->start + rarog_eh_number(c, cie->encoding & 0x0f);
	if (!cie->is_sized)
		return;
	uint64_t size = rarog_cursor_leb(c, false);
	struct rarog_cursor data = *c;

	rarog_cursor_skip(c, size);
	data.end = c->at;
	if (!c->failed && cie->lsda_encoding != DW_EH_PE_omit)
		fde->lsda = read_lsda(frame, cie, data);
}

static int add_fde(struct rarog_eh_frame *frame, uint64_t offset, const Dwarf_FDE *raw,
		   struct cie *cie)
{
	struct rarog_cursor c = { raw->start, raw->end, false };
	struct rarog_fde fde = { .offset = offset };
	int r = read_cie(frame, raw->CIE_pointer, cie);

	if (r < 0 || !cie->is_known)
		return r;
	read_range(frame, cie, &c, &fde);
	if (c.failed)
		return rarog_fail(-EINVAL, "%s: damaged FDE at offset %" PRIu64 " of .eh_frame",
				  frame->elf->path, offset);
	if (fde.start >= fde.end || fde.start == 0)
		return 0; /* of a function that the linker dropped */
	return rarog_vec_push(frame, fde);
}

static int compare_fde(const void *left, const void *right)
{
	const struct rarog_fde *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Without section headers: .eh_frame_hdr (PT_GNU_EH_FRAME) knows where .eh_frame begins; it ends
 * with its terminator. */
static void locate_by_segment(struct rarog_eh_frame *frame)
{
	const struct rarog_elf *elf = frame->elf;

	for (size_t i = 0; i < elf->n_segments; i++) {
		struct rarog_eh_frame header = { .elf = elf, .vaddr = elf->segments[i].p_vaddr };

		if (elf->segments[i].p_type != PT_GNU_EH_FRAME)
			continue;
		header.bytes = rarog_elf_bytes(elf, header.vaddr, &header.n_bytes);
		if (!header.bytes || header.n_bytes < 8 || header.bytes[0] != 1)
			return;
		struct rarog_cursor c = { header.bytes + 4, header.bytes + header.n_bytes, false };

		frame->vaddr = read_pointer(&header, &c, header.bytes[1]);
		frame->bytes = rarog_elf_bytes(elf, frame->vaddr, &frame->n_bytes);
		return;
	}
}

static void locate(struct rarog_eh_frame *frame)
{
	const struct rarog_elf_section *section = rarog_elf_section(frame->elf, ".eh_frame");

	if (!section) {
		locate_by_segment(frame);
		return;
	}
	frame->vaddr = section->header->sh_addr;
	frame->bytes = rarog_elf_section_bytes(frame->elf, section, &frame->n_bytes);
}

int rarog_eh_frame_read(const struct rarog_elf *elf, struct rarog_eh_frame *frame)
{
	struct cie cie = { .offset = UINT64_MAX };
	Dwarf_CFI_Entry entry;
	int r = 0;

	*frame = (struct rarog_eh_frame){ .elf = elf };
	locate(frame);
	for (uint64_t at = 0, next = 0; frame->bytes && at < frame->n_bytes; at = next) {
		r = next_entry(frame, at, &next, &entry);
		if (r != 0 || next <= at)
			break; /* 1: the terminator */
		if (!dwarf_cfi_cie_p(&entry))
			r = add_fde(frame, at, &entry.fde, &cie);
		if (r < 0)
			break;
	}
	if (frame->n > 0)
		qsort(frame->v, frame->n, sizeof(*frame->v), compare_fde);
	return r < 0 ? r : 0;
}

void rarog_eh_frame_release(struct rarog_eh_frame *frame)
{
	rarog_vec_release(frame);
}

const struct rarog_fde *rarog_eh_frame_find(const struct rarog_eh_frame *frame, uint64_t vaddr)
{
	/* the first that starts after vaddr */
	size_t low = rarog_lower_bound(i, frame->n, frame->v[i].start <= vaddr);

	if (low == 0 || vaddr >= frame->v[low - 1].end)
		return NULL;
	return &frame->v[low - 1];
}

/* The rules that are followed: CFA = cfa_register + cfa_offset, return address at CFA + ra_offset.
 */
struct rules {
	uint64_t cfa_register;
	int64_t cfa_offset;
	int64_t ra_offset;
	bool cfa_is_sum, ra_is_saved; /* else: by an expression, elsewhere, or unknown */
};

struct machine {
	const struct rarog_eh_frame *frame;
	const struct cie *cie;
	struct rules rules, initial, saved[MAX_SAVED];
	unsigned n_saved;
	uint64_t location;
	uint32_t saves; /* registers that are somewhere, of the first 16 */
	bool failed;    /* an instruction that is not understood */
};

static void cfa_sum(struct machine *m, uint64_t reg, int64_t offset)
{
	m->rules.cfa_register = reg;
	m->rules.cfa_offset = offset;
	m->rules.cfa_is_sum = true;
}

static void do_nothing(struct machine *m, const uint64_t v[2])
{
	(void)m, (void)v;
}

static void do_set_location(struct machine *m, const uint64_t v[2])
{
	m->location = v[0];
}

static void do_advance(struct machine *m, const uint64_t v[2])
{
	m->location += v[0] * m->cie->code_align;
}

static void do_cfa(struct machine *m, const uint64_t v[2])
{
	cfa_sum(m, v[0], (int64_t)v[1]);
}

static void do_cfa_scaled(struct machine *m, const uint64_t v[2])
{
	cfa_sum(m, v[0], (int64_t)(v[1] * (uint64_t)m->cie->data_align));
}

static void do_cfa_register(struct machine *m, const uint64_t v[2])
{
	cfa_sum(m, v[0], m->rules.cfa_offset);
}

static void do_cfa_offset(struct machine *m, const uint64_t v[2])
{
	cfa_sum(m, m->rules.cfa_register, (int64_t)v[0]);
}

static void do_cfa_offset_scaled(struct machine *m, const uint64_t v[2])
{
	cfa_sum(m, m->rules.cfa_register, (int64_t)(v[0] * (uint64_t)m->cie->data_align));
}

static void do_cfa_expression(struct machine *m, const uint64_t v[2])
{
	(void)v;
	m->rules.cfa_is_sum = false;
}

static void do_saved(struct machine *m, const uint64_t v[2])
{
	if (v[0] < 16)
		m->saves |= 1u << v[0];
	if (v[0] != m->cie->return_register)
		return;
	m->rules.ra_is_saved = true;
	m->rules.ra_offset = (int64_t)(v[1] * (uint64_t)m->cie->data_align);
}

static void do_elsewhere(struct machine *m, const uint64_t v[2])
{
	if (v[0] == m->cie->return_register)
		m->rules.ra_is_saved = false;
}

static void do_restore(struct machine *m, const uint64_t v[2])
{
	if (v[0] != m->cie->return_register)
		return;
	m->rules.ra_is_saved = m->initial.ra_is_saved;
	m->rules.ra_offset = m->initial.ra_offset;
}

static void do_remember(struct machine *m, const uint64_t v[2])
{
	(void)v;
	if (m->n_saved < MAX_SAVED)
		m->saved[m->n_saved++] = m->rules;
	else
		m->failed = true;
}

static void do_restore_state(struct machine *m, const uint64_t v[2])
{
	(void)v;
	if (m->n_saved > 0)
		m->rules = m->saved[--m->n_saved];
	else
		m->failed = true;
}

/* Operands: 1 2 4 bytes, u(leb), s(leb), p(ointer), b(lock). Opcodes 0x40, 0x80 and 0xc0 carry
 * their first operand in the low six bits, written 'l'. */
static const struct instruction {
	const char *operands; /* NULL: unknown */
	void (*apply)(struct machine *m, const uint64_t v[2]);
} instructions[] = {
	[DW_CFA_nop] = { "", do_nothing },
	[DW_CFA_set_loc] = { "p", do_set_location },
	[DW_CFA_advance_loc1] = { "1", do_advance },
	[DW_CFA_advance_loc2] = { "2", do_advance },
	[DW_CFA_advance_loc4] = { "4", do_advance },
	[DW_CFA_offset_extended] = { "uu", do_saved },
	[DW_CFA_restore_extended] = { "u", do_restore },
	[DW_CFA_undefined] = { "u", do_elsewhere },
	[DW_CFA_same_value] = { "u", do_elsewhere },
	[DW_CFA_register] = { "uu", do_elsewhere },
	[DW_CFA_remember_state] = { "", do_remember },
	[DW_CFA_restore_state] = { "", do_restore_state },
	[DW_CFA_def_cfa] = { "uu", do_cfa },
	[DW_CFA_def_cfa_register] = { "u", do_cfa_register },
	[DW_CFA_def_cfa_offset] = { "u", do_cfa_offset },
	[DW_CFA_def_cfa_expression] = { "b", do_cfa_expression },
	[DW_CFA_expression] = { "ub", do_elsewhere },
	[DW_CFA_offset_extended_sf] = { "us", do_saved },
	[DW_CFA_def_cfa_sf] = { "us", do_cfa_scaled },
	[DW_CFA_def_cfa_offset_sf] = { "s", do_cfa_offset_scaled },
	[DW_CFA_val_offset] = { "uu", do_elsewhere },
	[DW_CFA_val_offset_sf] = { "us", do_elsewhere },
	[DW_CFA_val_expression] = { "ub", do_elsewhere },
	[DW_CFA_GNU_window_save] = { "", do_nothing },
	[DW_CFA_GNU_args_size] = { "u", do_nothing },
};

static const struct instruction packed[] = {
	{ NULL, NULL },      /* 0x00: the table above */
	{ "l", do_advance }, /* 0x40 DW_CFA_advance_loc */
	{ "lu", do_saved },  /* 0x80 DW_CFA_offset */
	{ "l", do_restore }, /* 0xc0 DW_CFA_restore */
};

static uint64_t read_operand(const struct machine *m, struct rarog_cursor *c, char kind,
			     uint8_t opcode)
{
	switch (kind) {
	case 'l':
		return opcode & 0x3f;
	case 'u':
		return rarog_cursor_leb(c, false);
	case 's':
		return rarog_cursor_leb(c, true);
	case 'p':
		return read_pointer(m->frame, c, m->cie->encoding);
	case 'b':
		rarog_cursor_skip(c, rarog_cursor_leb(c, false));
		return 0;
	default:
		return rarog_cursor_uint(c, (size_t)(kind - '0'));
	}
}

static const struct instruction *decode(uint8_t opcode)
{
	if (opcode >= 0x40)
		return &packed[opcode >> 6];
	if (opcode < RAROG_COUNT(instructions) && instructions[opcode].operands)
		return &instructions[opcode];
	return NULL;
}

/* Run instructions while they describe addresses up to @vaddr. */
static void run(struct machine *m, struct rarog_cursor c, uint64_t vaddr)
{
	while (c.at < c.end && !m->failed) {
		uint8_t opcode = *c.at++;
		const struct instruction *instruction = decode(opcode);
		uint64_t v[2] = { 0 };

		if (!instruction) {
			m->failed = true;
			return;
		}
		for (unsigned i = 0; instruction->operands[i]; i++)
			v[i] = read_operand(m, &c, instruction->operands[i], opcode);
		m->failed |= c.failed;
		uint64_t before = m->location;

		instruction->apply(m, v);
		if (m->location > vaddr || m->location < before)
			return;
	}
}

/* As far as @vaddr; false: it is not understood. @cie is m's, and to be kept for as long. */
static bool run_to(const struct rarog_eh_frame *frame, const struct rarog_fde *fde, uint64_t vaddr,
		   struct cie *cie, struct machine *m)
{
	struct rarog_fde range;
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	*cie = (struct cie){ .offset = UINT64_MAX };
	*m = (struct machine){ .frame = frame, .cie = cie, .location = fde->start };
	if (next_entry(frame, fde->offset, &next, &entry) != 0 || dwarf_cfi_cie_p(&entry) ||
	    read_cie(frame, entry.fde.CIE_pointer, cie) < 0)
		return false;
	run(m, (struct rarog_cursor){ cie->start, cie->end, false }, vaddr);
	m->initial = m->rules;
	struct rarog_cursor c = { entry.fde.start, entry.fde.end, false };

	read_range(frame, cie, &c, &range);
	run(m, c, vaddr);
	return !m->failed;
}

/* What holds at @vaddr; false: it is not understood. */
static bool find_rules(const struct rarog_eh_frame *frame, const struct rarog_fde *fde,
		       uint64_t vaddr, struct rules *ret_rules)
{
	struct machine m;
	struct cie cie;

	if (!run_to(frame, fde, vaddr, &cie, &m))
		return false;
	*ret_rules = m.rules;
	return m.rules.cfa_is_sum && m.rules.ra_is_saved && m.rules.ra_offset == -8 &&
	       cie.return_register == REG_RIP;
}

bool rarog_eh_frame_is_entry(const struct rarog_eh_frame *frame, const struct rarog_fde *fde,
			     uint64_t vaddr)
{
	struct rules rules;

	return find_rules(frame, fde, vaddr, &rules) && rules.cfa_register == REG_RSP &&
	       rules.cfa_offset == 8;
}

struct rarog_return_place rarog_eh_frame_return_place(const struct rarog_eh_frame *frame,
						      uint64_t vaddr)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(frame, vaddr);
	struct rarog_return_place place = { .from = RAROG_RETURN_UNKNOWN };
	struct rules rules;

	if (!fde || !find_rules(frame, fde, vaddr, &rules))
		return place;
	place.offset = (int32_t)(rules.cfa_offset - 8);
	if (place.offset != rules.cfa_offset - 8)
		return place;
	if (rules.cfa_register == REG_RSP)
		place.from = RAROG_RETURN_FROM_RSP;
	else if (rules.cfa_register == REG_RBP)
		place.from = RAROG_RETURN_FROM_RBP;
	return place;
}

bool rarog_eh_frame_goes_to_handlers(const struct rarog_eh_frame *frame,
				     const struct rarog_fde *fde)
{
	const uint32_t both = 1u << REG_RAX | 1u << REG_RDX;
	struct machine m;
	struct cie cie;

	return run_to(frame, fde, fde->end, &cie, &m) && (m.saves & both) == both;
}
