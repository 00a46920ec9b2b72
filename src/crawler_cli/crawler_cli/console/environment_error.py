"""Sentences for errors whose cause is the environment: disk, memory, file handles, log folder, middleware."""

from __future__ import annotations

import errno
import resource

from crawler_core.errors import UserError

SPACE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MIN_OPEN_FILES = 128
HANDLE_ERRORS = (errno.EMFILE, errno.ENFILE)
THREAD_ERRORS = ("pthread_create failed", "can't start new thread")  # texts of RuntimeErrors of C++ and Python
RCL_ERROR = "RCLError"  # its class is known only once rclpy is imported, which may be what failed


def check_file_limit() -> None:
    """Raise the limit of open files to what a run needs. Raises UserError where that is not allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= MIN_OPEN_FILES:
        return
    if hard != resource.RLIM_INFINITY and hard < MIN_OPEN_FILES:
        raise UserError(
            f"this process may open too few files, {hard}, and a run needs {MIN_OPEN_FILES}: raise the limit, as by "
            "'ulimit -n 1024'."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (MIN_OPEN_FILES, hard))


def describe_environment_error(error: BaseException) -> str:
    """Return a sentence with the remedy; empty where the cause is not known to be the environment."""
    if isinstance(error, OSError) and error.errno in HANDLE_ERRORS:
        return "this process may open too few files: raise the limit, such as by 'ulimit -n 1024'."
    if isinstance(error, OSError) and error.errno in SPACE_ERRORS:
        file = error.filename or "standard output, or a file,"
        return f"{file} cannot be written: {error.strerror}. Make room, or choose another place."
    if isinstance(error, MemoryError) or any(text in str(error) for text in THREAD_ERRORS):
        return "there is not enough memory for this: end other programs, or raise the limit of 'ulimit -v' and '-d'."
    if isinstance(error, ImportError) and "failed to map segment" in str(error):
        return "there is not enough memory to load libraries: end other programs, or raise the limit of 'ulimit -v'."
    if type(error).__name__ == RCL_ERROR:
        return f"ROS cannot start here: {_reason(str(error))}"
    return ""


def _reason(text: str) -> str:
    first = text.strip().splitlines()[0].rstrip(".") if text.strip() else "it gives no reason"
    if "log" in text and "director" in text:
        return f"{first}. Set HOME, or ROS_LOG_DIR, to a folder that can be written."
    if "peer" in text.lower() or "address" in text.lower():
        return f"{first}. Check ROS_STATIC_PEERS: it must be addresses with ';' between them, or be unset."
    return f"{first}. Check the variables ROS_* and RMW_* of the environment: './crawler doctor' lists them."
