/* Decides by names alone whether a call lies within what was allowed.
 *
 * A grant for one path names it, so it may even be a protected one. A grant for a tree names only its root: what is
 * protected or hidden below stays so, and so does whatever lies behind a dot (protocol/implied_grants.py says the same). */
#include <linux/stat.h>

#include "grants.h"

struct grant {
    enum grant_kind kind;
    uint32_t length;
    char path[PATH_BYTES_MAX];
};
static struct grant grants[GRANTS_MAX];
static int count;

static const struct permit NO_PERMIT = {.grant = -1, .tree = -1};

int grants_count(void) { return count; }

int add_grant(enum grant_kind kind, const char *path) {
    size_t length = strlen(path);
    for (int i = 0; i < count; i++)
        if (grants[i].kind == kind && same_text(grants[i].path, path)) return 1;
    if (count >= GRANTS_MAX || (kind != GRANT_HOST && path[0] != '/') || !path[0] || !path[1] || length >= PATH_BYTES_MAX) return 0;
    grants[count].kind = kind;
    grants[count].length = (uint32_t)length;
    put_text(grants[count++].path, path);
    return 1;
}

int grant_named(enum grant_kind kind, const char *value) {
    for (int i = 0; i < count; i++)
        if (grants[i].kind == kind && same_text(grants[i].path, value)) return i;
    return -1;
}

/* An entry of the view that takes away, somewhere on the way from `root` to `path`. */
static int is_closed_below(const struct plan *plan, const char *path, size_t root_length) {
    const struct mount_entry *entry = plan_entry_for(plan, path);
    if (entry && entry->length > root_length && entry->kind != MOUNT_WRITE && entry->kind != MOUNT_OVERLAY) return 1;
    if (!plan->absent.count) return 0;
    char part[PATH_BYTES_MAX];
    put_text(part, path);
    for (size_t at = root_length + 1; path[at - 1]; at++) {
        if (path[at] && path[at] != '/') continue;
        part[at] = 0;
        if (is_absent_name(plan, part)) return 1;
        part[at] = path[at];
    }
    return 0;
}

static int is_in_tree(const struct plan *plan, const char *path, const char *root, size_t root_length) {
    return path_is_at_or_below(path, root, root_length) && path[root_length] && !is_closed_below(plan, path, root_length);
}

/* Where nobody looked for them, repositories, start files and settings of agents lie behind a name that begins with a dot. */
static int is_behind_dot(const char *path, size_t root_length) {
    for (const char *at = path + root_length; *at; at++)
        if (at[0] == '/' && at[1] == '.') return 1;
    return 0;
}

static int lie_beside(const char *left, const char *right) {
    size_t cut = 0;
    for (size_t at = 0; left[at]; at++)
        if (left[at] == '/') cut = at + 1;
    for (size_t at = 0; at < cut; at++)
        if (left[at] != right[at]) return 0;
    for (const char *at = right + cut; *at; at++)
        if (*at == '/') return 0;
    return 1;
}

static const char *name_in(const char *path) {
    const char *name = path;
    for (; *path; path++)
        if (*path == '/') name = path + 1;
    return name;
}

