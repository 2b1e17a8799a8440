/* The three tasks of one sandbox and what they tell each other.
 *
 * The supervisor (in the host's namespaces), the init task (pid 1 inside) and the command task (until it
 * executes the program) share one address space, so this structure is all the communication there is. Only our
 * own code runs in that address space: the program gets a new one from execve. */
#ifndef SANDGATE_SANDBOX_H
#define SANDGATE_SANDBOX_H

#include "plan.h"

enum { STREAMS = 3, STATUS_FD = 3 }; /* the status socket also keeps 0, 1 and 2 taken until the streams are there */
enum { DEVICE_NODES = 7 };
enum { PROCESSORS_MAX = 8192 }; /* on a larger machine nobody is pinned */
#define SHARED_MEMORY_LIMIT "25%" /* of the machine's memory: all of the private tmpfs, /dev/shm above all */

enum layer {
    LAYER_USERNS = 1 << 0,
    LAYER_MOUNT = 1 << 1,
    LAYER_PID = 1 << 2,
    LAYER_IPC = 1 << 3,
    LAYER_NET = 1 << 4,
    LAYER_SECCOMP = 1 << 5,
    LAYER_LANDLOCK = 1 << 6,
    LAYER_NOTIFY = 1 << 7,
    LAYER_WEAK_PROC = 1 << 8,
    LAYER_BRIEF_OVERLAY = 1 << 9, /* an overlay of the plan lies in memory and ends with the command */
    LAYER_NO_OVERLAY = 1 << 10,   /* one could not be made: read-only */
    LAYER_OUTDATED_LOAN = 1 << 11, /* a mount that the session keeps was not what the plan speaks of: not used */
};

/* What an event of the supervisor's epoll set is about. */
enum event_source { EVENT_STATUS, EVENT_INIT, EVENT_LISTENER, EVENT_LAYERS };

/* What Sandgate says through the status socket: two numbers, the request and its argument. */
enum request {
    REQUEST_KILL = 1,
    REQUEST_SIGNAL,  /* argument: which, for the command's process group */
    REQUEST_PREPARE, /* the first one; argument: enum preparation */
    REQUEST_PLAN,    /* the second one, with four descriptors: the plan and the three streams; argument: enum plan_word */
    REQUEST_NETWORK, /* instead of all that: make an empty network, hand it over, and end */
    REQUEST_SERVE,   /* or: show the port that is the argument; serve.h says how */
    REQUEST_ANSWER,  /* to the held call that is the argument, 0: to none; more follows, see orders.c */
    REQUEST_STOP_HOLDING, /* what is held, and what would be, is refused */
    REQUEST_BEGIN,        /* after a plan that waits: the command may run */
    REQUEST_LAYERS, /* instead of all that: mount the overlays of the plan that follows, hand them over, and end */
};
enum plan_word {
    PLAN_WAITS = 1 << 0,       /* what the plan rests on is still being looked at */
    PLAN_LENT_LAYERS = 1 << 1, /* a message with the two descriptors of REQUEST_LAYERS follows */
};

enum preparation {
    PREPARE_EMPTY_NETWORK = 1 << 0, /* else the host's */
    PREPARE_LENT_NETWORK = 1 << 1,  /* a message with the two descriptors of REQUEST_NETWORK follows: use that one */
    PREPARE_TEST_OLD_KERNEL = 1 << 2, /* as where a mount that lies nowhere cannot be copied */
    /* Eight bits each: how many empty directories, and how many empty files, the plan will probably hide things with. */
    PREPARE_DIRECTORIES_SHIFT = 8,
    PREPARE_FILES_SHIFT = 16,
    PREPARE_COVERS_MAX = 64, /* of each kind */
};
enum cover { COVER_DIRECTORY, COVER_FILE, COVERS };
enum network_part { NETWORK_OWNER, NETWORK_ITSELF, NETWORK_PARTS }; /* user namespace, network namespace */

enum layers_part { LAYERS_OWNER, LAYERS_MOUNTS, LAYERS_PARTS }; /* user namespace, mount namespace */

enum exec_part { EXEC_NOTHING, EXEC_PROGRAM, EXEC_DIRECTORY };

struct sandbox {
    struct plan plan;
    uint32_t uid, gid;
    uint32_t empty_network; /* what was prepared; the plan must want the same */
    uint16_t served_port;    /* of REQUEST_SERVE */
    uint32_t plan_waits;     /* for REQUEST_BEGIN */
    uint32_t test_old_kernel;
    uint32_t covers[COVERS]; /* what the plan will probably need of each kind */
    unsigned char processors[PROCESSORS_MAX / 8]; /* those the caller may use; nothing of it when the next is 0 */
    long processors_bytes;
    uint32_t born_in_network; /* the empty network was lent, and init was started in it */
    int lent[NETWORK_PARTS];  /* 0: none */

    /* Gates, closed at first: each is opened by one task and waited for by another. */
    volatile uint32_t namespaces_made, init_ready;
    const char *volatile failed_step; /* set once, by whoever fails first; nothing runs after it */
    const char *failed_path;         /* "" when the step has none */
    int failed_errno;

    volatile uint32_t layers;       /* enum layer bits that are really in force */
    volatile enum exec_part exec_part; /* what execve or chdir failed on */
    volatile int exec_errno;
    volatile int command_ended; /* command_status is valid */
    volatile int command_status;

    volatile uint32_t serving; /* the supervisor has begun to answer held calls: only it knows what there is to tell */
    uint32_t told;             /* the last packet was sent, or is being sent */

