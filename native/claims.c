/* Whose mounts kept directories belong to: one file with a name in each of their work directories (link(2), flock(2)).
 *
 * A session that mounts them writes down, a line for each, the name of the mount and what it was made of. A command that borrows
 * some of them shares the lock on that file, and compares. Whoever mounts one for itself, or does away with it, takes the lock
 * alone, empties the file and removes the name of it that lies there. So one lock and one look stand for all mounts of a session, and
 * of two mounts of one directory never both are used. */
#include <linux/openat2.h>
#include <linux/stat.h>

#include "claims.h"

enum { LOCK_SHARED = 1 | 4 /* LOCK_SH | LOCK_NB */, LINE_BYTES_MAX = LENT_NAME_MAX + 2 * IDENTITY_BYTES_MAX + 1 };

int void_claim(int work) {
    int file = (int)sys(openat, work, CLAIM, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return file == -ENOENT ? 0 : file;
    long error = sys(flock, file, LOCK_ALONE);
    if (error == 0) error = sys(ftruncate, file, 0);
    if (error == 0) error = sys(unlinkat, work, CLAIM, 0);
    sys(close, file);
    return (int)error;
}

/* Of what is open, or, with a path, of what lies there. */
static int put_identity(char **at, int fd, const char *path) {
    struct statx about;
    long error = sys(statx, fd, path, *path ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH, STATX_INO, &about);
    if (error < 0) return (int)error;
    const unsigned long numbers[] = {about.stx_dev_major, about.stx_dev_minor, about.stx_ino};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *at = put_number(put_text(*at, " "), numbers[i]);
    return 0;
}

void add_to_claim(struct claim *claim, const struct overlay *overlay, const struct overlay_parts *parts) {
    char line[LINE_BYTES_MAX + 1], *at = put_text(line, overlay->lent);
    if (put_identity(&at, parts->lower, "") < 0 || put_identity(&at, parts->upper, "") < 0) return;
    long error = 0;
    if (claim->file >= 0) {
        error = sys(linkat, claim->first_work, CLAIM, parts->work, CLAIM, 0);
    } else {
        claim->first_work = parts->work;
        claim->file = (int)sys(openat, parts->work, CLAIM, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        error = claim->file;
    }
    if (error < 0) return;
    put_text(at, "\n");
    claim->length = (size_t)(put_text(claim->text + claim->length, line) - claim->text);
}

void write_claim(struct claim *claim) {
    if (claim->file < 0) return;
    sys(write, claim->file, claim->text, claim->length);
    sys(close, claim->file);
}

int share_claim(const struct overlay *overlay, struct claim *claim) {
    char path[PATH_BYTES_MAX + sizeof "/" CLAIM];
    struct open_how how = {
        .flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    put_text(put_text(path, overlay->work), "/" CLAIM);
    claim->file = (int)sys(openat2, AT_FDCWD, path, &how, sizeof how);
    if (claim->file < 0) return claim->file;
    long length = sys(flock, claim->file, LOCK_SHARED);
    if (length == 0) length = sys(read, claim->file, claim->text, sizeof claim->text);
    if (length < 0) sys(close, claim->file);
    claim->length = length < 0 ? 0 : (size_t)length;
    return length < 0 ? (int)length : 0;
}

static int has_line(const struct claim *claim, const char *line, size_t length) {
    for (size_t at = 0; at + length <= claim->length;) {
        if (memcmp(claim->text + at, line, length) == 0) return 1;
        while (at < claim->length && claim->text[at] != '\n') at++;
        at++;
    }
    return 0;
}

int is_claimed(const struct claim *claim, const struct overlay *overlay) {
    char line[LINE_BYTES_MAX + 1], *at = put_text(line, overlay->lent);
    if (put_identity(&at, AT_FDCWD, overlay->lower) < 0 || put_identity(&at, AT_FDCWD, overlay->upper) < 0) return 0;
    at = put_text(at, "\n");
    return has_line(claim, line, (size_t)(at - line));
}
