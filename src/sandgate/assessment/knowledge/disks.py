"""Disks, partitions, volumes, file systems, mounts and backups."""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, HIGH, LOW, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.listed import acting, looking

ALL_LOST = "All data on the device is lost"
CAN_BE_LOST = "All data on the device can be lost"

ENTRIES: tuple[Entry, ...] = (
    *acting("Makes a new file system", """
        mkfs, mkfs.ext4, mkfs.ext3, mkfs.ext2, mkfs.xfs, mkfs.btrfs, mkfs.vfat, mkfs.fat, mkfs.ntfs, mkfs.exfat,
        mkfs.f2fs, mkfs.msdos, mkfs.minix, mkfs.jfs, mkfs.bfs, mkfs.cramfs, mkdosfs, mkntfs, mkexfatfs, mke2fs,
        mkswap, newfs, bcachefs format
        """, DELETION, SYSTEM, consequence=ALL_LOST),
    *acting("Changes disk partitions", "fdisk", DELETION, SYSTEM, consequence=CAN_BE_LOST,
            harmless="-l -x --list --list-details"),
    *acting("Changes disk partitions", "sfdisk", DELETION, SYSTEM, consequence=CAN_BE_LOST,
            harmless="-l -d -J -s -V --list --dump --json --verify"),
    *acting("Changes disk partitions", "gdisk, cgdisk", DELETION, SYSTEM, consequence=CAN_BE_LOST, harmless="-l"),
    *acting("Changes disk partitions", "sgdisk", DELETION, SYSTEM, consequence=CAN_BE_LOST),
    *acting("Changes disk partitions", "cfdisk, gparted, growpart, partprobe, partx, kpartx, fixparts",
            DELETION,
            SYSTEM, consequence=CAN_BE_LOST),
    Entry("wipefs", LOW, "Shows what a device holds", ("wipefs /dev/sda => medium", "wipefs -a /dev/sda => high"),
            kind="reads",
          operands="read", values="-o -t -O", harmless="-n --no-act --help --version",
          worse=(Worse("-a -o --all --offset", HIGH, "Erases a device", (DELETION, SYSTEM), ALL_LOST),)),
    *acting("Erases a device", "blkdiscard, nwipe, dban, sg_format, sg_sanitize, scrub, zerofree", DELETION, SYSTEM,
            consequence=ALL_LOST),
    *acting("Changes how a disk works", "hdparm", DELETION, SYSTEM, consequence=CAN_BE_LOST,
            harmless="-I -i -g -C -t -T -V", bare=True),
    *acting("Changes how a disk works", "sdparm, blockdev", DELETION, SYSTEM, consequence=CAN_BE_LOST,
            harmless="--getsize64 --getsz --getss --getpbsz --getbsz --getro --getra --report --inquiry", bare=True),
    *acting("Changes logical volumes", """
        lvremove, vgremove, pvremove, lvreduce, lvconvert, lvresize, vgreduce, pvmove, lvchange, vgchange,
        pvresize, lvrename, vgrename, vgsplit, vgmerge, vgcfgrestore, vgexport, vgimport, lvcreate, vgcreate,
        pvcreate, lvextend, vgextend, lvm, pvchange, dmsetup, vdo, stratis, multipath
        """, DELETION, SYSTEM, consequence=CAN_BE_LOST),
    *looking("Shows logical volumes", """
        pvs, vgs, lvs, pvdisplay, vgdisplay, lvdisplay, pvscan, vgscan, lvscan, lvmdiskscan, dmsetup ls, dmsetup
        info, dmsetup status, dmsetup table, dmsetup deps, dmsetup targets, dmsetup version, lvm version, stratis
        pool list
        """),
    *acting("Changes disk partitions", "parted", DELETION, SYSTEM, consequence=CAN_BE_LOST, harmless="-l --list"),
    *acting("Changes a disk array", "mdadm", DELETION, SYSTEM, consequence=CAN_BE_LOST,
            harmless="-D -E -Q --detail --examine --query --detail-platform"),
    *acting("Changes an encrypted device", "cryptsetup, veracrypt, cryptmount, clevis, zuluCrypt-cli", DELETION, SYSTEM,
            consequence="All data on the device can become unreadable"),
    *looking("Shows an encrypted device", """
        cryptsetup status, cryptsetup luksDump, cryptsetup isLuks, cryptsetup benchmark, cryptsetup luksUUID
        """),
    *acting("Changes a file system", """
        resize2fs, tune2fs, e2label, xfs_growfs, xfs_admin, ntfsfix, ntfsresize, ntfsclone, fatlabel, swaplabel,
        fstrim, debugfs, e4defrag, xfs_fsr, btrfstune, f2fs_io, fsfreeze
        """,
            DELETION, SYSTEM, consequence=CAN_BE_LOST, harmless="--dry-run"),
    *acting("Changes a file system", "tune2fs, xfs_admin", DELETION, SYSTEM, consequence=CAN_BE_LOST, harmless="-l"),
    *acting("Changes a file system", "fstrim, xfs_growfs", SYSTEM, harmless="-n --dry-run"),
    *acting("Checks and changes a file system", """
        fsck, e2fsck, fsck.ext4, fsck.xfs, fsck.vfat, xfs_repair, btrfsck, dosfsck, reiserfsck
        """,
            DELETION, SYSTEM, consequence=CAN_BE_LOST, harmless="-n -N"),
    *acting("Tests a disk", "badblocks", DELETION, SYSTEM, consequence=CAN_BE_LOST),
    *acting("Changes swap space", "swapoff, zramctl", SYSTEM, harmless="-V"),
    *acting("Changes swap space", "swapon", SYSTEM, harmless="-s --show --summary", bare=True),
    *acting("Changes block devices", "losetup", SYSTEM, DELETION, harmless="-a -l -j --all --list --associated",
            bare=True),
    *acting("Controls a disk", "nvme, nvmecontrol, sg_raw, hpssacli, storcli, megacli, ssacli, arcconf, tw_cli",
            DELETION, SYSTEM,
            consequence=CAN_BE_LOST),
    *looking("Shows a disk", """
        nvme list, nvme list-subsys, nvme smart-log, nvme id-ctrl, nvme id-ns, nvme error-log, nvme fw-log, nvme
        version
        """),
    *acting("Changes storage pools", "zpool, zfs, zdb, bcachefs, gluster, beegfs-ctl, lfs", DELETION, SYSTEM,
            consequence="Data in the pool can be lost"),
    *looking("Shows storage pools", """
        zpool list, zpool status, zpool iostat, zpool get, zpool history, zpool events, zpool version, zfs list,
        zfs get, zfs diff, zfs holds, zfs version, zfs userspace, gluster volume info, gluster volume status,
        gluster peer status
        """),
    *acting("Makes a snapshot", "zfs snapshot, zfs snap, btrfs subvolume snapshot, btrfs subvolume create, zfs "
            "bookmark", SYSTEM, level=MEDIUM, kind="writes"),
    *acting("Changes a file system", "btrfs", DELETION, SYSTEM, consequence=CAN_BE_LOST),
    *looking("Shows a file system", """
        btrfs filesystem df, btrfs filesystem show, btrfs filesystem usage, btrfs filesystem du, btrfs fi df,
        btrfs fi show, btrfs fi usage, btrfs fi du, btrfs subvolume list, btrfs subvolume show, btrfs sub list,
        btrfs device stats, btrfs device usage, btrfs scrub status, btrfs balance status, btrfs qgroup show,
        btrfs property get, btrfs version
        """),
    *acting("Attaches a file system", "mount", SYSTEM, "privilege_escalation", harmless="-l --show-labels -V",
            bare=True, values="-t -o -L -U"),
    *acting("Attaches a file system", """
        mount.cifs, mount.nfs, mount.ntfs-3g, ntfs-3g, udisksctl, pmount, systemd-mount, automount, guestmount,
        swaplabel
        """, SYSTEM, "privilege_escalation"),
    *acting("Detaches a file system", "umount, pumount, systemd-umount, guestunmount", SYSTEM, harmless="-V"),
    *acting("Attaches or detaches a file system", "fusermount, fusermount3, archivemount, squashfuse, gocryptfs, "
            "encfs", SYSTEM, level=MEDIUM),
    *acting("Attaches a directory of another machine", "sshfs, rclone mount, s3fs, davfs2, goofys", NETWORK,
            level=MEDIUM, kind="contacts"),
    *looking("Shows disks", "udisksctl status, udisksctl info, udisksctl dump"),
    *acting("Ejects a medium", "eject", SYSTEM, level=MEDIUM),
    *looking("Shows disks and file systems", """
        blkid, findmnt, mountpoint, dumpe2fs, xfs_info, quota, repquota, lsscsi, lsblk, duf, dust, ncdu, gdu,
        dfc, pydf, dua, filefrag, findfs, lfs df, showmount, nfsstat, mmls, fls, volname, zfs-stats
        """),
    *acting("Changes disk quotas", "setquota, edquota, quotaon, quotaoff, quotacheck, xfs_quota", SYSTEM),
    *acting("Exports directories to other machines", "exportfs", SYSTEM, NETWORK, bare=True, harmless="-s"),
    Entry("smartctl", LOW, "Shows the health of a disk", ("smartctl -a /dev/sda",
            "smartctl -s off /dev/sda => high",
          "smartctl --scan"),
          kind="reads", values="-d -l -t -s -S -o",
          worse=(Worse("-s -S -o --smart --saveauto --offlineauto --set", HIGH, "Changes how a disk works", (SYSTEM,)),
                 Worse("-t -X --test --abort", MEDIUM, "Tests a disk"),
                 Worse("-a -A -H -i -c -x -l --all --info --health --xall", MEDIUM, "Shows the health of a disk"))),
    *looking("Rescues files from a disk", "testdisk, photorec"),
    Entry("ddrescue", MEDIUM, "Copies a device", ("ddrescue a.img b.img map",), kind="writes", operands="write",
          values="-b -r -c -d"),
    *acting("Makes an image of files", "mksquashfs, genisoimage, mkisofs, xorriso, xorrisofs, mkfs.erofs, mkcramfs, "
            "virt-make-fs", level=MEDIUM, kind="writes",
            writes="-o -output"),
    *acting("Burns a medium", "cdrecord, wodim, growisofs, dvd+rw-format", DELETION, kind="writes"),
    *acting("Makes or changes a disk image", "qemu-img", level=MEDIUM, kind="writes", operands="write",
            values="-f -O -o -b -F -s"),
    *looking("Shows a disk image", "qemu-img info, qemu-img check, qemu-img compare, qemu-img map, qemu-img measure"),
    # Backups
    *acting("Deletes backups", """
        borg delete, borg prune, borg recreate, borg compact, restic forget, restic prune, restic key, restic
        unlock, duplicity remove-older-than, duplicity remove-all-but-n-full, kopia snapshot delete, bup rm,
        snapper delete, snapper rollback, snapper undochange, tmutil delete,
        tmutil deletelocalsnapshots, tmutil thinlocalsnapshots
        """, DELETION, kind="deletes", consequence="The copies cannot be brought back"),
    *acting("Makes or changes backups", """
        borg, restic, duplicity, tarsnap, rdiff-backup, kopia, bup, snapper, timeshift, rsnapshot, borgmatic,
        duplicati-cli, backintime, tmutil, etckeeper, dirvish, amanda, bconsole, dar
        """, level=MEDIUM, kind="writes"),
    *looking("Shows backups", """
        borg list, borg info, borg diff, borg check, restic ls, restic stats, restic find,
        restic diff, restic check, duplicity collection-status, duplicity list-current-files, kopia snapshot
        list, bup ls, snapper list, snapper status, snapper diff, tmutil listbackups,
        tmutil listlocalsnapshots, tmutil status
        """),
    *acting("Controls disks", "diskutil, hdiutil, asr, newfs_apfs, fsck_apfs", DELETION, SYSTEM,
            consequence=CAN_BE_LOST),
    *looking("Shows disks", "diskutil list, diskutil info, diskutil activity, hdiutil info, hdiutil imageinfo"),
    *acting("Changes device handling", "udevadm", SYSTEM),
    *looking("Shows devices", "udevadm info, udevadm monitor, udevadm settle, udevadm test-builtin"),
)  # fmt: skip
