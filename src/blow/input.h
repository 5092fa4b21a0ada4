/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard input, which each run is to read from where the first one did. */
#ifndef RAROG_BLOW_INPUT_H
#define RAROG_BLOW_INPUT_H

/** rarog_blow_input_begin() - where does it begin? A pipe that has something in it is refused: what
 * one run reads the next ones have not. Return: for rarog_blow_input_rewind(); -EINVAL. */
long rarog_blow_input_begin(void);

void rarog_blow_input_rewind(long begin);

#endif
