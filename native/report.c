/* Packets to Sandgate: unix(7), SOCK_SEQPACKET. Records do not wait: a reader that does not keep up loses them, and
 * the loss is counted. Only the last packet waits, for a while: it says how the command ended. */
#include <linux/stat.h>

#include "report.h"

enum { PACKET_BYTES_MAX = 16 << 10, REFUSALS_MAX = 512, COMM_BYTES = 16 };
enum { LAST_PACKET_LIMIT_S = 5 };
enum { SEND_WITHOUT_SIGNAL = 0x4000 /* MSG_NOSIGNAL */, SEND_WITHOUT_WAITING = 0x40 /* MSG_DONTWAIT */ | SEND_WITHOUT_SIGNAL };

struct packet_buffer {
    char bytes[PACKET_BYTES_MAX];
    size_t length;
};

static void add_u32(struct packet_buffer *packet, uint32_t value) {
    memcpy(packet->bytes + packet->length, &value, sizeof value); /* both architectures are little endian */
    packet->length += sizeof value;
}

/* Adds the text with its zero byte; false when it does not fit any more. */
static int add_text(struct packet_buffer *packet, const char *text) {
    size_t size = strlen(text) + 1;
    if (packet->length + size > sizeof packet->bytes) return 0;
    memcpy(packet->bytes + packet->length, text, size);
    packet->length += size;
    return 1;
}

static int send_packet(const struct packet_buffer *packet) {
    return sys(sendto, STATUS_FD, packet->bytes, packet->length, SEND_WITHOUT_WAITING, 0, 0) >= 0;
}

static void send_last_packet(const struct packet_buffer *packet) {
    if (send_packet(packet)) return;
    long limit[2] = {LAST_PACKET_LIMIT_S, 0}; /* struct timeval */
    sys(setsockopt, STATUS_FD, 1 /* SOL_SOCKET */, 21 /* SO_SNDTIMEO */, limit, sizeof limit);
    sys(sendto, STATUS_FD, packet->bytes, packet->length, SEND_WITHOUT_SIGNAL, 0, 0);
}

static struct packet_buffer *new_packet(enum packet kind) {
    static struct packet_buffer packet;
    packet.length = 0;
    add_u32(&packet, kind);
    return &packet;
}

static uint64_t fingerprint(const struct refusal *refusal) {
    uint64_t hash = 0xcbf29ce484222325 ^ (uint64_t)refusal->operation; /* FNV-1a */
    for (const char *at = refusal->operation == OP_OTHER ? refusal->syscall : ""; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    for (const char *at = refusal->path; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    for (const char *at = refusal->address; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    return hash;
}

/* The same operation on the same object is told once. */
static int already_told(const struct tally *tally, uint64_t mark, uint64_t told[]) {
    for (uint32_t i = 0; i < tally->told; i++)
        if (told[i] == mark) return 1;
    return 0;
}

static void read_comm(int pid, char comm[COMM_BYTES + 1]) {
    char path[48], *end = put_text(path, "/proc/");
    put_text(put_number(end, (unsigned long)pid), "/comm");
    comm[0] = 0;
    long fd = sys(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    long length = sys(read, fd, comm, COMM_BYTES);
    sys(close, fd);
    comm[length > 0 ? length - 1 : 0] = 0; /* without its line end */
}

static int add_refusal(struct packet_buffer *packet, const struct refusal *refusal) {
    char comm[COMM_BYTES + 1];
    read_comm(refusal->pid, comm);
    add_u32(packet, refusal->operation);
    add_u32(packet, refusal->layer);
    add_u32(packet, (uint32_t)refusal->error);
    add_u32(packet, (uint32_t)refusal->pid);
    add_u32(packet, (uint32_t)refusal->host_allows);
    add_u32(packet, (uint32_t)refusal->manner);
    return add_text(packet, refusal->syscall) && add_text(packet, refusal->path) && add_text(packet, refusal->address) &&
           add_text(packet, comm);
}

void report_refusal(struct tally *tally, const struct refusal *refusal) {
    static uint64_t told[REFUSALS_MAX + 1]; /* the last place is for what is no refusal: that something is served */
    uint64_t mark = fingerprint(refusal);
    if (already_told(tally, mark, told)) return;
    struct packet_buffer *packet = new_packet(PACKET_REFUSED);
    int fits = add_refusal(packet, refusal);
    int is_full = tally->told >= REFUSALS_MAX && refusal->operation != OP_LISTENS;
    if (is_full || !fits || !send_packet(packet)) {
        tally->omitted++;
        return;
    }
    told[tally->told++] = mark;
}

int report_held(uint32_t number, const struct refusal *refusal, const char *other_path) {
    struct packet_buffer *packet = new_packet(PACKET_HELD);
    add_u32(packet, number);
    return add_refusal(packet, refusal) && add_text(packet, other_path) && send_packet(packet);
}

int report_let_go(uint32_t number) {
    struct packet_buffer *packet = new_packet(PACKET_LET_GO);
    add_u32(packet, number);
    return send_packet(packet);
}

int report_performed(const struct performed *performed) {
    struct packet_buffer *packet = new_packet(PACKET_PERFORMED);
    add_u32(packet, performed->number);
    add_u32(packet, performed->operation);
    add_u32(packet, (uint32_t)performed->error);
    return add_text(packet, performed->path) && add_text(packet, performed->other_path) && send_packet(packet);
}

void report_end(struct sandbox *sandbox, const struct tally *tally) {
    if (__atomic_exchange_n(&sandbox->told, 1, __ATOMIC_SEQ_CST)) return;
    struct packet_buffer *packet;
    if (sandbox->failed_step) {
        packet = new_packet(PACKET_SETUP_FAILED);
        add_u32(packet, (uint32_t)sandbox->failed_errno);
        add_text(packet, sandbox->failed_step);
        add_text(packet, sandbox->failed_path);
    } else if (sandbox->exec_part != EXEC_NOTHING) {
        packet = new_packet(PACKET_EXEC_FAILED);
        add_u32(packet, (uint32_t)sandbox->exec_errno);
        add_u32(packet, sandbox->exec_part);
        add_u32(packet, sandbox->layers);
    } else {
        packet = new_packet(PACKET_ENDED);
        /* No status: init was killed, and the command with it. */
        add_u32(packet, sandbox->command_ended ? (uint32_t)sandbox->command_status : 9 /* SIGKILL */);
        add_u32(packet, sandbox->layers);
        add_u32(packet, tally->omitted);
        add_u32(packet, tally->performed_omitted);
    }
    send_last_packet(packet);
}
