"""What a confined process does to itself first: it ends with its parent, has limits, and gives up what it can do.

Three layers, each as far as the system goes. Resource limits everywhere. On Linux with Landlock (5.13 and later) it
sees no file but those it is given and Python's own, and opens no TCP connection. On Linux with seccomp (x86-64 and
arm64) it has the system calls that computing takes and no others: no sockets, no programs and processes, no signals to
others. None of it needs a privilege and none can be taken back. All of it happens before a library is loaded: both
filters bind the thread that asks for them and the threads it starts later.

Standard library only: this runs in front of everything else.
"""

import ctypes
import errno
import json
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Final

_LINUX: Final[bool] = bool(sys.platform.startswith("linux"))  # a call, so that mypy checks both sides

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
"""<linux/prctl.h>, <linux/seccomp.h>."""

ORPHANED = 3
"""Exit status of a process whose parent was gone before it began."""

CROWDED = 0.75
"""Of its address space: a process that has had so much of it, and is told that data is damaged, may only have run out
of room. FFmpeg tells some failed allocations so (of PyAV 19, seen at 0.96 and above)."""


def order() -> dict[str, Any]:
    """The order, after the process has bound itself to its parent and to the order's bounds."""
    given: dict[str, Any] = json.load(sys.stdin)
    end_with_parent(given["parent"])
    limit(given["bounds"])
    return given


def report(**facts: object) -> None:
    """One line to whoever ordered the work."""
    sys.stdout.write(json.dumps(facts, ensure_ascii=True) + "\n")
    sys.stdout.flush()


def end_with_parent(parent: int) -> None:
    """A worker that is killed leaves nothing running. Elsewhere than on Linux the limits have to do.

    The signal comes when the *thread* that started this process ends, which waits for it in ``outside``.
    """
    if not _LINUX:
        return
    with suppress(OSError):  # where memory is short, this process goes and not who ordered the work
        Path("/proc/self/oom_score_adj").write_text("1000")
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we asked
        sys.exit(ORPHANED)


def limit(bounds: Mapping[str, int | None]) -> None:
    """Resource limits; see ``outside.Bounds``. Never a core file: it would hold the data."""
    try:
        import resource
    except ImportError:  # not on Windows: there the time limit of whoever started this is all there is
        return
    wanted = {
        resource.RLIMIT_CPU: bounds["cpu_s"],
        resource.RLIMIT_AS: bounds["memory_bytes"],
        resource.RLIMIT_FSIZE: bounds["file_bytes"],
        resource.RLIMIT_NOFILE: bounds["open_files"],
        resource.RLIMIT_CORE: 0,
    }
    for which, most in wanted.items():
        if most is not None:
            _, hard = resource.getrlimit(which)
            possible = most if hard == resource.RLIM_INFINITY else min(most, hard)
            # the soft limit of time comes with a signal of its own, the hard one with a kill like any other
            soft = possible - 1 if which == resource.RLIMIT_CPU and possible > 1 else possible
            resource.setrlimit(which, (soft, possible))


def lock_down(*, readable: Iterable[Path], writable: Iterable[Path]) -> list[str]:
    """Give up files, network and other processes. To be called before libraries are loaded.

    Args:
        readable: Files and folders that may be read, besides Python, its packages and ours.
        writable: Folders in which it may make, read, change and remove files and folders: nothing else, no links.

    Returns:
        The layers that hold: of ``landlock``, ``seccomp``.
    """
    if not _LINUX:
        return []
    # behind the lock it cannot be opened any more
    _Sizes.opened = os.open("/proc/self/status", os.O_RDONLY | os.O_CLOEXEC)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return []
    held = []
    if _landlock(libc, [*_python(), *readable], list(writable)):
        held.append("landlock")
    if _seccomp(libc):
        held.append("seccomp")
    return held


class _Sizes:
    """Where the kernel tells this process's sizes, once it is confined."""

    opened: ClassVar[int | None] = None


def is_crowded() -> bool:
    """Whether this process is confined, and has had nearly all the address space that it may have."""
    if _Sizes.opened is None:
        return False
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    lines = os.pread(_Sizes.opened, 1 << 14, 0).splitlines()
    peak = next(1024 * int(line.split()[1]) for line in lines if line.startswith(b"VmPeak:"))
    return most != resource.RLIM_INFINITY and peak > CROWDED * most


