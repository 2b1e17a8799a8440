/* What depends on arguments, and what the supervisor looks at: syscalls(2). Which calls exist at all is in
 * call_groups.h. Order and grouping are for the reader only. */
#include "rules.h"

#ifdef __x86_64__
#define X86_ONLY(...) __VA_ARGS__
#else
#define X86_ONLY(...)
#endif

const struct rule rules[] = {
    /* The view must stay as it was built. */
    {__NR_unshare, ACT_CLONE}, {__NR_clone, ACT_CLONE},
    {__NR_personality, ACT_PERSONALITY}, {__NR_ioctl, ACT_IOCTL}, {__NR_fcntl, ACT_FCNTL},
    {__NR_flock, ACT_FLOCK}, {__NR_openat2, ACT_TELL_ENOSYS},
    /* Pid 1 inside is ours. */
    {__NR_kill, ACT_NOT_INIT}, {__NR_tkill, ACT_NOT_INIT}, {__NR_tgkill, ACT_NOT_INIT},
    {__NR_rt_sigqueueinfo, ACT_NOT_INIT}, {__NR_rt_tgsigqueueinfo, ACT_NOT_INIT}, {__NR_pidfd_open, ACT_NOT_INIT},
    {__NR_ptrace, ACT_PTRACE}, {__NR_process_vm_readv, ACT_NOT_INIT}, {__NR_process_vm_writev, ACT_NOT_INIT},
    {__NR_prlimit64, ACT_NOT_INIT}, {__NR_sched_setscheduler, ACT_NOT_INIT}, {__NR_sched_setparam, ACT_NOT_INIT},
    {__NR_sched_setattr, ACT_NOT_INIT}, {__NR_sched_setaffinity, ACT_NOT_INIT},
    {__NR_setpriority, ACT_PRIORITY}, {__NR_ioprio_set, ACT_IO_PRIORITY},
    /* Sockets. */
    {__NR_socket, ACT_SOCKET}, {__NR_socketpair, ACT_SOCKET}, {__NR_connect, ACT_NOTIFY},
    {__NR_bind, ACT_NOTIFY}, {__NR_listen, ACT_NOTIFY}, {__NR_setsockopt, ACT_NOTIFY_TCP}, {__NR_sendto, ACT_NOTIFY_ADDRESS},
    /* Changes to the file system: allowed or refused by the view, watched for the record. */
    {__NR_openat, ACT_NOTIFY_OPENAT},
    {__NR_faccessat, ACT_NOTIFY_ACCESSAT}, {__NR_faccessat2, ACT_NOTIFY_ACCESSAT}, X86_ONLY({__NR_access, ACT_NOTIFY_ACCESS}, )
    {__NR_mkdirat, ACT_NOTIFY},
    {__NR_mknodat, ACT_MKNODAT}, {__NR_unlinkat, ACT_NOTIFY}, {__NR_renameat2, ACT_NOTIFY},
    {__NR_renameat, ACT_NOTIFY}, {__NR_linkat, ACT_NOTIFY}, {__NR_symlinkat, ACT_NOTIFY}, {__NR_truncate, ACT_NOTIFY},
    {__NR_fchmodat, ACT_MODE_AT}, {__NR_fchmodat2, ACT_MODE_AT}, {__NR_fchmod, ACT_MODE_OF_FD}, {__NR_fchownat, ACT_NOTIFY},
    {__NR_utimensat, ACT_NOTIFY}, {__NR_setxattr, ACT_NOTIFY}, {__NR_lsetxattr, ACT_NOTIFY},
    {__NR_removexattr, ACT_NOTIFY}, {__NR_lremovexattr, ACT_NOTIFY}, {__NR_setxattrat, ACT_NOTIFY},
    {__NR_removexattrat, ACT_NOTIFY}, {__NR_file_setattr, ACT_NOTIFY},
    X86_ONLY({__NR_open, ACT_NOTIFY_OPEN}, {__NR_creat, ACT_MODE}, {__NR_mkdir, ACT_NOTIFY}, {__NR_mknod, ACT_MKNOD},
             {__NR_unlink, ACT_NOTIFY}, {__NR_rmdir, ACT_NOTIFY}, {__NR_rename, ACT_NOTIFY}, {__NR_link, ACT_NOTIFY},
             {__NR_symlink, ACT_NOTIFY}, {__NR_chmod, ACT_MODE}, {__NR_chown, ACT_NOTIFY}, {__NR_lchown, ACT_NOTIFY},
             {__NR_utime, ACT_NOTIFY}, {__NR_utimes, ACT_NOTIFY}, {__NR_futimesat, ACT_NOTIFY}, )
};
const unsigned int rule_count = sizeof rules / sizeof rules[0];