    int lent_layers[LAYERS_PARTS]; /* descriptors of the command task; 0: none */
    uint32_t wanted_layers;        /* how many overlays of the plan it has asked the supervisor for, */
    int layers_answer;             /* and where they come */
    int borrows_layers;            /* they may be used */
    volatile uint32_t layers_settled; /* a gate, for the supervisor: nothing out of date is remembered of them any more, */
    int layers_error;                 /* or this came in between: a negative errno */

    volatile uint32_t locks; /* descriptors of locked overlays, sent to the supervisor before its listener */

    uint64_t wanted_signals; /* for the command's process group: signal n is bit n - 1, as in a set of pending ones */

    int ruleset;     /* of Landlock, -1: none */
    int supervisor;      /* pidfd of the supervisor, seen by init */
    int events;          /* the supervisor's epoll; the command adds its listener to it */
    int listener_pipe[2]; /* socket pair that carries the listener; [1] is the command's end */
};

/* tasks.c */
/* Remembers the first failure; returns -1 for `return fail(...)`. */
int fail(struct sandbox *sandbox, const char *step, const char *path, long error);
void open_gate(volatile uint32_t *gate);
void wait_at_gate(const volatile uint32_t *gate);
void go_anywhere(const struct sandbox *sandbox); /* wherever the caller may */

/* namespaces.c */
extern const unsigned long first_namespaces; /* those init is born into; the command task inherits them */
int map_identity(struct sandbox *sandbox);
int make_namespaces(struct sandbox *sandbox);
int make_empty_network(struct sandbox *sandbox);
int join_network(struct sandbox *sandbox);
int join_command(struct sandbox *sandbox, long command);

long forget_closed_connections(void);
/* It becomes one of the loopback of the network we are in, if it is none yet; of IPv4 so many can be had. */
enum { MORE_ADDRESSES_MAX = 64 };
void have_address(const struct host *endpoint);

/* lent_network.c */
int give_network(struct sandbox *sandbox);
int enter_network(const struct sandbox *sandbox);

/* arrival.c: waits for the plan and the command's streams */
int receive_plan(struct sandbox *sandbox);
int read_plan(struct sandbox *sandbox, int fd);
int wait_to_begin(struct sandbox *sandbox);

/* mounts.c, devices.c, proc.c: building the view, in this order; the plan comes between begin and finish */
int begin_view(struct sandbox *sandbox);
int clone_device_nodes(int nodes[]);
void clone_console(int nodes[]); /* of a command with a terminal, once its streams are there */
int furnish_devices(struct sandbox *sandbox, int base, const int nodes[]);
int mount_proc(struct sandbox *sandbox);
int finish_view(struct sandbox *sandbox);
int mount_devices(struct sandbox *sandbox, int base, int nodes[]);
int cover_proc(struct sandbox *sandbox);
int hide_in_proc(struct sandbox *sandbox, int empty_file);
int open_proc(struct sandbox *sandbox, int empty_directory);

/* overlays.c: made while the file systems they are kept on can still be written, fetched where they are borrowed, and attached to the
 * private tmpfs. One that cannot be had is left out, and `take_overlaid` fails for what it would have shown. */
void make_overlays(struct sandbox *sandbox);
void fetch_overlays(struct sandbox *sandbox);
/* Whether one is there that lies in the place of this entry, as a whole. */
int is_overlaid(const struct plan *plan, const struct mount_entry *entry);
void attach_overlays(struct sandbox *sandbox, int base);
int take_overlaid(const struct sandbox *sandbox, const struct mount_entry *entry);

/* trees.c: one mount made by descriptor */
int clone_tree(int fd, const char *path, unsigned int recursive);
int attach(int tree, int target);
int attach_at(int tree, const char *path);
int open_plain(const char *path, unsigned int flags);
int make_tmpfs(void);

extern const char covered_proc[][24]; /* read-only in the sandbox's /proc */
extern const unsigned int covered_proc_count;

/* privileges.c */
int drop_bounding_set(void);
int drop_privileges(void);

/* handover.c */
/* Descriptors alone, RECEIVED_MAX at most. Both return a negative errno when they could not. */
long send_descriptors(int socket, const int fds[], size_t count);
int receive_descriptors(int socket, int fds[], size_t count);
/* One message of exactly `size` bytes and `count` descriptors. Returns 0, or a negative errno: ECONNRESET when the
 * other side is gone, EBADMSG when it is any other message. */
enum { RECEIVED_MAX = OVERLAYS_MAX };
int receive_message(int socket, void *bytes, size_t size, int fds[], size_t count);

/* landlock.c: the rules are made before the filter, which watches such calls, and enforced
 * when nothing outside has to be joined any more */
int landlock_prepare(struct sandbox *sandbox);
int landlock_confine(struct sandbox *sandbox);

/* filter.c: installs the system call filter; returns the listener, NO_LISTENER, or a negative errno */
enum { NO_LISTENER = -4096 }; /* below every errno */
int filter_install(struct sandbox *sandbox, int with_listener);
void filter_prepare(const struct sandbox *sandbox); /* for the plan that is likely; another one costs some time */

/* init.c, command.c: the bodies of the tasks */
int init_task(void *sandbox);
int command_task(void *sandbox);

enum { SIGNALS = 64 };
#define BIT_OF(signal) (1ULL << ((signal) - 1))
enum { FORWARD_SIGNAL = 34 }; /* the first real-time signal: wakes init, which forwards `wanted_signals` */

#endif
