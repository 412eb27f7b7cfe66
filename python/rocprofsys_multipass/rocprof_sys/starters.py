# SPDX-License-Identifier: MIT
"""Programs that start the program behind them: MPI launchers, ``env``, ``numactl`` and their like, as tables.

Only what is in a table is passed over. At an option that is not, it is unknown where the options end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath


@dataclass(frozen=True)
class Assignment:
    """A variable that words of a command line set for what they start.

    `start` and `stop`: the words that say so; in the last of them `prefix` stands before the value. `value` is None
    where an MPI launcher is told to hand its own on.
    """

    name: str
    value: str | None
    start: int
    stop: int
    prefix: str = ""


@dataclass(frozen=True)
class Starter:
    """How the options of such a program are told from the program that it starts.

    `values`: options that take words, and how many. `flags`: those that take none. `operands`: words before the program
    that are no options. `attached`: ``-n4`` is ``-n 4``. `long_values`: a long option that is no flag takes a word.
    `variables`: options whose words are a variable, as ``-x NAME=VALUE`` or ``-genv NAME VALUE``.
    """

    values: Mapping[str, int] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    operands: int = 0
    attached: bool = True
    long_values: bool = False
    variables: frozenset[str] = frozenset()
    assigns: bool = False  # NAME=VALUE words before the program, as those of env
    parallel: bool = False  # starts a job, in which ":" stands before a further program

    def program(self, words: Sequence[str], start: int, found: list[Assignment]) -> int | None:
        """The index of the program; None where that cannot be told. Variables on the way are added to `found`."""
        at, operands = start, self.operands
        while at < len(words):
            word = words[at]
            if word == "--" and not operands:
                return at + 1 if not self.assigns else self._behind(words, at + 1, found)
            if word.startswith("-") and (word != "-" or self.assigns):  # "env -" is "env -i"
                taken = self._taken(word)
                if taken is None:
                    return None
                if word in self.variables:
                    found.append(_variable(words, at, taken))
                at += 1 + taken
            elif operands:
                operands -= 1
                at += 1
            else:
                return self._behind(words, at, found) if self.assigns else at
        return None

    def _behind(self, words: Sequence[str], at: int, found: list[Assignment]) -> int | None:
        """Past the assignments of env."""
        while at < len(words) and "=" in words[at]:
            name, _, value = words[at].partition("=")
            found.append(Assignment(name, value, at, at + 1, f"{name}="))
            at += 1
        return at if at < len(words) else None

    def _taken(self, word: str) -> int | None:
        """How many further words an option takes; None for one that is not known."""
        if word in self.values:
            return self.values[word]
        if word in self.flags:
            return 0
        name, equals, _ = word.partition("=")
        if equals and (name in self.values or name in self.flags or self.long_values):
            return 0
        if word.startswith("--"):
            return 1 if self.long_values and not equals else None
        if self.attached and (word[:2] in self.values or all(f"-{letter}" in self.flags for letter in word[1:])):
            return 0
        return None


def _variable(words: Sequence[str], at: int, taken: int) -> Assignment:
    if taken > 1:
        return Assignment(words[at + 1], words[at + taken] if at + taken < len(words) else "", at, at + 1 + taken)
    name, equals, value = (words[at + 1] if at + 1 < len(words) else "").partition("=")
    return Assignment(name, value if equals else None, at, at + 2, f"{name}=")


def _flags(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _of(one: str, two: str = "") -> dict[str, int]:
    return {**dict.fromkeys(one.split(), 1), **dict.fromkeys(two.split(), 2)}


# Open MPI 4 and 5 (prterun), MPICH and Intel MPI (Hydra): manual pages of mpirun and mpiexec.
_MPI = Starter(
    values=_of(
        "-n -np --np -c -N -npernode --npernode -npersocket --npersocket -H -host --host -hosts -hostfile --hostfile "
        "-machinefile --machinefile -f -x --bind-to -bind-to --map-by -map-by --rank-by -rank-by -wdir --wdir -wd "
        "-path --path -prefix --prefix -ppn -rr -perhost -iface -launcher -rmk -bootstrap -genvlist -envlist --tune "
        "-tune --output --output-filename -output-filename --timeout -s --stdin -stdin --report-state-on-timeout "
        "--app -configfile --cpu-set --runtime-options --display",
        "--mca -mca --gmca -gmca --omca --prtemca --pmca -genv -env",
    ),
    flags=_flags(
        "-q --quiet -v --verbose -V --version -l --tag-output -tag-output --timestamp-output -prepend-rank "
        "--allow-run-as-root --oversubscribe -oversubscribe --nooversubscribe --use-hwthread-cpus "
        "--report-bindings -report-bindings --display-map --display-allocation --bynode -bynode --byslot "
        "--bycore --bind-to-core --bind-to-none --nolocal -nolocal --novm -novm --enable-recovery "
        "--disable-recovery --continuous -genvall -genvnone -envall -envnone -print-rank-map --xml "
        "--debug-daemons --leave-session-attached --merge-stderr-to-stdout"
    ),
    attached=False,
    variables=frozenset({"-x", "-genv", "-env"}),
    parallel=True,
)

# srun(1) of Slurm 23; its long options with values may also be written with "=".
_SRUN = Starter(
    values=_of("-A -b -B -c -C -d -D -e -g -G -i -J -L -m -M -n -N -o -p -q -r -S -t -T -w -W -x -Z"),
    flags=_flags(
        "-E -H -I -k -K -l -O -Q -s -u -v -V -X --contiguous --disable-status --exact --exclusive --hold "
        "--immediate --kill-on-bad-exit --label --multi-prog --no-kill --overcommit --overlap "
        "--oversubscribe --preserve-env --propagate --pty --quiet --quit-on-interrupt --reboot "
        "--spread-job --unbuffered --use-min-nodes --verbose --whole --external"
    ),
    long_values=True,
    parallel=True,
)

# flux-run(1): after the subcommand.
_FLUX = Starter(
    values=_of("-n -N -c -g -t -o -O -S -q -B -x --env"),
    flags=_flags("-l -u -v --label-io --unbuffered --verbose --exclusive --dry-run --wait"),
    long_values=True,
    parallel=True,
)

_NUMACTL = Starter(
    values=_of(
        "-i -N -m -p -P -C -w --interleave --cpunodebind --membind --preferred --physcpubind --weighted-interleave"
    ),
    flags=_flags("-l --localalloc --all -a --balancing -b --cpu-compress"),
)

STARTERS: dict[str, Starter] = {
    **dict.fromkeys(
        (
            "mpirun",
            "mpiexec",
            "orterun",
            "prterun",
            "mpirun.openmpi",
            "mpiexec.openmpi",
            "mpiexec.hydra",
            "mpirun.mpich",
            "mpiexec.mpich",
        ),
        _MPI,
    ),
    "srun": _SRUN,
    "numactl": _NUMACTL,
    "env": Starter(
        values=_of("-u -C --unset --chdir"),
        flags=_flags("- -i -0 -v --ignore-environment --debug"),
        assigns=True,
    ),
    "nice": Starter(values=_of("-n --adjustment"), flags=frozenset(f"-{n}" for n in range(-20, 20))),
    "nohup": Starter(),
    "setsid": Starter(flags=_flags("-c -f -w --ctty --fork --wait")),
    "stdbuf": Starter(values=_of("-i -o -e --input --output --error")),
    "taskset": Starter(flags=_flags("-a -c --all-tasks --cpu-list"), operands=1),
    "time": Starter(values=_of("-f -o --format --output"), flags=_flags("-a -p -v -q --append --portability")),
    "timeout": Starter(
        values=_of("-k -s --kill-after --signal"),
        flags=_flags("-v --foreground --preserve-status --verbose"),
        operands=1,
    ),
}
"""By the name of the program."""

FLUX_COMMANDS = ("run", "submit", "alloc")
OPAQUE = ("jsrun", "aprun", "ibrun", "prun", "mpirun_rsh", "torchrun")
"""Programs that start others, whose options are not known here."""


def starter_at(words: Sequence[str], at: int) -> tuple[Starter | None, int]:
    """What starts other programs at this word, and where its options begin; None where it is none or opaque."""
    name = PurePath(words[at]).name
    if name == "flux" and words[at + 1 : at + 2] and words[at + 1] in FLUX_COMMANDS:
        return _FLUX, at + 2
    return STARTERS.get(name), at + 1
