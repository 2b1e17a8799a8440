/* Socket files that the sandbox's own servers listen on, and how a path of a task is opened in the task's own view. */
#ifndef SANDGATE_OWN_SOCKETS_H
#define SANDGATE_OWN_SOCKETS_H

#include "connects.h"

enum { OWN_SOCKETS_MAX = 256 /* listening at one time; of one more nobody knows, so it cannot be connected to */ };

struct statx;

/* An O_PATH descriptor of what `text` is for the task, links followed within its view, or a negative errno. Links of
 * /proc that lead to open files are not followed. */
long open_in_view(int pid, const char *text);

/* Remembers the file that `socket`, about to listen, is bound to. */
void remember_own(int pid, int socket);
int is_own(const struct statx *about);

#endif
