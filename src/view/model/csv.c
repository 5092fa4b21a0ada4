/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/table.h"
#include "view/model/model-view.h"

static void put_number(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, ",%.15g", value);
	else
		fputc(',', out);
}

static void write_point(const struct rarog_modelled *e, size_t i, FILE *out)
{
	double x = e->points.x[i];
	struct rarog_band band;

	rarog_estimate_band(e, x, RAROG_ESTIMATE_LEVEL, &band);
	fprintf(out, "%.15g", x);
	put_number(out, e->points.y[i]);
	put_number(out, e->points.w ? e->points.w[i] : 1);
	put_number(out, band.value);
	put_number(out, band.low);
	put_number(out, band.high);
	put_number(out, band.low_one);
	put_number(out, band.high_one);
	fputc('\n', out);
}

static void write_points(const struct rarog_modelled *e, FILE *out)
{
	fputs("x,y,weight,fitted,low,high,low_one,high_one\n", out);
	for (size_t i = 0; i < e->points.n; i++)
		write_point(e, i, out);
}

static void write_row(const struct rarog_modelled *e, size_t piece, FILE *out)
{
	const struct rarog_model *model = rarog_estimate_model(e, piece);
	char text[160] = "";

	rarog_csv_field(out, e->cost->name);
	fputc(',', out);
	rarog_csv_field(out, e->cost->x);
	put_number(out, (double)e->cost->points.seen);
	put_number(out, e->pieces.v[piece].from);
	put_number(out, e->pieces.v[piece].to);
	fputc(',', out);
	rarog_csv_field(out, rarog_model_class(e, piece));
	put_number(out, e->pieces.v[piece].choice.best ? e->pieces.v[piece].choice.certainty : NAN);
	fputc(',', out);
	if (model)
		rarog_model_text(model, rarog_model_variable(e->cost), sizeof(text), text);
	rarog_csv_field(out, text);
	for (size_t i = 0; i < RAROG_MODEL_COEFFICIENTS; i++)
		put_number(out, model && i < model->family->n_coefficients ? model->b[i] : NAN);
	put_number(out, model ? model->r2 : NAN);
	fputc(',', out);
	rarog_csv_field(out, e->reason);
	fputc('\n', out);
}

/* What there is no model of says why. */
static void write_lack(const struct rarog_modelled *e, FILE *out)
{
	rarog_csv_field(out, e->cost->name);
	fputc(',', out);
	rarog_csv_field(out, e->cost->x ? e->cost->x : "");
	put_number(out, (double)e->cost->points.seen);
	fputs(",,,,,,,,,,,", out);
	rarog_csv_field(out, e->reason);
	fputc('\n', out);
}

static void write_list(const struct rarog_model_view *view, FILE *out)
{
	fputs("name,x,count,from,to,class,certainty,formula,b0,b1,b2,b3,r2,missing\n", out);
	for (size_t i = 0; i < view->n; i++) {
		for (size_t k = 0; k < view->estimates[i].pieces.n; k++)
			write_row(&view->estimates[i], k, out);
		if (view->estimates[i].pieces.n == 0)
			write_lack(&view->estimates[i], out);
	}
}

int rarog_model_csv(const struct rarog_model_view *view, FILE *out)
{
	if (view->surfaces)
		return rarog_surface_csv(view, out);
	if (view->n == 1)
		write_points(&view->estimates[0], out);
	else
		write_list(view, out);
	return ferror(out) ? rarog_fail(-EIO, "write error") : 0;
}
