/* Reads the plan: a header, then records of tag, length and bytes, all little endian.
 *
 * The bytes come from our own side, but a plan half understood is worse than none: every length is checked,
 * the whole is covered by a remainder, an unknown tag or flag is an error, and nothing runs after an error. */
#include "plan.h"

enum { HEADER_BYTES = 20 };
static const uint64_t PRIME = ((uint64_t)1 << 61) - 1;
static const char MAGIC[8] = "SGPLAN2";

enum tag { TAG_ARG = 1, TAG_ENV, TAG_CWD, TAG_MOUNT, TAG_FLAGS, TAG_LIMIT, TAG_ABSENT, TAG_SOCKET, TAG_HOST, TAG_EXPECTED, TAG_SOURCE, TAG_OVERLAY, TAG_CONTENT, TAG_GRANT };

static uint32_t read_u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t read_u64(const unsigned char *at) { return read_u32(at) | (uint64_t)read_u32(at + 4) << 32; }

static uint64_t reduced(uint64_t number) {
    number = (number & PRIME) + (number >> 61);
    return number >= PRIME ? number - PRIME : number;
}

/* The records as one whole number, little endian, modulo 2^61 - 1: 2^64 is 2^3 there, so each word costs a rotation. No
 * change of one byte leaves it as it is, and of others one in 2^61. */
static uint64_t remainder_of(const unsigned char *bytes, size_t length) {
    uint64_t remainder = 0, word = 0;
    for (size_t at = length; at > 0;) {
        at--;
        word = word << 8 | bytes[at];
        if (at % 8) continue;
        remainder = reduced(((remainder << 3) & PRIME) | remainder >> 58);
        remainder = reduced(remainder + reduced(word));
        word = 0;
    }
    return remainder;
}

/* A string record carries exactly one zero byte, its last. */
static const char *text_in(const unsigned char *bytes, uint32_t length) {
    if (length == 0 || bytes[length - 1] != 0) return 0;
    return strlen((const char *)bytes) == length - 1 ? (const char *)bytes : 0;
}

static const char *path_in(const unsigned char *bytes, uint32_t length) {
    const char *text = text_in(bytes, length);
    return text && text[0] == '/' ? text : 0;
}

static int add_string(const char **list, uint32_t *count, const char *text) {
    if (!text || *count >= STRINGS_MAX) return -EBADMSG;
    list[(*count)++] = text;
    list[*count] = 0;
    return 0;
}

static int add_path(struct path_list *list, const char *path) {
    if (!path || list->count >= PATHS_MAX) return -EBADMSG;
    list->items[list->count] = list->last[list->count] = path;
    for (const char *at = path; *at; at++)
        if (*at == '/') list->last[list->count] = at + 1;
    list->count++;
    return 0;
}

static int add_mount(struct plan *plan, const unsigned char *bytes, uint32_t length) {
    if (length < 4 || plan->mount_count >= MOUNTS_MAX) return -EBADMSG;
    const char *path = path_in(bytes + 4, length - 4);
    /* "/" is refused: the root of the view is what everything else is mounted on. */
    if (!path || !path[1] || read_u32(bytes) >= MOUNT_KINDS) return -EBADMSG;
    struct mount_entry *entry = &plan->mounts[plan->mount_count++];
    entry->kind = read_u32(bytes);
    entry->path = path;
    entry->source = 0;
    entry->content = 0;
    entry->content_length = 0;
    entry->length = length - 5;
    return path[entry->length - 1] == '/' ? -EBADMSG : 0;
}

/* Speaks of the mount before it. */
static int add_source(struct plan *plan, const char *text) {
    if (!text || !plan->mount_count || plan->mounts[plan->mount_count - 1].source) return -EBADMSG;
    if (text[0] != '/' && !same_text(text, IN_MEMORY)) return -EBADMSG;
    if (plan->mounts[plan->mount_count - 1].kind > MOUNT_READ) return -EBADMSG;
    plan->mounts[plan->mount_count - 1].source = text;
    return 0;
}

/* So does this. */
static int add_content(struct plan *plan, const unsigned char *bytes, uint32_t length) {
    if (!plan->mount_count || length > CONTENT_BYTES_MAX) return -EBADMSG;
    struct mount_entry *entry = &plan->mounts[plan->mount_count - 1];
    if (entry->kind != HIDE_FILE || entry->content) return -EBADMSG;
    entry->content = bytes;
    entry->content_length = length;
    return 0;
}

