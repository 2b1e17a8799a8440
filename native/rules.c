/* The table of mediated system calls: syscalls(2). Order and grouping are for the reader only. */
#include "rules.h"

#ifdef __x86_64__
#define X86_ONLY(...) __VA_ARGS__
#else
#define X86_ONLY(...)
#endif

const struct rule rules[] = {
    /* Mounts and namespaces: the view must stay as it was built. */
    {__NR_mount, ACT_EPERM}, {__NR_umount2, ACT_EPERM}, {__NR_pivot_root, ACT_EPERM}, {__NR_chroot, ACT_EPERM},
    {__NR_open_tree, ACT_EPERM}, {__NR_move_mount, ACT_EPERM}, {__NR_fsopen, ACT_EPERM}, {__NR_fsconfig, ACT_EPERM},
    {__NR_fsmount, ACT_EPERM}, {__NR_fspick, ACT_EPERM}, {__NR_mount_setattr, ACT_EPERM},
    {__NR_open_tree_attr, ACT_EPERM}, {__NR_setns, ACT_EPERM}, {__NR_unshare, ACT_CLONE}, {__NR_clone, ACT_CLONE},
    /* Its flags lie in memory where a filter cannot look; C libraries then use clone. */
    {__NR_clone3, ACT_ENOSYS},
    /* Other processes. */
    {__NR_ptrace, ACT_EPERM}, {__NR_process_vm_readv, ACT_EPERM}, {__NR_process_vm_writev, ACT_EPERM},
    {__NR_pidfd_getfd, ACT_EPERM}, {__NR_kcmp, ACT_EPERM}, {__NR_process_madvise, ACT_EPERM},
    /* Bypasses every filter: its requests are not system calls. Programs fall back on ENOSYS. */
    {__NR_io_uring_setup, ACT_ENOSYS}, {__NR_io_uring_enter, ACT_ENOSYS}, {__NR_io_uring_register, ACT_ENOSYS},
    /* Keys are shared with the whole session of the user. */
    {__NR_keyctl, ACT_EPERM}, {__NR_add_key, ACT_EPERM}, {__NR_request_key, ACT_EPERM},
    /* Wide interfaces into the kernel that ordinary commands do not need. */
    {__NR_bpf, ACT_EPERM}, {__NR_perf_event_open, ACT_EPERM}, {__NR_userfaultfd, ACT_EPERM},
    {__NR_kexec_load, ACT_EPERM}, {__NR_kexec_file_load, ACT_EPERM}, {__NR_init_module, ACT_EPERM},
    {__NR_finit_module, ACT_EPERM}, {__NR_delete_module, ACT_EPERM}, {__NR_open_by_handle_at, ACT_EPERM},
    {__NR_lookup_dcookie, ACT_EPERM}, {__NR_fanotify_init, ACT_EPERM}, {__NR_personality, ACT_PERSONALITY},
    /* Terminals. */
    {__NR_ioctl, ACT_IOCTL}, {__NR_vhangup, ACT_EPERM},
    /* The machine. Capabilities are gone, so these are refused twice. */
    {__NR_quotactl, ACT_EPERM}, {443 /* quotactl_fd */, ACT_EPERM}, {__NR_swapon, ACT_EPERM}, {__NR_swapoff, ACT_EPERM},
    {__NR_acct, ACT_EPERM}, {__NR_reboot, ACT_EPERM}, {__NR_settimeofday, ACT_EPERM}, {__NR_clock_settime, ACT_EPERM},
    {__NR_clock_adjtime, ACT_EPERM}, {__NR_adjtimex, ACT_EPERM}, {__NR_sethostname, ACT_EPERM},
    {__NR_setdomainname, ACT_EPERM}, {__NR_syslog, ACT_EPERM}, {__NR_nfsservctl, ACT_EPERM},
    X86_ONLY({__NR_iopl, ACT_EPERM}, {__NR_ioperm, ACT_EPERM}, {__NR_modify_ldt, ACT_EPERM}, {__NR_uselib, ACT_EPERM}, )
    /* Sockets. */
    {__NR_socket, ACT_SOCKET}, {__NR_socketpair, ACT_SOCKET}, {__NR_connect, ACT_NOTIFY},
    {__NR_bind, ACT_NOTIFY}, {__NR_listen, ACT_NOTIFY}, {__NR_sendto, ACT_NOTIFY_ADDRESS},
    /* Changes to the file system: allowed or refused by the view, watched for the record. */
    {__NR_openat, ACT_NOTIFY_OPENAT},
    /* Its flags and mode lie in memory, where they can change after anybody looked; callers fall back on openat. */
    {__NR_openat2, ACT_ENOSYS}, {__NR_mkdirat, ACT_NOTIFY},
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
