# SPDX-License-Identifier: MIT
"""``config``: make, check and explain the YAML file of a run."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shlex
import socket
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from rocprofsys_multipass.cli.command import console
from rocprofsys_multipass.cli.file_check import warnings_of_use
from rocprofsys_multipass.cli.messages import show_problems
from rocprofsys_multipass.config import (
    NOT_REPLAYED,
    OTHER_VARIABLES,
    PREFIX,
    RUN_OPTIONS,
    SECTIONS,
    Option,
    RunConfig,
    expand_output,
    find_option,
    resolve_run,
)
from rocprofsys_multipass.config.handover import handover_document
from rocprofsys_multipass.config.settings_file import Setting, read_settings_file
from rocprofsys_multipass.config.template import template
from rocprofsys_multipass.errors import ConfigError, ExitCode, OutputError, UsageError
from rocprofsys_multipass.native import find_native
from rocprofsys_multipass.run.environment import RESOLVED_VARIABLE, TOOL_VARIABLE, child_environment
from rocprofsys_multipass.simulate import SIMULATE_VARIABLE
from rocprofsys_multipass.writing import replacing

if TYPE_CHECKING:
    from rocprofsys_multipass.cli.command import Streams

_STDOUT = "-"
_WIDTH = 100  # of what explain writes, in columns
_LABELS = 14  # of these, columns of what a line is about
_DEFAULTS = 42  # columns of a default, for the longest word that one has
_TYPES = {"flag": "on or off", "text": "one text", "list": "a text, or a list", "groups": "a text, or a list of lists"}
_ACTIONS = ("init", "check", "explain")
_OF_A_RUN = ("%pid%", "%ppid%", "%rank%")  # keys of an output folder that are known when the application runs


class ConfigCommand:
    """Help with the YAML file of options."""

    name = "config"
    help = "make, check or explain a YAML file with the options of 'run'"

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """One parser for each of ``init``, ``check`` and ``explain``."""
        actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action")
        init = _action(actions, "init", "write a file with every option, its default and what is allowed")
        init.add_argument("-o", "--output", metavar="FILE", help="default: stdout, as -")
        init.add_argument("--force", action="store_true", help="replace FILE where it exists")
        check = _action(actions, "check", "say all that is wrong with a file, or what it sets")
        check.add_argument("file", metavar="FILE", help="a YAML file, such as config init writes")
        check.add_argument(
            "--device",
            action="append",
            metavar="NAME or FILE",
            help="tell counters that this GPU does not have, an architecture such as gfx942 or a catalogue file; "
            "default: those that FILE simulates",
        )
        check.add_argument(
            "--resolved",
            metavar="JSON",
            help="also write the settings for a plugin that runs without 'run': name it in "
            "ROCPROFSYS_MULTIPASS_RESOLVED; variables beat FILE, as in 'run'",
        )
        check.add_argument("--force", action="store_true", help="replace JSON where it exists")
        explain = _action(actions, "explain", "say what an option means, or list all")
        explain.add_argument("key", metavar="KEY", nargs="?", help="an option, its variable or its YAML key")
        for sub in (init, check, explain):
            sub.allow_abbrev = False
            sub.set_defaults(command_parser=sub)

    def run(self, args: argparse.Namespace, streams: Streams) -> int:
        """Do one of them; a file that is wrong ends with 3."""
        if args.action == "init":
            return _init(args, streams)
        if args.action == "check":
            return _check(args, streams)
        if args.action == "explain":
            return _explain(args, streams)
        message = f"no action was given: one of {', '.join(_ACTIONS)}"
        raise UsageError(message)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, does: str
) -> argparse.ArgumentParser:
    return actions.add_parser(name, help=does, description=does)


def _init(args: argparse.Namespace, streams: Streams) -> int:
    if args.output in (None, _STDOUT):
        streams.out.write(template())
    else:
        _write_new(args.output, template(), force=args.force)
        streams.err.write(f"wrote {args.output}\n")
    return ExitCode.OK


def _check(args: argparse.Namespace, streams: Streams) -> int:
    found = read_settings_file(args.file)
    devices = [name.strip() for device in args.device or () for name in device.split(",")]
    show_problems([*found.warnings, *warnings_of_use(found, devices)], (), streams.err)
    how_to_use = [] if args.resolved is None else _write_resolved(args, streams)
    if not found.settings:
        streams.out.write(f"{args.file}: it is well formed, and sets nothing\n")
    for name, setting in found.settings.items():
        option = RUN_OPTIONS[name]
        streams.out.write(f"{setting.place}: {option.key} = {_shown(option, setting)}\n")
    streams.out.writelines(how_to_use)
    return ExitCode.OK


def _write_resolved(args: argparse.Namespace, streams: Streams) -> list[str]:
    """Write the hand-over file; the lines that say how it is used."""
    config = resolve_run((), {"config": args.file}, os.environ)
    output, warnings = expand_output(_fixed_output(config), os.environ)
    if config.overwrite:
        place = config.source("overwrite").text
        warnings.append(f"{place}: only 'run' removes the files of an earlier run: empty {output} yourself")
    show_problems(warnings, (), streams.err)
    document = handover_document(config, output, host=socket.gethostname(), spawn_exporter=True)
    _write_new(args.resolved, json.dumps(document, indent=1) + "\n", force=args.force)
    native = find_native()
    environ = child_environment(
        os.environ,
        plugin=native.plugin.absolute(),
        config=Path(args.resolved).absolute(),
        simulate=config.simulate,
        simulator=native.simulator.absolute() if config.simulate else None,
    )
    names = (RESOLVED_VARIABLE, TOOL_VARIABLE, SIMULATE_VARIABLE, "LD_LIBRARY_PATH")
    variables = {name: environ[name] for name in names if environ.get(name) != os.environ.get(name)}
    exports = [f"export {name}={shlex.quote(value)}\n" for name, value in variables.items()]
    return [f"wrote {args.resolved}; without 'run', start the application with\n", *exports]


def _fixed_output(config: RunConfig) -> str:
    if not config.output:
        message = (
            "--resolved: no output folder is set, and its default is named after the application, which is not known "
            "here: set output in the file"
        )
        raise ConfigError(message)
    for key in _OF_A_RUN:
        if key in config.output:
            place = config.source("output").text
            message = (
                f"{place}: '{config.output}' has {key}, which is known only when the application runs: leave it out "
                "with --resolved; the files of each process and rank have names of their own"
            )
            raise ConfigError(message)
    return config.output


def _explain(args: argparse.Namespace, streams: Streams) -> int:
    if args.key is None:
        terminal = console(streams.out)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("key")
        table.add_column("what it is", overflow="fold")
        table.add_column("default", overflow="fold", min_width=_DEFAULTS)
        for name in itertools.chain(*SECTIONS.values()):
            option = RUN_OPTIONS[name]
            table.add_row(option.key, escape(option.summary), escape(option.default_text))
        terminal.print(table, width=min(terminal.width, _WIDTH))
        return ExitCode.OK
    variable = args.key.removeprefix(PREFIX)
    if meaning := OTHER_VARIABLES.get(variable):
        streams.out.write(_paragraph("variable:", f"{PREFIX}{variable}") + _paragraph("meaning:", meaning))
        return ExitCode.OK
    option = find_option(args.key)
    for label, value in _facts(option).items():
        if value:
            streams.out.write(_paragraph(f"{label}:", value))
    return ExitCode.OK


def _paragraph(label: str, value: str) -> str:
    """A line, or several with the later ones below the value; what is to be copied is never broken."""
    head = f"{label:<{_LABELS}}"
    return (
        textwrap.fill(
            head + value, _WIDTH, subsequent_indent=" " * len(head), break_long_words=False, break_on_hyphens=False
        )
        + "\n"
    )


def _facts(option: Option) -> dict[str, str]:
    """All that is known of an option, to people."""
    value = f" {option.metavar}" if option.metavar else ""
    names = [f"--{option.name}{value}", *([f"{option.short}{value}"] if option.short else [])]
    keys = [key for key in (option.key, option.alias) if key] if option.in_file else []
    return {
        "option": " or ".join(names) + (", may be given several times" if option.repeatable else ""),
        "meaning": option.summary,
        "type": _TYPES[option.kind],
        "allowed": option.allowed,
        "default": option.default_text,
        "unit": "" if option.unit == "none" else option.unit,
        "YAML": f"{' or '.join(keys)}, such as {option.key}: {option.example}" if keys else "cannot stand in a file",
        "variable": option.variable + (f", else {option.fallback}" if option.fallback else ""),
        "Python": f"rocprofsys_multipass.run(..., {option.python}=...)",
        "read by": ", ".join(option.readers),
        "precedence": "command line, variable, YAML file" + (f", {option.fallback}" if option.fallback else ""),
        "no effect": f"with replay {' or '.join(NOT_REPLAYED)}, and on an SDK without kernel replay: launches run once"
        if option.needs_replay
        else "",
    }


def _shown(option: Option, setting: Setting) -> str:
    """The value in the form of the option; one with a unit, or a limit, as it was written."""
    value = setting.value
    if option.kind == "flag":
        return "on" if value else "off"
    if option.kind == "groups":
        return "; ".join(",".join(group) for group in value)
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    written = value if isinstance(value, str) else ",".join(node.value.strip() for node in setting.texts)
    return written.replace("\n", " ")


def _write_new(path: str, text: str, *, force: bool) -> None:
    """Write a file that must not be there, unless `force` is set."""
    if not force and os.path.lexists(path):
        message = f"{path} exists, and is left as it is: name another file, or give --force to replace it"
        raise OutputError(message)
    try:
        with replacing(Path(path)) as stream:
            stream.write(text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"{path} cannot be written ({reason}): name a file in a folder that you may write to"
        raise OutputError(message) from error