/* A name for one directory, or none. */
static int is_lent_name(const char *text) {
    for (const char *at = text; *at; at++)
        if (*at == '/' || *at == '.') return 0;
    return strlen(text) <= LENT_NAME_MAX;
}

/* Three paths and a name, each with its zero byte. */
static int add_overlay(struct plan *plan, const unsigned char *bytes, uint32_t length) {
    enum { PATHS = 3 };
    const char *paths[PATHS];
    for (int i = 0; i < PATHS; i++) {
        uint32_t size = 0;
        while (size < length && bytes[size]) size++;
        if (size == length || !(paths[i] = path_in(bytes, size + 1)) || size >= PATH_BYTES_MAX) return -EBADMSG;
        bytes += size + 1;
        length -= size + 1;
    }
    const char *lent = text_in(bytes, length);
    if (!lent || !is_lent_name(lent) || plan->overlay_count >= OVERLAYS_MAX) return -EBADMSG;
    plan->overlays[plan->overlay_count++] = (struct overlay){paths[0], paths[1], paths[2], lent, (uint32_t)strlen(paths[0])};
    return 0;
}

static int add_limit(struct plan *plan, const unsigned char *bytes, uint32_t length) {
    if (length != 12 || plan->limit_count >= LIMITS_MAX) return -EBADMSG;
    struct limit *limit = &plan->limits[plan->limit_count++];
    limit->resource = read_u32(bytes);
    limit->value = read_u64(bytes + 4);
    return 0;
}

static int add_host(struct plan *plan, const unsigned char *bytes, uint32_t length) {
    if (length != 20 || plan->host_count >= HOSTS_MAX) return -EBADMSG;
    struct host *host = &plan->hosts[plan->host_count++];
    host->family = (uint16_t)(bytes[0] | bytes[1] << 8);
    host->port = (uint16_t)(bytes[2] | bytes[3] << 8);
    memcpy(host->address, bytes + 4, 16);
    return 0;
}

static int add_expected(struct plan *plan, const unsigned char *bytes, uint32_t length) {
    enum { NUMBERS_BYTES = 28 };
    if (length < NUMBERS_BYTES || plan->expected_count >= EXPECTED_MAX) return -EBADMSG;
    struct expected *expected = &plan->expected[plan->expected_count++];
    expected->kind = read_u32(bytes);
    expected->device_major = read_u32(bytes + 4);
    expected->device_minor = read_u32(bytes + 8);
    expected->inode = read_u64(bytes + 12);
    expected->changed_ns = read_u64(bytes + 20);
    expected->path = text_in(bytes + NUMBERS_BYTES, length - NUMBERS_BYTES);
    if (expected->kind >= EXPECTED_KINDS || !expected->path) return -EBADMSG;
    return expected->kind == EXPECT_FILE && expected->path[0] != '/' ? -EBADMSG : 0;
}

static int add_plan_grant(struct plan *plan, const unsigned char *bytes, uint32_t length) {
    if (length < 4 || plan->grant_count >= PLAN_GRANTS_MAX || read_u32(bytes) >= GRANT_KINDS) return -EBADMSG;
    const char *path = path_in(bytes + 4, length - 4);
    if (!path || !path[1] || length - 4 > PATH_BYTES_MAX || path[length - 6] == '/') return -EBADMSG;
    plan->grants[plan->grant_count++] = (struct plan_grant){(enum grant_kind)read_u32(bytes), path};
    return 0;
}

static int set_flags(struct plan *plan, const unsigned char *bytes, uint32_t length) {
    if (length != 4) return -EBADMSG;
    plan->flags = read_u32(bytes);
    return plan->flags & ~(uint32_t)PLAN_FLAGS_KNOWN ? -EBADMSG : 0;
}

static int set_cwd(struct plan *plan, const char *path) {
    if (!path || plan->cwd) return -EBADMSG;
    plan->cwd = path;
    return 0;
}

