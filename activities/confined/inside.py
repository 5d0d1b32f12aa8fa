"""What a confined process does to itself first: it ends with its parent, has limits, and gives up what it can do.

Three layers, each as far as the system goes. Resource limits everywhere. On Linux with Landlock (5.13 and later) it
sees no file but those it is given and Python's own, and opens no TCP connection. On Linux with seccomp (x86-64 and
arm64) it has no sockets, starts no program and no process, signals and traces nobody. None of it needs a privilege and
none can be taken back. All of it happens before a library is loaded: both filters bind the thread that asks for them
and the threads it starts later.

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
from pathlib import Path
from typing import Any, Final

_LINUX: Final[bool] = bool(sys.platform.startswith("linux"))  # a call, so that mypy checks both sides

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
"""<linux/prctl.h>, <linux/seccomp.h>."""

ORPHANED = 3
"""Exit status of a process whose parent was gone before it began."""


def order() -> dict[str, Any]:
    """The order, after the process has bound itself to its parent and to the order's bounds."""
    told: dict[str, Any] = json.load(sys.stdin)
    end_with_parent(told["parent"])
    limit(told["bounds"])
    return told


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
        writable: Folders in which everything is allowed.

    Returns:
        The layers that hold: of ``landlock``, ``seccomp``.
    """
    if not _LINUX:
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return []
    held = []
    if _landlock(libc, [*_python(), *readable], list(writable)):
        held.append("landlock")
    if _seccomp(libc):
        held.append("seccomp")
    return held


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
            _allow(libc, ruleset, path, rights)
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
"""Column of :data:`_REFUSED`, and what the kernel calls the architecture (``AUDIT_ARCH_*``)."""

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
    # the kernel's wide fields, of which computing a table needs none
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
"""System calls that answer EPERM, with their numbers on x86-64 and on arm64."""
_CLONE = (56, 220)
_TGKILL = (234, 131)
_PRLIMIT = (302, 261)
_CLONE3 = 435
_CLONE_THREAD = 0x10000
_X32 = 0x40000000
"""Numbers from here up are x86-64's second table of calls."""

_LOAD, _EQUAL, _AT_LEAST, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
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
    for numbers in _REFUSED.values():
        number = numbers[column]
        if number is not None:
            lines += [(_EQUAL, 0, 1, number), refuse]
    first_argument = (_LOAD, 0, 0, _FIRST_ARGUMENT_AT)
    lines += [(_EQUAL, 0, 4, _CLONE[column]), first_argument, (_HAS, 0, 1, _CLONE_THREAD), allow, refuse]
    # signals to itself, as abort() sends; limits of its own
    lines += [(_EQUAL, 0, 4, _TGKILL[column]), first_argument, (_EQUAL, 0, 1, os.getpid()), allow, refuse]
    lines += [(_EQUAL, 0, 4, _PRLIMIT[column]), first_argument, (_EQUAL, 0, 1, 0), allow, refuse]
    return [*lines, allow]
