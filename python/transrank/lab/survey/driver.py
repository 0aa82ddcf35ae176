# SPDX-License-Identifier: BSD-3-Clause
"""Execute a plan: launch after launch, every finished case kept whatever happens.

After the launches that a run begins with come those that `Further` asks for.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from transrank.errors import Failure, LaunchError, RecordError
from transrank.lab.launch import failure, lost_hosts, outputs, process
from transrank.lab.launch.launcher import Launcher
from transrank.lab.launch.noise import without_noise
from transrank.lab.stats.launches import LEAST_LAUNCHES
from transrank.lab.store import records
from transrank.lab.store.records import TIME_SPENT, Case, PlannedLaunch, Shape, from_json
from transrank.lab.study import launch as launch_study
from transrank.lab.survey import estimate
from transrank.lab.survey.commands import runner_argv, shell_line
from transrank.lab.survey.estimate import Costs, TimeLeft
from transrank.lab.survey.further import Further
from transrank.lab.survey.lines import cores_line, event_line, planned_line
from transrank.lab.survey.progress import Finished, Progress
from transrank.lab.survey.tail import Tail
from transrank.lab.units import counted, format_wait

INTERRUPTED = 130
# The runner's own watchdog ends a job that hangs; this bound is for one that cannot.
LAUNCH_SECONDS = 900.0
CASE_SECONDS = 30.0
# As a multiple of what the first start took.
LONGEST_START = 10


@dataclass
class Driver:
    """Runs the launches of a plan one after the other, and those that follow from their results.

    `record` has its header already. `finished` are the (launch, case) pairs that need no
    measuring; `further`, if any, knows what was measured of them. `spent_seconds` of the run's time
    went by before. `say` receives the output of launches that is worth reading, `show_command`
    every command.
    """

    record: Path
    plan: Sequence[PlannedLaunch]
    launcher: Launcher
    costs: Costs
    finished: set[tuple[int, str]] = field(default_factory=set)
    further: Further | None = None
    spent_seconds: float = 0.0
    resume_command: str = "transrank measure --resume latest"
    say: Callable[[str], None] = lambda text: None
    show_command: Callable[[str], None] = lambda text: None
    # Told what is about to run and how many seconds it may take.
    announce: Callable[[Sequence[PlannedLaunch], float], None] = lambda plan, seconds: None

    failed: list[Finished] = field(default_factory=list)
    _kept: int = 0
    # Where the ranks of the last launch of each shape were, as in its line.
    _placements: dict[Shape, dict[str, Any]] = field(default_factory=dict)

    def remaining(self) -> list[PlannedLaunch]:
        """Return the launches that have cases left, with only these cases."""
        left = []
        for planned in self.plan:
            cases = tuple(
                case for case in planned.cases if (planned.launch, case) not in self.finished
            )
            if cases:
                left.append(replace(planned, cases=cases, lines=()))
        return left

    @property
    def folder(self) -> Path:
        """Where the logs of the launches go: beside the record file."""
        return self.record.with_suffix(".logs")

    def run(self, show: Callable[[int], Progress]) -> None:
        """Run what remains; `show` makes the progress display for N cases.

        Raises LaunchError: a launch fails (the cases finished until then are kept), or cases turned
        out wrong.
        Raises Failure: with status 130 when interrupted.
        Raises BrokenPipeError: the reader of the progress went away.
        """
        try:
            self._run(show)
        except KeyboardInterrupt:
            self._close("interrupted", "interrupted by the user or the batch system")
            raise Failure(
                f"interrupted; {self._kept_words()}", self._hint(None), status=INTERRUPTED
            ) from None
        except BrokenPipeError:
            self._close("interrupted", "its output was closed")
            raise
        except (LaunchError, RecordError, OSError) as cause:
            # A file that cannot be written in mid-run is the run's failure.
            raise self._failure(cause) from cause
        finally:
            self._remove_empty_folder()

    def _run(self, show: Callable[[int], Progress]) -> None:
        waiting = self.remaining()
        left = TimeLeft(self.costs, list(waiting), self._deadline())
        self.announce(waiting, left.seconds())
        with show(sum(len(planned.cases) for planned in waiting)) as progress:
            for place, planned in enumerate(waiting, start=1):
                left.begin()
                progress.launch_begins(place, len(waiting), planned.shape)
                left.finish(self._launch(planned, progress, left))
                if self._ends_repetition(planned):
                    self._find_states()
                    if self._is_spent(planned, left):
                        self._drop(left, progress)
                        break
            self._go_on(progress, left)
        if self.failed:
            first = self.failed[0]
            raise LaunchError(
                f"{counted(len(self.failed), 'case')} failed, {first.case} first: {first.reason}"
            )
        records.append_line(self.record, event_line("finished"))

    def _drop(self, left: TimeLeft, progress: Progress) -> None:
        """Leave out the launches of the plan that there is no time for."""
        progress.more(-sum(len(planned.cases) for planned in left.drop()))
        records.append_line(self.record, event_line(TIME_SPENT))

    def _deadline(self) -> float | None:
        """When, by the monotonic clock, no further launch begins."""
        if self.further is None or self.further.options.run_seconds is None:
            return None
        return time.monotonic() + self.further.options.run_seconds - self.spent_seconds

    def _ends_repetition(self, planned: PlannedLaunch) -> bool:
        """Whether with this launch every case was measured as often as the others."""
        return self.further is not None and (planned.launch + 1) % len(self.further.rows) == 0

    def _is_spent(self, planned: PlannedLaunch, left: TimeLeft) -> bool:
        """Whether every case has an interval and there is no time to measure all of them again."""
        assert self.further is not None
        repetitions = (planned.launch + 1) // len(self.further.rows)
        return repetitions >= LEAST_LAUNCHES and not left.is_enough_for(*self.further.rows)

    def _find_states(self) -> None:
        """Say in the record what state of the cores the rounds until now were of."""
        assert self.further is not None
        for shape, state in self.further.new_states().items():
            records.append_line(self.record, cores_line(shape, state))

    def _go_on(self, progress: Progress, left: TimeLeft) -> None:
        """Launch what is still wide, again and again, until it is not or the time is spent."""
        if self.further is None:
            return
        while True:
            self._find_states()
            launches = self.further.launches(left.until_deadline())
            if not launches:
                return
            for planned in launches:
                if not left.is_enough_for(planned):
                    return
                records.append_line(self.record, planned_line(planned))
                self.plan = [*self.plan, planned]
                left.add(planned)
                progress.more(len(planned.cases))
                left.begin()
                progress.launch_begins(progress.place + 1, None, planned.shape)
                left.finish(self._launch(planned, progress, left))

    def _failure(self, cause: LaunchError | RecordError | OSError) -> LaunchError:
        """Note in the record why the run ends here, and return the message for the user."""
        if isinstance(cause, OSError):
            message, advice = f"{cause.filename or self.folder}: {cause.strerror}", None
        else:
            message, advice = cause.message, cause.hint
        if not isinstance(cause, LaunchError):
            known = failure.known_cause(message)
            if known is not None:
                message, advice = f"{known[0]}: {message}", known[1]
        self._close("launch-failed", message)
        return LaunchError(f"{message}; {self._kept_words()}", self._hint(advice))

    def _launch(self, planned: PlannedLaunch, progress: Progress, left: TimeLeft) -> float:
        if estimate.is_launch_study(planned):
            return self._start_jobs(planned, progress, left)
        return self._measure(planned, progress, left)

    def _measure(self, planned: PlannedLaunch, progress: Progress, left: TimeLeft) -> float:
        """Let transrank-run measure the cases of one launch."""
        tail = Tail(self.record)
        seen: set[str] = set()
        log = self.folder / f"launch-{planned.launch:03d}.log"
        prefix = log.with_suffix("")

        begun = False

        def look() -> None:
            nonlocal begun
            for line in tail.read():
                begun = True
                if line.get("kind") == "launch":
                    self._placements[planned.shape] = line["placement"]
                if line.get("kind") == "case" and line.get("case") not in seen:
                    seen.add(str(line.get("case")))
                    self._keep(line, progress, left)

        idle_since = time.monotonic()

        def tick() -> None:
            nonlocal idle_since
            look()
            if begun and len(seen) < len(planned.cases):
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > self._idle_patience(planned):
                what = "has not ended after its last case" if begun else "has not begun to measure"
                raise LaunchError(
                    f"launch {planned.launch} ({planned.shape}) {what} within "
                    f"{format_wait(self._idle_patience(planned))}",
                    "a rank or the launcher may be stopped, or a link down; a longer --watchdog "
                    "waits longer",
                )

        def take(line: str) -> bool:
            nonlocal begun
            study, seconds = _parse_progress(line)
            if study is None:
                return False
            begun = True
            left.runner_says(seconds)
            progress.advances(left.seconds())
            return True

        if self.launcher.writes_files:
            prefix.parent.mkdir(parents=True, exist_ok=True)
        command = self.launcher.command(planned.shape, self._argv(planned), prefix)
        self.show_command(shell_line(command, self._added(planned)))
        try:
            outcome = process.run(
                command,
                environment={**os.environ, **self._added(planned)},
                timeout_seconds=self._patience(planned),
                take_line=take,
                tick=tick,
                is_last_word=failure.is_last_word,
                log=log,
            )
        finally:
            look()
            self._only_file(planned).unlink(missing_ok=True)
        if self.launcher.writes_files:
            for line in outputs.lines_of(prefix):
                take(line)
        self._judge(planned, outcome, seen)
        return outcome.seconds

    def _patience(self, planned: PlannedLaunch) -> float:
        each = max(CASE_SECONDS, 4 * self.costs.case_seconds)
        return LAUNCH_SECONDS + each * len(planned.cases)

    def _idle_patience(self, planned: PlannedLaunch) -> float:
        """How long MPI may take to start or to end: the ranks' own watchdog watches in between."""
        if "--watchdog" not in planned.arguments:
            return self._patience(planned)
        watchdog = float(planned.arguments[planned.arguments.index("--watchdog") + 1])
        return watchdog + LONGEST_START * self.costs.start_seconds

    def _judge(self, planned: PlannedLaunch, outcome: process.Outcome, seen: set[str]) -> None:
        """Accept a launch that wrote all its cases; a wrong payload fails its case alone."""
        missing = [case for case in planned.cases if case not in seen]
        telling = without_noise(outcome.tail)
        if not missing and (outcome.ok or self._has_failed(planned)):
            for line in telling:
                self.say(line)
            return
        lost = lost_hosts.explain(outcome.tail, self._placements.get(planned.shape))
        cause, advice = failure.explain(outcome, lost)
        place = f"launch {planned.launch} ({planned.shape}) failed"
        share = f" with {len(missing)} of its {len(planned.cases)} cases unfinished"
        words = failure.last_words(outcome)
        quoted = f"; it said: {failure.said(words)}" if words and advice is None else ""
        raise LaunchError(
            f"{place}{share if missing else ''}: {cause}{quoted}{failure.where(outcome)}", advice
        )

    def _has_failed(self, planned: PlannedLaunch) -> bool:
        return any(case.launch == planned.launch for case in self.failed)

    def _start_jobs(self, planned: PlannedLaunch, progress: Progress, left: TimeLeft) -> float:
        """Measure job starts: the study that needs the launcher's outside view."""
        seconds = 0.0
        for case in planned.cases:
            mode = case.rpartition("/")[2]
            argv = launch_study.command(mode, self.launcher)
            command = self.launcher.command(planned.shape, argv, self.folder)
            self.show_command(shell_line(command, self._added(planned)))
            line = launch_study.measure(
                mode,
                planned.launch,
                planned.shape,
                self.launcher,
                {**os.environ, **self._added(planned)},
                self.folder,
                estimate.samples_of(planned),
                estimate.most_listed_by(planned),
            )
            records.append_line(self.record, line)
            self._keep(line, progress, left)
            seconds += line["measuring_seconds"]
        return seconds

    def _keep(self, line: dict[str, Any], progress: Progress, left: TimeLeft) -> None:
        case = Finished.from_line(line)
        if self.further is not None:
            self.further.take([from_json(Case, line)])
        self._kept += case.status != "failed"
        if case.status == "failed":
            self.failed.append(case)
        left.finish_case()
        progress.finishes(case, left.seconds())

    def _argv(self, planned: PlannedLaunch) -> list[str]:
        argv = runner_argv(planned, self.record, self.launcher)
        state = None if self.further is None else self.further.state_to_meet(planned.shape)
        if state is not None:
            argv += ["--cores", ",".join(f"{seconds:.6g}" for seconds in state.bounds())]
        if self._is_part(planned):
            path = self._only_file(planned)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            with path.open("x", encoding="utf-8") as file:  # new: nobody's link is followed
                file.writelines(f"{case}\n" for case in planned.cases)
            argv += ["--only", str(path)]
        return argv

    def _is_part(self, planned: PlannedLaunch) -> bool:
        """Whether the launch measures fewer cases than its arguments select."""
        return planned.part or any(
            len(planned.cases) < len(one.cases)
            for one in self.plan
            if one.shape == planned.shape and one.selection == planned.selection
        )

    def _only_file(self, planned: PlannedLaunch) -> Path:
        return self.folder / f"launch-{planned.launch:03d}.cases"

    def _added(self, planned: PlannedLaunch) -> dict[str, str]:
        return self.launcher.environment(planned.shape, os.environ)

    def _close(self, event: str, message: str) -> None:
        """Leave the record file whole, and say in it what happened; a full disk may forbid it."""
        try:
            done = records.repair(self.record)
            if done:
                records.append_line(self.record, event_line("repaired", done))
            if self.further is not None:
                self._find_states()
            records.append_line(self.record, event_line(event, message))
        except (RecordError, OSError):
            pass

    def _kept_words(self) -> str:
        kept = counted(self._kept + len(self.finished), "finished case is", "finished cases are")
        return f"{kept} kept in {self.record}"

    def _hint(self, advice: str | None) -> str:
        finish = f"finish it with: {self.resume_command}"
        return f"{advice}; then {finish}" if advice else finish

    def _remove_empty_folder(self) -> None:
        try:
            self.folder.rmdir()
        except OSError:
            pass  # it holds logs, or was never made


def _parse_progress(line: str) -> tuple[str | None, float]:
    """Return study and seconds left of ``progress STUDY DONE TOTAL ROUND SECONDS_LEFT``."""
    words = line.split()
    if len(words) != 6 or words[0] != "progress":
        return None, 0.0
    try:
        return words[1], float(words[5])
    except ValueError:
        return None, 0.0