def _python() -> list[Path]:
    """Where code is loaded from: the interpreter's and the packages' folders, ours, and what the loader needs. Not the
    folder of the project itself, in which people keep their settings."""
    ours = Path(__file__).resolve().parents[1]
    found = [
        *(Path(prefix) / folder for prefix in {sys.prefix, sys.base_prefix} for folder in ("lib", "lib64")),
        *(Path(folder) for folder in sys.path if folder.endswith(("site-packages", "dist-packages"))),
        *(ours, ours.parent / "domain"),
        *map(Path, ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo")),
        *map(Path, ("/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/urandom")),
        # how much of the machine is ours
        *map(Path, ("/proc/self/cgroup", "/proc/meminfo", "/sys/fs/cgroup", "/sys/devices/system/cpu")),
    ]
    return [path for path in found if path.exists()]


# --- Landlock: <linux/landlock.h>, Documentation/userspace-api/landlock.rst --------------------------------------

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_WRITE_FILE, _TRUNCATE, _IOCTL_DEV = 1 << 1, 1 << 14, 1 << 15
_OF_FILES = 1 | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_OF_A_SCRATCH_FOLDER = (
    _READ_FILE | _READ_DIR | _WRITE_FILE | _TRUNCATE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG
)
"""No links, pipes, sockets and devices: whoever reads what was made there would follow them, or wait for ever."""
_RIGHTS_SINCE = {1: (1 << 13) - 1, 2: 1 << 13, 3: _TRUNCATE, 5: _IOCTL_DEV}
"""File rights by the version of the interface that brought them."""
_NET_SINCE, _ALL_NET = 4, 0b11
_SCOPES_SINCE, _ALL_SCOPES = 6, 0b11


def _landlock(libc: ctypes.CDLL, readable: Sequence[Path], writable: Sequence[Path]) -> bool:
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _CREATE_RULESET_VERSION)
    if version < 1:
        return False
    rights = sum(bits for since, bits in _RIGHTS_SINCE.items() if since <= version)
    handled = [rights]
    if version >= _NET_SINCE:
        handled.append(_ALL_NET)
    if version >= _SCOPES_SINCE:
        handled.append(_ALL_SCOPES)
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    ruleset = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow(libc, ruleset, path, rights & (_READ_FILE | _READ_DIR))
        for path in writable:
            _allow(libc, ruleset, path, rights & _OF_A_SCRATCH_FOLDER)
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, rights: int) -> None:
    try:
        held = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not there, so there is nothing to allow
        return
    try:
        rights = rights if path.is_dir() else rights & _OF_FILES
        libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, held), 0)
    finally:
        os.close(held)


