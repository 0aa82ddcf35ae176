# SPDX-License-Identifier: BSD-3-Clause
"""transrank: parse the command line, run one verb, turn errors into an exit status."""

from __future__ import annotations

import argparse
import difflib
import gc
import importlib
import itertools
import os
import shlex
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn

from transrank import __version__
from transrank.errors import Failure, RecordError, UsageError

# In the order in which a user meets them; the module of a verb carries its name.
VERBS = {
    "doctor": "find what would distort measured times on this machine",
    "survey": "run most of the studies (benchmarks), and write a report",
    "measure": "run chosen studies",
    "show": "print the results of a run, or published results of a machine",
    "compare": "compare two runs, or a run with published results",
    "versus": "compare two MPI settings or builds, measured alternately",
    "report": "write an HTML page with a summary, figures and tables",
    "plan": "count the messages and bytes of an exchange, without using MPI",
    "list": "list stored runs, studies, machines or MPI settings",
    "export": "write the results of a run as CSV or Parquet",
    "import": "store the output of OSU or Intel MPI Benchmarks as a run",
    "script": "print a job script for Slurm, PBS or PJM",
    "tune": "write a file that makes MPI choose faster collective algorithms",
    "carry": "run an MPI program, but let transrank carry out its alltoalls",
}

# Options without a verb.
ASKED_FOR = {"-h", "--help", "--version"}

SUCCESS, INTERRUPTED, INTERNAL_ERROR, BROKEN_PIPE = 0, 130, 70, 141

EPILOG = """\
first steps:
  transrank doctor                    is this machine fit for measurements?
  transrank survey --quick            measure it in under three minutes
  transrank show latest               print the results
  transrank report latest             write an HTML page with figures
  transrank measure pingpong -n 2     run only this study, with 2 ranks

exit status:
    0 success
    1 a check failed, e.g. compare found a slower case
    2 wrong usage
    3 the MPI run failed
    4 results missing or unreadable
    5 fewer than half of the cases could be judged (compare, versus)
  130 interrupted; finished cases are kept
"""


class Help(argparse.HelpFormatter):
    """Fills prose to the width of the terminal, and keeps examples and tables unchanged."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n  " in text:
            return "".join(indent + line for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line with a hint."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **{**named, "formatter_class": Help, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"{self.prog} --help")


def build_parser(verbs: Collection[str] = VERBS) -> Parser:
    """Return the parser of the command line, with the options of these verbs: others cost time."""
    parser = Parser(
        prog="transrank",
        description="Measure the cost of moving data between MPI ranks on this machine.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"transrank {__version__}")
    subparsers = parser.add_subparsers(
        dest="verb", metavar="VERB", title="verbs", parser_class=Parser
    )
    for verb, text in VERBS.items():
        one = subparsers.add_parser(verb, help=text)
        if verb in verbs:
            _module(verb).add_options(one)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status; raises nothing."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # A record is millions of objects without cycles: looking for some took a sixth of the time.
    gc.set_threshold(1_000_000)
    try:
        return _answer(arguments)
    except BrokenPipeError:
        _silence()
        return BROKEN_PIPE


def _answer(arguments: list[str]) -> int:
    """Run the command line and print errors; raises BrokenPipeError if the reader has gone."""
    try:
        with _termination_as_interrupt():
            return _run(arguments)
    except Failure as failure:
        _output().error(failure.message, failure.hint)
        return failure.status
    except KeyboardInterrupt:
        _output().error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except MemoryError:
        _output().error("there is too little memory", "raise its limit: ulimit -v, or the job's")
        return RecordError.status
    except Exception as bug:  # the last line of defence: a user never sees a traceback
        return _internal_error(bug, arguments)


def _run(arguments: list[str]) -> int:
    if not set(arguments[:1]) & ASKED_FOR:
        _output().configure(argparse.Namespace(verbose=_asks_for_verbose(arguments)))
    _check_verb(arguments)
    parser = build_parser(arguments[:1])
    try:
        parsed, unknown = _parsed(parser, arguments)
    except SystemExit as finished:  # --help and --version
        sys.stdout.flush()
        return finished.code if isinstance(finished.code, int) else SUCCESS
    if parsed.verb is None:
        parser.print_help()
        return UsageError.status
    if unknown:
        raise _unknown_options(parser, parsed.verb, unknown)
    _output().configure(parsed)
    parsed.words = arguments
    status: int = _module(parsed.verb).run(parsed)
    sys.stdout.flush()
    return status


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line that begins with a verb, without running it.

    Raises UsageError: the verb does not have one of the options.
    """
    parser = build_parser(arguments[:1])
    parsed, unknown = _parsed(parser, list(arguments))
    if unknown:
        raise _unknown_options(parser, parsed.verb, unknown)
    return parsed


def _module(verb: str) -> ModuleType:
    return importlib.import_module(f"transrank.lab.cli.{'import_' if verb == 'import' else verb}")


