# SPDX-License-Identifier: MIT
"""A Python application whose processes use a GPU. Usage: workers.py METHOD COUNT LIBRARY [first]

Each of COUNT processes launches once, on 1000 * (its number + 1) values; the numbers begin with 0. METHOD is one of
multiprocessing (fork, spawn, forkserver), "os.fork", or "subprocess". With "first" this process launches on 9000 values
before it makes the others. What each got is printed.
"""

import ctypes
import multiprocessing
import os
import subprocess
import sys


def launch(library: str, size: int) -> int:
    """0 when the GPU did what it should."""
    code: int = ctypes.CDLL(library).launch(size)
    return code


def work(library: str, number: int) -> None:
    """The body of a process of multiprocessing."""
    sys.exit(launch(library, 1000 * (number + 1)))


def by_multiprocessing(method: str, count: int, library: str) -> list[int | None]:
    context = multiprocessing.get_context(method)
    processes = [context.Process(target=work, args=(library, number)) for number in range(count)]  # type: ignore[attr-defined]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]


def by_os_fork(count: int, library: str) -> list[int | None]:
    children = []
    for number in range(count):
        child = os.fork()
        if child == 0:
            work(library, number)  # ends by an exception, as Python programs do: finalisers run
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def by_subprocess(count: int, library: str) -> list[int | None]:
    words = [[sys.executable, __file__, "one", str(number), library] for number in range(count)]
    running = [subprocess.Popen(command) for command in words]
    return [process.wait() for process in running]


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main() -> None:
    method, count, library = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if method == "one":
        work(library, count)
    if sys.argv[4:] == ["first"]:
        say("first", launch(library, 9000))
    if method == "os.fork":
        codes = by_os_fork(count, library)
    elif method == "subprocess":
        codes = by_subprocess(count, library)
    else:
        codes = by_multiprocessing(method, count, library)
    say("codes", *codes)


if __name__ == "__main__":
    main()
