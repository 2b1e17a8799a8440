/* What Sandgate orders about held calls while its command runs. */
#ifndef SANDGATE_ORDERS_H
#define SANDGATE_ORDERS_H

#include "held.h"

enum { ORDER_BYTES_MAX = 16 << 10 /* of one answer; kernel/plan_codec.py sends more than that in several */ };

/* Obeys a message that is about held calls; false for any other. */
int obey_order(struct supervisor *supervisor, const unsigned char *message, size_t length);
/* The grants that the plan brings, before the first call. */
void take_plan_grants(struct supervisor *supervisor);

#endif