def _output() -> ModuleType:
    """What prints; it takes longer to load than the help of the command to print."""
    return importlib.import_module("transrank.lab.cli.output")


def _begins_with_verb(arguments: Sequence[str]) -> bool:
    return bool(arguments) and arguments[0] in VERBS


def _check_verb(arguments: Sequence[str]) -> None:
    before = list(itertools.takewhile(lambda word: word not in VERBS, arguments))
    if not before or set(before) & ASKED_FOR:
        return
    if before[0].startswith("-"):
        verb, *after = arguments[len(before) :] or ["VERB"]
        raise UsageError(
            f"the option '{before[0]}' comes before the verb",
            f"options follow it: {' '.join(['transrank', verb, shlex.join([*before, *after])])}",
        )
    raise UsageError(f"unknown verb '{before[0]}'", did_you_mean(before[0], VERBS))


def did_you_mean(text: str, known: Collection[str]) -> str:
    """Return a hint for a misspelt name: the nearest known one, or all of them."""
    close = difflib.get_close_matches(text, known, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else f"known: {', '.join(known)}"


def _parsed(parser: Parser, arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Parse a command line; returns what is unknown, too.

    argparse ends a verb's list of arguments where an option follows it: what comes later is added.
    """
    parsed, unknown = parser.parse_known_args(_rewritten(parser, arguments))
    lists = [each.dest for each in _actions(parser, parsed.verb) if each.nargs == "*"]
    if lists and not any(text.startswith("-") for text in unknown):
        setattr(parsed, lists[-1], [*getattr(parsed, lists[-1]), *unknown])
        unknown = []
    return parsed, unknown


def options_of(parser: Parser, verb: str) -> list[str]:
    """Return every option of a verb, as it is typed."""
    return [option for action in _actions(parser, verb) for option in action.option_strings]


def _actions(parser: Parser, verb: str | None) -> Sequence[argparse.Action]:
    """What a verb takes, in the order in which it was added."""
    (subparsers,) = (
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    return subparsers.choices[verb]._actions if verb in subparsers.choices else ()


def _rewritten(parser: Parser, arguments: list[str]) -> list[str]:
    """Let a verb rewrite options that depend on the studies, such as --operation."""
    rewrite = (
        getattr(_module(arguments[0]), "rewrite", None) if _begins_with_verb(arguments) else None
    )
    if rewrite is None:
        return arguments
    return [arguments[0], *rewrite(arguments[1:], options_of(parser, arguments[0]))]


def _unknown_options(parser: Parser, verb: str, unknown: Sequence[str]) -> UsageError:
    further = getattr(_module(verb), "axis_options", list)
    options = [*options_of(parser, verb), *further()]
    text = unknown[0]
    name = text.partition("=")[0]
    close = [option for option in options if len(name) > 3 and option.startswith(name)]
    close += difflib.get_close_matches(name, options, n=1, cutoff=0.6)
    kind = "option" if text.startswith("-") else "argument"
    hint = f"did you mean '{close[0]}'?" if close else f"transrank {verb} --help"
    return UsageError(f"{verb}: unknown {kind} '{text}'", hint)


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP as Ctrl-C: no case is lost when a batch system ends the job."""

    def interrupt(number: int, _: FrameType | None) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    previous: dict[int, Callable[[int, FrameType | None], object] | int] = {}
    try:
        for number in (signal.SIGTERM, signal.SIGHUP):
            handler = signal.signal(number, interrupt)
            if handler is not None:  # one that Python did not set cannot be set again
                previous[number] = handler
    except ValueError:  # not the main thread, which alone may set handlers
        pass
    try:
        yield
    finally:
        for restored, handler in previous.items():
            signal.signal(restored, handler)


def _asks_for_verbose(arguments: Sequence[str]) -> int:
    return sum(argument in ("-v", "-vv", "--verbose") for argument in arguments)


def _internal_error(bug: Exception, arguments: Sequence[str]) -> int:
    frames = traceback.extract_tb(bug.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    command = shlex.join(["transrank", *arguments])
    _output().error(
        f"internal error: {type(bug).__name__}: {bug} (transrank {__version__}, {place})",
        f"a bug in transrank; please report it {_where_to_report()} with the output of "
        f"'{command} --verbose'",
    )
    _output().detail(traceback.format_exc())
    return INTERNAL_ERROR


def _where_to_report() -> str:
    for url in metadata.metadata("transrank").get_all("Project-URL") or []:
        label, _, address = url.partition(", ")
        if label.lower() in ("issues", "bug tracker"):
            return f"at {address}"
    return "to the project (see CONTRIBUTING.md)"


def _silence() -> None:
    # The interpreter flushes both at exit; that must not fail a second time.
    with Path(os.devnull).open("w", encoding="utf-8") as null:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(null.fileno(), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
