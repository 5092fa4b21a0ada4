/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feature models of SPL Conqueror, and VaRA's, which are these with places in the source. */
#ifndef RAROG_FEATURE_MODEL_XML_H
#define RAROG_FEATURE_MODEL_XML_H

#include "feature/model-file.h"

/**
 * rarog_feature_model_xml() - add what @text says to @model
 * @name: of the file, for messages; paths of sources begin beside it
 *
 * Return: 0; -EINVAL with file:line. What is not understood is warned of.
 */
int rarog_feature_model_xml(const char *name, size_t n, const char text[n],
			    struct rarog_feature_model *model);

#endif
