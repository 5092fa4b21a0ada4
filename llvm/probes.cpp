/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pass.h"

using namespace llvm;

namespace rarog
{

Probes::Probes(Function &function, const Graph &graph, const Options &options) : options_(options)
{
	if (options.count_trips)
		trips_ = std::make_unique<Trips>(function, graph);
}

unsigned Probes::cells() const
{
	return trips_ ? trips_->cells() : 0;
}

std::string Probes::record() const
{
	return trips_ ? trips_->record() : "";
}

void Probes::insert(Function &function, GlobalVariable *counters, unsigned first) const
{
	if (cells() == 0)
		return;
	Cells cells(function, counters, options_);

	trips_->insert(function, cells, first);
}

} // namespace rarog