# --- seccomp: <linux/seccomp.h>, <linux/bpf_common.h>, <asm/unistd.h> --------------------------------------------

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of :data:`_ALLOWED` and :data:`_REFUSED`, and what the kernel calls the architecture (``AUDIT_ARCH_*``)."""

_ALLOWED: Mapping[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "pwritev2": (328, 287),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "futex": (202, 98),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    "msync": (26, 227),
    "mincore": (27, 232),
    "mlock": (149, 228),
    "munlock": (150, 229),
    "mlock2": (325, 284),
    "membarrier": (324, 283),
    "rseq": (334, 293),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "stat": (4, None),
    "lstat": (6, None),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "getdents64": (217, 61),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "flock": (73, 32),
    "ioctl": (16, 29),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441),
    "eventfd2": (290, 19),
    "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    "copy_file_range": (326, 285),
    "sendfile": (40, 71),
    "sync_file_range": (277, 84),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "umask": (95, 166),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "pause": (34, None),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrandom": (318, 278),
    "getcpu": (309, 168),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "set_tid_address": (218, 96),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "arch_prctl": (158, None),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getsid": (124, 156),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrlimit": (97, 163),
    "setrlimit": (160, 164),
    "getrusage": (98, 165),
    "getpriority": (140, 141),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "get_mempolicy": (239, 236),
}
"""What computing takes: memory, files, time, threads. Numbers on x86-64 and on arm64 (``<asm/unistd.h>``). Whatever is
neither here nor refused is not there (ENOSYS), as on an older kernel: libraries know what to do then."""

_REFUSED: Mapping[str, tuple[int | None, int | None]] = {
    # network
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "accept": (43, 202),
    "accept4": (288, 242),
    "bind": (49, 200),
    "listen": (50, 201),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    # programs and processes; threads are judged apart
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "setpriority": (141, 140),
    # files by their names, which Landlock does not judge: those of the first ones, nor those of a folder's owner at all
    "truncate": (76, 45),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    # the kernel's wide fields
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "unshare": (272, 97),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    # what would outlive the process
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}
"""System calls that answer EPERM: what a library may fall back to by itself has no place among them."""
_CLONE = (56, 220)
_TGKILL = (234, 131)
_PRLIMIT = (302, 261)
_FCNTL = (72, 25)
_SIGNALLING = (8, 10, 15, 1024, 1026)
"""Commands of ``fcntl`` by which a descriptor sends signals, to whomever it names, or keeps others waiting: F_SETOWN,
F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY. Landlock judges the first three since Linux 6.12 only."""
_PRCTL = (157, 167)
_OPEN, _OPENAT = (2, None), (257, 56)
_ACCESS_MODE, _TRUNCATES = 0o3, 0o1000
"""O_ACCMODE, O_TRUNC: the first Landlocks take what is opened for reading and truncated for what is read."""
_CLONE3 = 435
_CLONE_THREAD = 0x10000
_X32 = 0x40000000
"""Numbers from here up are x86-64's second table of calls."""

_LOAD, _EQUAL, _AT_LEAST, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def _seccomp(libc: ctypes.CDLL) -> bool:
    known = _ARCHITECTURES.get(platform.machine())
    if known is None or struct.calcsize("P") != 8 or sys.byteorder != "little":
        return False
    program = _program(*known)
    code = b"".join(struct.pack("=HBBI", *line) for line in program)
    held = ctypes.create_string_buffer(code, len(code))
    told = struct.pack("@HP", len(program), ctypes.addressof(held))
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, told, 0, 0) == 0)


def _program(column: int, architecture: int) -> list[tuple[int, int, int, int]]:
    """The filter: (code, lines to skip if true, if false, value) each."""
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    allow = (_RETURN, 0, 0, _ALLOW)
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32),
        refuse,
        # its flags lie in memory, where a filter cannot look: glibc then falls back to clone
        (_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    lines += _judged(_CLONE[column], 0, [(_HAS, 0, 1, _CLONE_THREAD), allow, refuse])
    # signals to itself, as abort() sends; limits of its own; it ends with its parent whatever becomes of it
    lines += _judged(_TGKILL[column], 0, [(_EQUAL, 0, 1, os.getpid()), allow, refuse])
    lines += _judged(_PRLIMIT[column], 0, [(_EQUAL, 0, 1, 0), allow, refuse])
    lines += _judged(_PRCTL[column], 0, [(_EQUAL, 0, 1, PR_SET_PDEATHSIG), refuse, allow])
    signals = [line for command in _SIGNALLING for line in ((_EQUAL, 0, 1, command), refuse)]
    lines += _judged(_FCNTL[column], 1, [*signals, allow])
    for call, flags in ((_OPEN[column], 1), (_OPENAT[column], 2)):
        if call is not None:
            lines += _judged(call, flags, [(_HAS, 0, 2, _TRUNCATES), (_HAS, 1, 0, _ACCESS_MODE), refuse, allow])
    for table, verdict in ((_ALLOWED, allow), (_REFUSED, refuse)):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                lines += [(_EQUAL, 0, 1, number), verdict]
    return [*lines, (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]


def _judged(call: int, argument: int, verdict: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """``call`` goes by its argument number ``argument``, from 0: the lower half of it, which is all that the kernel
    looks at where flags, commands and process ids are asked for. ``verdict`` always returns."""
    loads = (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument)
    return [(_EQUAL, 0, 1 + len(verdict), call), loads, *verdict]