static int is_letter(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'); }

static int is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/* ".note.swp", "note~", "#note#", "note-journal" of "note". Not ".profile" of "profile", nor ".bash_login" of "bash". */
static int is_named_after(const char *name, const char *original) {
    int begins_with_dot = *name == '.' && name[1] != '#', is_hidden_then = begins_with_dot && *original != '.';
    while (*name == '.' || *name == '#' || *name == '~') name++;
    while (*original == '.') original++;
    while (*original && *name == *original) name++, original++;
    if (*original || (begins_with_dot && *name == '_') || (is_hidden_then && !*name)) return 0;
    return !is_letter(*name);
}

static int looks_like(const char *path, const char *original) { return is_named_after(name_in(path), name_in(original)); }

/* Beside a file that may be changed, new names serve to replace it. They look like its own, or are files that nobody else
 * could have made, and gone with the command; those start with no dot, as what programs obey does, and hide nowhere. */
static int serves_to_replace(const struct plan *plan, enum wish wish, const char *path, const char *replaced) {
    if (!lie_beside(path, replaced) || is_guarded_name(plan, path)) return 0;
    return looks_like(path, replaced) || (wish == WISH_TEMPORARY && *name_in(path) != '.' && !is_hidden(plan, path));
}

/* "base.db-journal" of "base.db", as long as that is a file which the command itself has made. Of what starts with a dot
 * nothing follows: there, more than one name is obeyed. */
static int goes_with_made(const struct plan *plan, const struct spot *spot, size_t length, const struct grant *made) {
    if (length <= made->length || memcmp(spot->path, made->path, made->length) != 0) return 0;
    char next = spot->path[made->length];
    if (is_letter(next) || is_digit(next) || *name_in(made->path) == '.' || !lie_beside(made->path, spot->path)) return 0;
    const struct own_name *own = own_name_at(made->path);
    return own && own->is_made && own->tree < 0 && !is_guarded_name(plan, spot->path) && !is_hidden(plan, spot->path);
}

static int creates(enum wish wish) { return wish == WISH_CREATE || wish == WISH_TEMPORARY; }

/* What exists of a tree's own is found by its path, so that a change below it need not be remembered one by one. */
static int reaches(const struct plan *plan, const struct grant *grant, enum wish wish, const struct spot *spot, size_t length) {
    int is_exact = grant->length == length && same_text(grant->path, spot->path);
    if (wish == WISH_UNNAMED && (grant->kind == GRANT_NEW_ENTRY || grant->kind == GRANT_WRITE_PATH))
        return lie_beside(spot->path, grant->path); /* it can get no name but one that is granted */
    switch (grant->kind) {
        case GRANT_WRITE_ROOT:
            return is_in_tree(plan, spot->path, grant->path, grant->length) && !is_behind_dot(spot->path, grant->length);
        case GRANT_NEW_ENTRY: return creates(wish) && (is_exact || goes_with_made(plan, spot, length, grant));
        case GRANT_METADATA: return wish == WISH_METADATA && is_exact;
        case GRANT_REMOVE: return wish == WISH_REMOVE && (is_exact || is_in_tree(plan, spot->path, grant->path, grant->length));
        case GRANT_WRITE_PATH:
            if (creates(wish)) return is_exact || serves_to_replace(plan, wish, spot->path, grant->path);
            return is_exact && (wish == WISH_METADATA || wish == WISH_WRITE);
        case GRANT_HOST: case GRANT_SOCKET: case GRANT_NAME: case GRANT_KINDS: break;
    }
    return 0;
}

static struct permit permit_by_making(const struct plan *plan, enum wish wish, const struct spot *spot) {
    struct permit permit = NO_PERMIT;
    const struct own_name *own = creates(wish) || wish == WISH_UNNAMED ? 0 : own_name_at(spot->path);
    if (own) {
        permit.grant = own->grant;
        permit.is_own = 1;
        permit.identity = own->identity;
        return permit;
    }
    size_t length;
    own = own_tree_above(spot->path, &length);
    if (!own || is_closed_below(plan, spot->path, length)) return permit;
    permit.grant = own->grant;
    permit.tree = own->tree;
    permit.below = spot->path + length + 1;
    return permit;
}

struct permit permit_for(const struct plan *plan, enum wish wish, const struct spot *spot) {
    struct permit permit = permit_by_making(plan, wish, spot);
    if (permit.grant >= 0) return permit;
    size_t length = strlen(spot->path);
    for (int i = 0; i < count; i++) {
        if (!reaches(plan, &grants[i], wish, spot, length)) continue;
        permit.becomes_own = creates(wish) && grants[i].kind != GRANT_WRITE_ROOT;
        if (permit.becomes_own && !has_room_for_own()) continue;
        permit.grant = i;
        permit.is_passing = permit.becomes_own && grants[i].kind == GRANT_WRITE_PATH && !looks_like(spot->path, grants[i].path);
        return permit;
    }
    permit.becomes_own = 0;
    return permit;
}

struct permit permit_for_setting_aside(const struct plan *plan, const struct spot *from, const struct spot *to) {
    struct permit permit = NO_PERMIT;
    if (to->exists || !has_room_for_own() || !serves_to_replace(plan, WISH_CREATE, to->path, from->path)) return permit;
    for (int i = 0; i < count; i++)
        if (grants[i].kind == GRANT_WRITE_PATH && same_text(grants[i].path, from->path)) permit.grant = i;
    return permit;
}

/* Some entry of the view, or a name that must not be, lies below; or what the command has as its own is mounted there. */
static int holds_what_is_kept(const struct plan *plan, const char *path) {
    size_t length = strlen(path);
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct mount_entry *entry = &plan->mounts[i];
        int is_free = entry->kind == MOUNT_WRITE || entry->kind == MOUNT_OVERLAY;
        if (entry->length >= length + !is_free && path_is_at_or_below(entry->path, path, length)) return 1;
    }
    return is_above_absent(plan, path);
}

int is_made_by_us(const struct spot *spot) {
    size_t length;
    const struct own_name *own = own_name_at(spot->path);
    return own ? own->is_made : own_tree_above(spot->path, &length) != 0;
}

static int is_in_own_tree(const struct spot *spot) {
    size_t length;
    return own_tree_above(spot->path, &length) != 0;
}

/* Whatever lies in a directory of our making may be read: so nothing hidden comes to lie there. */
int may_be_moved(const struct plan *plan, const struct spot *from, const struct spot *to) {
    if (holds_what_is_kept(plan, from->path) || holds_what_is_kept(plan, to->path)) return 0;
    if (!is_hidden(plan, from->path) || is_made_by_us(from)) return 1;
    return is_hidden(plan, to->path) && !is_in_own_tree(to);
}

/* A descriptor for writing can be opened again for reading, in /proc: so what is hidden must be emptied first. */
int may_be_opened(const struct plan *plan, const struct spot *spot, uint64_t flags) {
    if (!spot->exists || !is_hidden(plan, spot->path) || is_made_by_us(spot)) return 1;
    return (flags & O_ACCMODE) == O_WRONLY && (flags & O_TRUNC);
}
