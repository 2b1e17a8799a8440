/* Socket files that the sandbox's own servers listen on, and how a path of a task is opened in the task's own view. */
#ifndef SANDGATE_OWN_SOCKETS_H
#define SANDGATE_OWN_SOCKETS_H

#include "borrowed.h"
#include "deed.h"

enum { OWN_SOCKETS_MAX = 256 /* listening at one time; of one more nobody knows, so it cannot be connected to */ };

struct statx;

/* An O_PATH descriptor of what `text` is for the task, links followed within its view, or a negative errno. Links of
 * /proc that lead to open files are not followed. */
long open_in_view(int pid, const char *text);

/* Remembers the file that `socket`, about to listen, is bound to. */
/* The one that we have bound for the command, before anybody listens on it. */
void remember_bound(const struct plan *plan, const struct deed *deed);
void remember_own(int pid, int socket);
int is_own(const struct statx *about);

#endif
