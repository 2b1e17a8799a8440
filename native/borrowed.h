/* What a held call's caller has, borrowed, and what it is answered. */
#ifndef SANDGATE_BORROWED_H
#define SANDGATE_BORROWED_H

#include "endpoints.h"
#include "network.h"

/* The file behind the task's descriptor, or a negative errno. Whatever the task does to its descriptors afterwards,
 * it is this file that gets judged and connected. */
int borrow_socket(const struct attempt *attempt);
int number_option(int fd, int option);
/* Which socket it is, of all that there are now; 0 when that cannot be found out. */
uint64_t inode_of(int socket);
/* What the socket is bound to; negative for other families than those of the internet. */
long own_endpoint(int socket, struct host *endpoint);
/* The held call still waits: what was read from /proc/<pid> was read from its task. */
int is_held(const struct supervisor *supervisor, uint64_t id);
/* It was carried out by us, with this result. */
void finish_call(const struct supervisor *supervisor, uint64_t id, long result);
void answer_call(const struct supervisor *supervisor, uint64_t id, int error);
/* The kernel carries it out, on whatever the task's memory and descriptors hold by then. */
void continue_call(const struct supervisor *supervisor, uint64_t id);
/* The status flags of a task's descriptor, close-on-exec included. */
uint32_t descriptor_flags(int pid, int fd);
/* At most 32 bytes of it. */
void copy_option(int from, int to, int level, int option);
/* `ours` takes the place of the socket that the call is about, with its flags, and stays ours, too. */
int put_in_place(const struct supervisor *supervisor, const struct attempt *attempt, int ours);

#endif
