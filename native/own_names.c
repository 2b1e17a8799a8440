/* Names are kept with the object that was made under them: either alone could be somebody else's by now. */
#include <linux/stat.h>

#include "own_names.h"

struct entry {
    char path[PATH_BYTES_MAX];
    uint64_t mark; /* of the path; 0: free */
    struct own_name own;
};
static struct entry table[OWN_NAMES_MAX];
static int end, trees; /* entries from `end` on were never used */

static uint64_t mark_of(const char *path) {
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    while (*path) hash = (hash ^ (unsigned char)*path++) * 0x100000001b3;
    return hash ? hash : 1;
}

static struct entry *find(const char *path) {
    uint64_t mark = end ? mark_of(path) : 0;
    for (int i = 0; i < end; i++)
        if (table[i].mark == mark && same_text(table[i].path, path)) return &table[i];
    return 0;
}

const struct own_name *own_name_at(const char *path) {
    const struct entry *entry = find(path);
    return entry ? &entry->own : 0;
}

const struct own_name *own_tree_above(const char *path, size_t *length) {
    const struct own_name *nearest = 0;
    *length = 0;
    for (int i = 0; trees && i < end; i++) {
        if (!table[i].mark || table[i].own.tree < 0) continue;
        size_t size = strlen(table[i].path);
        if (size <= *length || !path_is_at_or_below(path, table[i].path, size) || !path[size]) continue;
        nearest = &table[i].own;
        *length = size;
    }
    return nearest;
}

static struct identity unnamed[UNNAMED_MAX];
static unsigned int unnamed_made;

void remember_unnamed(const struct identity *identity) { unnamed[unnamed_made++ % UNNAMED_MAX] = *identity; }

int is_own_unnamed(const struct identity *identity) {
    for (unsigned int i = 0; i < UNNAMED_MAX && i < unnamed_made; i++)
        if (is_same_object(&unnamed[i], identity)) return 1;
    return 0;
}

int has_room_for_own(void) {
    for (int i = 0; i < end; i++)
        if (!table[i].mark) return 1;
    return end < OWN_NAMES_MAX;
}

static void forget(struct entry *entry) {
    entry->mark = 0;
    if (entry->own.tree < 0) return;
    sys(close, entry->own.tree);
    trees--;
}

void remember_own_name(const char *path, const struct own_name *own) {
    struct entry *entry = find(path);
    if (entry) forget(entry);
    for (int i = 0; !entry && i < end; i++)
        if (!table[i].mark) entry = &table[i];
    if (!entry) entry = &table[end++];
    put_text(entry->path, path);
    entry->mark = mark_of(path);
    entry->own = *own;
    trees += own->tree >= 0;
}

static void move(struct entry *entry, size_t above, const char *to) {
    char path[PATH_BYTES_MAX];
    size_t length = strlen(to), rest = strlen(entry->path) - above;
    if (length + rest >= PATH_BYTES_MAX) {
        forget(entry);
        return;
    }
    memcpy(path, to, length);
    memcpy(path + length, entry->path + above, rest + 1);
    memcpy(entry->path, path, length + rest + 1);
    entry->mark = mark_of(path);
}

/* A name of its own makes a passing one last; not that of another passing one, whose place it takes. */
void move_own_name(const char *from, const char *to) {
    size_t length = strlen(from);
    struct entry *replaced = to ? find(to) : 0, *moved = find(from);
    if (to && moved) moved->own.is_passing = replaced && replaced->own.is_passing;
    if (replaced && replaced != moved) forget(replaced);
    for (int i = 0; i < end; i++) {
        if (!table[i].mark || !path_is_at_or_below(table[i].path, from, length)) continue;
        if (to) move(&table[i], length, to);
        else forget(&table[i]);
    }
}

static void remove_if_same(const struct plan *plan, const struct entry *entry) {
    const char *name;
    struct identity found;
    uint32_t type;
    long parent = open_parent(plan, entry->path, &name);
    if (parent < 0) return;
    if (look_up_identity((int)parent, name, &found, &type) == 0 && is_same_object(&found, &entry->own.identity))
        sys(unlinkat, parent, name, 0);
    sys(close, parent);
}

void remove_passing_names(const struct plan *plan) {
    for (int i = 0; i < end; i++)
        if (table[i].mark && table[i].own.is_passing) remove_if_same(plan, &table[i]);
}
