/* Performs one call: openat2(2), statx(2), proc(5).
 *
 * Directories are opened beneath the root, or beneath one of our making, and no link is followed on the way; a directory
 * that is another one than was shown ends it. The last name is never followed either: what exists is opened as a mere
 * place, looked at, and only then changed through that very descriptor. What is new is made exclusively. */
#include <linux/openat2.h>
#include <linux/stat.h>

#include "identity.h"
#include "perform.h"

enum { RENAME_ONLY_NEW = 1 /* RENAME_NOREPLACE */, SELF_LINK_BYTES = 40, SOCKET_PATH_BYTES = 108 /* unix(7) */, SET_FLAGS = 4 /* F_SETFL */ };

/* A name in its directory, with what permits the change. */
struct site {
    struct permit permit;
    const struct spot *spot;
    int directory;
    const char *name;
};

static long open_beneath(const struct permit *permit, const char **name) {
    static char parent[PATH_BYTES_MAX];
    const char *cut = 0;
    for (const char *at = permit->below; *at; at++)
        if (*at == '/') cut = at;
    *name = cut ? cut + 1 : permit->below;
    size_t length = cut ? (size_t)(cut - permit->below) : 1;
    memcpy(parent, cut ? permit->below : ".", length);
    parent[length] = 0;
    struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return sys(openat2, permit->tree, parent, &how, sizeof how);
}

static int is_the_shown_parent(const struct site *site) {
    struct identity now;
    uint32_t type;
    if (!site->spot->parent.inode) return 1;
    return look_up_identity(site->directory, "", &now, &type) == 0 && is_same_object(&now, &site->spot->parent);
}

static int open_site(const struct plan *plan, struct site *site) {
    long directory = site->permit.tree >= 0 ? open_beneath(&site->permit, &site->name)
                                            : open_parent(plan, site->spot->path, &site->name);
    if (directory < 0) return directory == -ELOOP || directory == -EXDEV ? -EACCES : (int)directory;
    site->directory = (int)directory;
    if (is_the_shown_parent(site)) return 0;
    sys(close, directory);
    return -EACCES;
}

/* What stands under the name is what the permit, and the call when it was read, speak of. */
static int is_as_permitted(const struct site *site, const struct identity *found, uint32_t type) {
    if (type == S_IFCHR || type == S_IFBLK || type != site->spot->type) return -EACCES;
    return site->permit.is_own && !is_same_object(found, &site->permit.identity) ? -ESTALE : 0;
}

static int check_name(const struct site *site) {
    struct identity found;
    uint32_t type;
    int error = look_up_identity(site->directory, site->name, &found, &type);
    return error ? error : is_as_permitted(site, &found, type);
}

