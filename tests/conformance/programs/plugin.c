/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plug-in of plugin-host.c. */
int plug(int (*callback)(int), int n);

int plug(int (*callback)(int), int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += callback(i);
	return sum;
}
