/* Names are kept with the object that was made under them: either alone could be somebody else's by now. */
#include <linux/stat.h>

#include "own_names.h"

static struct own_name table[OWN_NAMES_MAX];
static int end, trees; /* entries from `end` on were never used */

static uint64_t mark_of(const char *path) {
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    while (*path) hash = (hash ^ (unsigned char)*path++) * 0x100000001b3;
    return hash ? hash : 1;
}

static struct own_name *find(const char *path) {
    uint64_t mark = end ? mark_of(path) : 0;
    for (int i = 0; i < end; i++)
        if (table[i].mark == mark && same_text(table[i].path, path)) return &table[i];
    return 0;
}

const struct own_name *own_name_at(const char *path) { return find(path); }

const struct own_name *own_tree_above(const char *path) {
    const struct own_name *nearest = 0;
    size_t nearest_length = 0;
    for (int i = 0; trees && i < end; i++) {
        if (!table[i].mark || table[i].tree < 0) continue;
        size_t length = strlen(table[i].path);
        if (length <= nearest_length || !path_is_at_or_below(path, table[i].path, length) || !path[length]) continue;
        nearest = &table[i];
        nearest_length = length;
    }
    return nearest;
}

int has_room_for_own(void) {
    for (int i = 0; i < end; i++)
        if (!table[i].mark) return 1;
    return end < OWN_NAMES_MAX;
}

static void forget(struct own_name *own) {
    own->mark = 0;
    if (own->tree < 0) return;
    sys(close, own->tree);
    trees--;
}

void remember_own_name(const char *path, const struct identity *identity, int grant, int is_made, int tree) {
    struct own_name *own = find(path);
    if (own) forget(own);
    for (int i = 0; !own && i < end; i++)
        if (!table[i].mark) own = &table[i];
    if (!own) own = &table[end++];
    put_text(own->path, path);
    own->mark = mark_of(path);
    own->identity = *identity;
    own->grant = grant;
    own->is_made = is_made;
    own->tree = tree;
    trees += tree >= 0;
}

static void move(struct own_name *own, size_t above, const char *to) {
    char path[PATH_BYTES_MAX];
    size_t length = strlen(to), rest = strlen(own->path) - above;
    if (length + rest >= PATH_BYTES_MAX) {
        forget(own);
        return;
    }
    memcpy(path, to, length);
    memcpy(path + length, own->path + above, rest + 1);
    memcpy(own->path, path, length + rest + 1);
    own->mark = mark_of(path);
}

void move_own_name(const char *from, const char *to) {
    size_t length = strlen(from);
    struct own_name *replaced = to ? find(to) : 0;
    if (replaced) forget(replaced);
    for (int i = 0; i < end; i++) {
        if (!table[i].mark || !path_is_at_or_below(table[i].path, from, length)) continue;
        if (to) move(&table[i], length, to);
        else forget(&table[i]);
    }
}