/* The object itself, as a place: nothing can be exchanged any more. */
static long open_object(const struct site *site) {
    struct identity found;
    uint32_t type;
    long object = sys(openat, site->directory, site->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (object < 0) return object;
    int error = look_up_identity((int)object, "", &found, &type);
    if (error == 0) error = is_as_permitted(site, &found, type);
    if (error == 0) return object;
    sys(close, object);
    return error;
}

static void put_self_link(char link[SELF_LINK_BYTES], long fd) {
    put_number(put_text(link, "/proc/self/fd/"), (unsigned long)fd);
}

static long open_existing(const struct site *site, uint64_t flags) {
    char link[SELF_LINK_BYTES];
    if ((flags & O_CREAT) && (flags & O_EXCL)) return -EEXIST;
    long object = open_object(site);
    if (object < 0) return object;
    put_self_link(link, object);
    /* Never waiting, whatever was asked: a lease that somebody holds would hold us, and with us every other call. */
    long fd = sys(openat, AT_FDCWD, link, (flags & ~(uint64_t)(O_CREAT | O_EXCL)) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    sys(close, object);
    if (fd >= 0 && !(flags & O_NONBLOCK)) sys(fcntl, fd, SET_FLAGS, flags & (O_APPEND | O_DIRECT | O_NOATIME));
    return fd;
}

static long open_new(const struct site *site, const struct deed *deed) {
    uint64_t flags = deed->flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    return sys(openat, site->directory, site->name, flags, deed->mode);
}

/* In the directory itself: the name is none. */
static long open_unnamed(const struct site *site, const struct deed *deed) {
    struct identity made;
    uint32_t type;
    long fd = sys(openat, site->directory, ".", deed->flags | O_TMPFILE | O_NOCTTY | O_CLOEXEC, deed->mode);
    if (fd >= 0 && look_up_identity((int)fd, "", &made, &type) == 0) remember_unnamed(&made);
    return fd;
}

static long open_file(const struct site *site, const struct deed *deed) {
    if (deed->flags & __O_TMPFILE) return open_unnamed(site, deed);
    return site->spot->exists ? open_existing(site, deed->flags) : open_new(site, deed);
}

static long truncate_to(long object, uint64_t length) {
    char link[SELF_LINK_BYTES];
    put_self_link(link, object);
    long fd = sys(openat, AT_FDCWD, link, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
    if (fd < 0) return fd;
    long error = sys(ftruncate, fd, length);
    sys(close, fd);
    return error;
}

static long keep_owner(long object, const struct deed *deed) {
    struct statx about;
    long error = sys(statx, object, "", AT_EMPTY_PATH, STATX_UID | STATX_GID, &about);
    if (error) return error;
    int is_kept = (deed->uid == ~0U || deed->uid == about.stx_uid) && (deed->gid == ~0U || deed->gid == about.stx_gid);
    return is_kept ? 0 : -EPERM;
}

static long change_object(long object, const struct deed *deed) {
    char link[SELF_LINK_BYTES];
    put_self_link(link, object);
    switch (deed->kind) {
        case DEED_TRUNCATE: return truncate_to(object, deed->length);
        case DEED_MODE: return sys(fchmodat, AT_FDCWD, link, deed->mode);
        case DEED_OWNER: return keep_owner(object, deed);
        case DEED_TIMES: return sys(utimensat, object, "", deed->times, AT_EMPTY_PATH);
        case DEED_SET_ATTRIBUTE: return sys(setxattr, link, deed->attribute, deed->text, deed->text_length, deed->flags);
        case DEED_REMOVE_ATTRIBUTE: return sys(removexattr, link, deed->attribute);
        default: return -EACCES;
    }
}

static long change(const struct site *site, const struct deed *deed) {
    long object = open_object(site);
    if (object < 0) return object;
    long error = change_object(object, deed);
    sys(close, object);
    return error;
}

/* A name for a file that we made without one. Any other has a name, or is to have none. */
static long name_file(const struct site *site, int file) {
    struct identity found;
    uint32_t type;
    char link[SELF_LINK_BYTES];
    int error = look_up_identity(file, "", &found, &type);
    if (error || !is_own_unnamed(&found)) return error ? error : -EXDEV;
    put_self_link(link, file);
    return sys(linkat, AT_FDCWD, link, site->directory, site->name, AT_SYMLINK_FOLLOW);
}

/* The last component as it is: a link in its place is not followed, and the way there was ours. */
static long bind_socket(const struct site *site, int socket) {
    struct {
        uint16_t family;
        char path[SOCKET_PATH_BYTES];
    } address = {1 /* AF_UNIX */, {0}};
    size_t length = strlen(site->name);
    if (length >= sizeof address.path) return -ENAMETOOLONG;
    put_text(address.path, site->name);
    long error = sys(fchdir, site->directory);
    if (error) return error;
    error = sys(bind, socket, &address, sizeof address.family + length + 1);
    sys(chdir, "/");
    return error;
}

static long make(const struct site *site, const struct deed *deed) {
    switch (deed->kind) {
        case DEED_NAME: return name_file(site, deed->borrowed);
        case DEED_BIND: return bind_socket(site, deed->borrowed);
        case DEED_DIRECTORY: return sys(mkdirat, site->directory, site->name, deed->mode);
        case DEED_NODE: return sys(mknodat, site->directory, site->name, deed->mode, 0);
        case DEED_SYMLINK: return sys(symlinkat, deed->text, site->directory, site->name);
        default: return -EACCES;
    }
}

static long remove_name(const struct site *site, const struct deed *deed) {
    int error = check_name(site);
    return error ? error : sys(unlinkat, site->directory, site->name, deed->flags);
}

static long link_name(const struct site *old, const struct site *new) {
    char link[SELF_LINK_BYTES];
    long object = open_object(old);
    if (object < 0) return object;
    put_self_link(link, object);
    long error = sys(linkat, AT_FDCWD, link, new->directory, new->name, AT_SYMLINK_FOLLOW);
    sys(close, object);
    return error;
}

static long rename_name(const struct site *from, const struct site *to, const struct deed *deed) {
    int error = check_name(from);
    if (error == 0 && to->spot->exists) error = check_name(to);
    if (error) return error;
    return sys(renameat2, from->directory, from->name, to->directory, to->name, to->spot->exists ? deed->flags : RENAME_ONLY_NEW);
}

static long act(const struct site *at, const struct site *to, const struct deed *deed) {
    switch (deed->kind) {
        case DEED_OPEN: return open_file(at, deed);
        case DEED_DIRECTORY: case DEED_NODE: case DEED_SYMLINK: case DEED_NAME: case DEED_BIND: return make(at, deed);
        case DEED_LINK: return link_name(at, to);
        case DEED_RENAME: return rename_name(at, to, deed);
        case DEED_REMOVE: return remove_name(at, deed);
        default: return change(at, deed);
    }
}

/* What came to be under a name; a directory is kept, so that all below it can be told from what takes its place. */
static void remember(const struct site *site, int is_made) {
    struct identity made;
    uint32_t type;
    if (look_up_identity(site->directory, site->name, &made, &type) != 0) return;
    int is_tree = type == S_IFDIR && is_made;
    long tree = is_tree ? sys(openat, site->directory, site->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    struct own_name own = {.identity = made, .grant = site->permit.grant, .is_made = is_made, .is_passing = site->permit.is_passing, .tree = tree < 0 ? -1 : (int)tree};
    remember_own_name(site->spot->path, &own);
}

/* Of two names of one object rename(2) takes neither away, and says that all went well. */
static int is_still_there(const struct site *at, const struct site *to) {
    struct identity old, new;
    uint32_t type;
    if (look_up_identity(at->directory, at->name, &old, &type) != 0) return 0;
    return look_up_identity(to->directory, to->name, &new, &type) == 0 && is_same_object(&old, &new);
}

static void keep_account(const struct site *at, const struct site *to, const struct deed *deed) {
    if (deed->kind == DEED_REMOVE) move_own_name(at->spot->path, 0);
    else if (deed->kind == DEED_LINK && to->permit.becomes_own) remember(to, is_made_by_us(at->spot));
    else if (deed->kind == DEED_RENAME && !is_still_there(at, to)) {
        int was_own = own_name_at(at->spot->path) != 0;
        move_own_name(at->spot->path, to->spot->path);
        if (!was_own && to->permit.becomes_own) remember(to, at->permit.tree >= 0);
    } else if (at->permit.becomes_own && !at->spot->exists) remember(at, 1);
}

static long carry_out(const struct plan *plan, struct site *at, struct site *to, const struct deed *deed) {
    int error = open_site(plan, at);
    if (error) return error;
    if (to->spot) error = open_site(plan, to);
    long result = error ? error : act(at, to, deed);
    if (result >= 0) keep_account(at, to, deed);
    if (to->spot && !error) sys(close, to->directory);
    sys(close, at->directory);
    return result;
}

static enum wish wish_at(const struct deed *deed) {
    switch (deed->kind) {
        case DEED_OPEN:
            if (deed->flags & __O_TMPFILE) return WISH_UNNAMED;
            return deed->at.exists ? WISH_WRITE : deed->flags & O_EXCL ? WISH_TEMPORARY : WISH_CREATE;
        case DEED_DIRECTORY: case DEED_NODE: case DEED_BIND: return WISH_CREATE;
        case DEED_SYMLINK: case DEED_NAME: return WISH_TEMPORARY; /* always a new one */
        case DEED_RENAME: case DEED_REMOVE: return WISH_REMOVE;
        case DEED_LINK: case DEED_TRUNCATE: return WISH_WRITE;
        default: return WISH_METADATA;
    }
}

static enum wish wish_to(const struct deed *deed) {
    return !deed->to.exists ? WISH_CREATE : deed->to.type == S_IFDIR ? WISH_REMOVE : WISH_WRITE;
}

/* Both names of a rename: a file that may be changed may also be set aside, under a name that is then the command's own. */
static int permit_both(const struct plan *plan, const struct deed *deed, struct site *at, struct site *to) {
    if (!may_be_moved(plan, &deed->at, &deed->to)) return 0;
    to->permit = permit_for(plan, wish_to(deed), &deed->to);
    if (at->permit.grant < 0 && deed->kind == DEED_RENAME) {
        at->permit = permit_for_setting_aside(plan, &deed->at, &deed->to);
        if (at->permit.grant >= 0 && to->permit.grant < 0) return 0;
    }
    return at->permit.grant >= 0 && to->permit.grant >= 0;
}

static int permit_all(const struct plan *plan, const struct deed *deed, struct site *at, struct site *to) {
    at->spot = &deed->at;
    to->spot = deed->to.path[0] ? &deed->to : 0;
    at->permit = permit_for(plan, wish_at(deed), &deed->at);
    if (to->spot) return permit_both(plan, deed, at, to);
    return at->permit.grant >= 0 && (deed->kind != DEED_OPEN || may_be_opened(plan, &deed->at, deed->flags));
}

static long perform_once(const struct plan *plan, struct deed *deed, int *grant) {
    struct site at, to;
    if (!permit_all(plan, deed, &at, &to)) return NOT_WITHIN;
    *grant = to.spot ? to.permit.grant : at.permit.grant;
    act_as_command(deed->umask);
    long result = carry_out(plan, &at, &to, deed);
    act_as_ourselves();
    return result;
}

/* Others work on the disk as well: what was missing may be there by now, and the other way round; and what was our own
 * may be somebody else's. Then it is another wish, permitted by itself or not at all. */
static int has_changed(struct deed *deed, long result) {
    if (result == -ESTALE) {
        move_own_name(deed->at.path, 0);
        if (deed->to.path[0]) move_own_name(deed->to.path, 0);
        return 1;
    }
    if (deed->kind != DEED_OPEN || !(deed->flags & O_CREAT)) return 0;
    int appeared = result == -EEXIST && !deed->at.exists && !(deed->flags & O_EXCL);
    if (!appeared && !(result == -ENOENT && deed->at.exists)) return 0;
    deed->at.exists = appeared;
    deed->at.type = appeared ? S_IFREG : 0;
    return 1;
}

long open_as_shown(const struct plan *plan, const struct spot *spot) {
    struct site site = {.permit = {.tree = -1}, .spot = spot};
    long object = open_site(plan, &site);
    if (object < 0) return object;
    object = open_object(&site);
    sys(close, site.directory);
    return object;
}

/* A name in the directory that cannot be met: whoever may change whatever has it has the directory as a whole. */
static int put_inside(const struct spot *directory, struct spot *inside) {
    if (strlen(directory->path) + sizeof "/#" > PATH_BYTES_MAX) return 0;
    put_text(put_text(inside->path, directory->path), "/#");
    return 1;
}

/* Of a directory: names in it. With the rights of the command, whoever asks. */
static long try_to_write(const struct site *site, const struct spot *spot, int wanted) {
    long object = spot->type == S_IFDIR ? sys(openat, site->directory, ".", O_PATH | O_CLOEXEC) : open_object(site);
    if (object < 0) return object;
    long error = sys(faccessat2, object, "", wanted, AT_EMPTY_PATH | AT_EACCESS);
    sys(close, object);
    return error;
}

long access_within_grants(const struct plan *plan, const struct spot *spot, int wanted) {
    struct site site = {.spot = spot};
    int is_directory = spot->type == S_IFDIR;
    if (!spot->exists || (!is_directory && spot->type != S_IFREG) || is_hidden(plan, spot->path)) return NOT_WITHIN;
    static struct spot inside;
    if (is_directory) {
        if (!put_inside(spot, &inside)) return NOT_WITHIN;
        site.spot = &inside;
    }
    site.permit = permit_for(plan, is_directory ? WISH_METADATA : WISH_WRITE, site.spot);
    if (site.permit.grant < 0) return NOT_WITHIN;
    act_as_command(0);
    long error = open_site(plan, &site);
    if (!error) {
        error = try_to_write(&site, spot, wanted);
        sys(close, site.directory);
    }
    act_as_ourselves();
    return error == -ESTALE ? NOT_WITHIN : error;
}

long perform_within_grants(const struct plan *plan, struct deed *deed, int *grant) {
    long result = perform_once(plan, deed, grant);
    if (result != NOT_WITHIN && result < 0 && has_changed(deed, result)) result = perform_once(plan, deed, grant);
    return result == -ESTALE ? -EACCES : result;
}
