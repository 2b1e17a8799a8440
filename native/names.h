/* The names that a command has asked for, and what was decided about each. */
#ifndef SANDGATE_NAMES_H
#define SANDGATE_NAMES_H

#include "dns.h"
#include "endpoints.h"
#include "supervisor.h"

enum { NAMES_MAX = 64 /* of one command; one more is refused */, ASKERS_MAX = 8 /* processes that wait for one name, and are known */ };
enum { NAME_FRESH_S = 600 /* then addresses are looked up anew */ };
enum decided { NAME_GIVEN, NAME_REFUSED, NAME_WAITS };

struct known_name;

/* What is known of `name`; where nothing is, somebody is asked, and it waits. `pid`: any task of the one who asks. */
enum decided decide_name(struct supervisor *supervisor, int pid, const char *name, const struct known_name **known);
const char *text_of_name(const struct known_name *known);
const struct found_address *addresses_of(const struct known_name *known, size_t *count);
int is_given_name(const char *name);
/* Whether the process of task `pid` waits for a name. */
int waits_for_name(int pid);
/* The name that was given and has this address, or null. */
const char *name_at(const struct host *endpoint);
/* The same, also where the name does not open it. */
int is_found(const struct host *endpoint);

/* Takes what was decided: a name, then its addresses as hexadecimal digits, with "-" before those that the name does
 * not open. False when it is damaged. */
int learn_name(const char *text);
/* Call `number` was answered: it is refused if nothing was learned. */
void names_answer(struct supervisor *supervisor, uint32_t number);
void names_refuse_all(struct supervisor *supervisor);

int names_look_soon(void);
int names_want_to_tell(void);
/* Tells what is to be told, and lets go what nobody waits for any more. */
void names_look(struct supervisor *supervisor);

#endif
