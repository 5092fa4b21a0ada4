/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of samples as locations of a profile. */
#ifndef RAROG_ENGINE_SAMPLE_LOCATIONS_H
#define RAROG_ENGINE_SAMPLE_LOCATIONS_H

#include "engine/sample/sampled.h"
#include "process/software.h"
#include "profile/writer.h"

/**
 * rarog_sample_locations_write() - add binaries and locations of all places
 * @ret_locations: location of every place, malloc'd; the caller frees
 *
 * Several places may be one location: addresses of one generated function.
 * Return: the number of locations; negative with message.
 */
long rarog_sample_locations_write(struct rarog_sampled *sampled,
				  struct rarog_profile_writer *writer,
				  struct rarog_software *software, uint32_t **ret_locations);

#endif