static int take_record(struct plan *plan, uint32_t tag, const unsigned char *bytes, uint32_t length) {
    switch (tag) {
        case TAG_ARG: return add_string(plan->argv, &plan->argv_count, text_in(bytes, length));
        case TAG_ENV: return add_string(plan->env, &plan->env_count, text_in(bytes, length));
        case TAG_CWD: return set_cwd(plan, path_in(bytes, length));
        case TAG_MOUNT: return add_mount(plan, bytes, length);
        case TAG_FLAGS: return set_flags(plan, bytes, length);
        case TAG_LIMIT: return add_limit(plan, bytes, length);
        case TAG_ABSENT: return add_path(&plan->absent, path_in(bytes, length));
        case TAG_SOCKET: return add_path(&plan->sockets, path_in(bytes, length));
        case TAG_HOST: return add_host(plan, bytes, length);
        case TAG_EXPECTED: return add_expected(plan, bytes, length);
        case TAG_OVERLAY: return add_overlay(plan, bytes, length);
        case TAG_GRANT: return add_plan_grant(plan, bytes, length);
        case TAG_CONTENT: return add_content(plan, bytes, length);
        case TAG_SOURCE: return add_source(plan, text_in(bytes, length));
        default: return -EBADMSG;
    }
}

int plan_parse(struct plan *plan, const unsigned char *bytes, size_t length) {
    if (length < HEADER_BYTES || length > PLAN_BYTES_MAX || memcmp(bytes, MAGIC, sizeof MAGIC) != 0) return -EBADMSG;
    if (read_u32(bytes + 8) != length) return -EBADMSG;
    if (read_u64(bytes + 12) != remainder_of(bytes + HEADER_BYTES, length - HEADER_BYTES)) return -EBADMSG;
    for (size_t at = HEADER_BYTES; at < length;) {
        if (length - at < 8) return -EBADMSG;
        uint32_t tag = read_u32(bytes + at), size = read_u32(bytes + at + 4);
        at += 8;
        if (size > length - at || take_record(plan, tag, bytes + at, size) != 0) return -EBADMSG;
        at += size;
    }
    return plan->argv_count && plan->argv[0][0] && plan->cwd ? 0 : -EBADMSG;
}

int path_is_at_or_below(const char *path, const char *above, size_t above_length) {
    for (size_t i = 0; i < above_length; i++)
        if (path[i] != above[i]) return 0; /* stops at the end of a shorter path */
    return path[above_length] == 0 || path[above_length] == '/';
}

const struct mount_entry *plan_entry_for(const struct plan *plan, const char *path) {
    for (uint32_t i = plan->mount_count; i-- > 0;) {
        const struct mount_entry *entry = &plan->mounts[i];
        if (path_is_at_or_below(path, entry->path, entry->length)) return entry;
    }
    return 0;
}

int plan_is_overlaid(const struct plan *plan, const char *path) {
    const struct mount_entry *entry = plan->overlay_count ? plan_entry_for(plan, path) : 0;
    return entry && entry->kind == MOUNT_OVERLAY;
}

uint32_t plan_overlay_of(const struct plan *plan, const char *path) {
    for (uint32_t i = 0; i < plan->overlay_count; i++)
        if (path_is_at_or_below(path, plan->overlays[i].lower, plan->overlays[i].lower_length)) return i;
    return OVERLAYS_MAX;
}

int plan_moves(const struct plan *plan, const char *path) {
    const struct mount_entry *entry = plan_entry_for(plan, path);
    return entry && entry->source && entry->source[0] == '/';
}

static int joined(const char *above, const char *rest, char path[PATH_BYTES_MAX]) {
    if (strlen(above) + strlen(rest) >= PATH_BYTES_MAX) return -ENAMETOOLONG;
    put_text(put_text(path, above), rest);
    return 0;
}

int plan_host_path(const struct plan *plan, const char *path, char host[PATH_BYTES_MAX]) {
    if (!plan_moves(plan, path)) return joined("", path, host);
    const struct mount_entry *entry = plan_entry_for(plan, path);
    return joined(entry->source, path + entry->length, host);
}

int plan_seen_path(const struct plan *plan, char path[PATH_BYTES_MAX]) {
    static char host[PATH_BYTES_MAX];
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct mount_entry *entry = &plan->mounts[i];
        if (!entry->source || entry->source[0] != '/') continue;
        size_t length = strlen(entry->source);
        if (!path_is_at_or_below(path, entry->source, length)) continue;
        put_text(host, path);
        return joined(entry->path, host + length, path);
    }
    return 0;
}
