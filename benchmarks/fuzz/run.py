"""The loop: questions of a seed, asked until the time is over, and what was found."""

from __future__ import annotations

import argparse
import json
import random
import re
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.strategies import SearchStrategy
from rich.console import Console
from rich.markup import escape

from benchmarks.fuzz import aimed, judge, strategies
from benchmarks.fuzz.consistency import laws
from benchmarks.fuzz.judge import KINDS, Finding
from benchmarks.fuzz.process import Worker
from benchmarks.fuzz.questions import Question

BATCH = 200
BATCHES = 100_003
"""More than are ever drawn for one seed: every batch has seeds of its own."""
ALIKE = 2
"""Questions of one batch that may differ in their numbers only: hypothesis likes to vary one."""
STEEP = 1e-13
"""Relative rounding of epsilon or delta after which two far ends may both be right."""
LIBRARY_SECONDS = 12.0
ORACLE_SECONDS = 10.0


def drawn(strategy: SearchStrategy[Question], number: int, seed: int) -> list[Question]:
    """So many examples of a strategy, the same ones for the same seed."""
    found: list[Question] = []
    if not number:
        return found

    @seeded(seed)
    @settings(
        max_examples=number,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(question: Question) -> None:
        found.append(question)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collect()
    return found


def stream(seed: int, share: float) -> Iterator[Question]:
    """Questions without end, a share of them aimed at kinks; none twice, and few that are alike."""
    seen: set[str] = set()
    batch = 0
    while True:
        number = round(BATCH * share)
        start = 2 * (seed * BATCHES + batch)
        questions = drawn(aimed.questions(), number, start)
        questions += drawn(strategies.questions(), BATCH - number, start + 1)
        random.Random(start).shuffle(questions)
        shapes: Counter[str] = Counter()
        for question in questions:
            shape = re.sub(r"[-+.\de]*\d", "0", question.text)
            shapes[shape] += 1
            if question.text not in seen and shapes[shape] <= ALIKE:
                seen.add(question.text)
                yield question
        batch += 1


def again(path: str) -> Iterator[Question]:
    """The questions that an earlier run printed, one in a line."""
    for line in Path(path).read_text().splitlines():
        place = re.match(r"(?:[a-z ]+: )?(\(.*)", line)
        if place:
            yield Question.read(place[1])


@dataclass
class Session:
    """Asks, judges and counts."""

    library: Worker
    oracle: Worker
    asked: int = 0
    judged: int = 0
    compared: int = 0
    refused: int = 0
    steep: int = 0
    before: str = ""
    findings: list[Finding] = field(default_factory=list)

    def ask(self, question: Question) -> dict[str, Any]:
        """The answer; where the interpreter died it may be the one before that broke it."""
        answer, before = self.library.do(ask=question.text), self.before
        self.before = question.text
        if "died" in answer and "died" not in self.library.do(ask=question.text):
            answer["after"] = before
        return answer

    def examine(self, question: Question) -> list[Finding]:
        """Everything that is wrong with the answer to one question."""
        self.asked += 1
        answer = self.ask(question)
        found = judge.resources(question, answer)
        if "ends" in answer:
            found += judge.shape(question, answer)
            judged = self.against_truth(question, answer)
            found += self.against_itself(question, answer) if judged is None else judged
        elif answer.get("expected"):
            self.refused += 1
        self.findings += found
        return found

    def against_truth(self, question: Question, answer: dict[str, Any]) -> list[Finding] | None:
        """What an oracle says to the answer; None where no oracle applies."""
        found: list[Finding] = []
        judged = False
        for single, ends in zip(question.single(), answer["ends"], strict=True):
            truth = self.truth(single)
            if truth is not None:
                judged = True
                finding = judge.against(question, ends, truth)
                if finding and finding.kind == "vacuous" and self.is_steep(single, ends):
                    self.steep += 1
                elif finding:
                    found.append(finding)
        self.judged += judged
        return found if judged else None

    def is_steep(self, question: Question, ends: list[float]) -> bool:
        """Whether the truth moves as much as the ends do when what is given is rounded."""
        beside = [question.at * (1 + STEEP), question.at * (1 - STEEP)]
        truths = [self.truth(replace(question, at=each)) for each in beside]
        return all(truths) and judge.within(ends, truths)

    def truth(self, question: Question) -> judge.Truth | None:
        """What an oracle says, if any does."""
        task = [question.expression, question.query, question.at, question.relation]
        found = self.oracle.do(truth=task).get("truth")
        return None if found is None else (found[0], found[1])

    def against_itself(self, question: Question, answer: dict[str, Any]) -> list[Finding]:
        """What another question says to it."""
        found: list[Finding] = []
        for law in laws(question, answer):
            one, other = (
                answer if each == question else self._given(each)
                for each in (law.smaller, law.larger)
            )
            if "ends" in one and "ends" in other:
                self.compared += 1
                finding = law.judge(one, other)
                found += [finding] if finding else []
            for each, what in ((law.smaller, one), (law.larger, other)):
                if each != question and each.query != "given":
                    found += judge.resources(each, what)
        return found

    def _given(self, question: Question) -> dict[str, Any]:
        if question.query == "given":
            return {"ends": [[question.at, question.at]]}
        return self.ask(question)


def main() -> None:
    """Run from the command line."""
    options = arguments()
    console = Console(stderr=True)
    deadline = time.monotonic() + 60 * options.minutes
    with Worker(LIBRARY_SECONDS) as library, Worker(ORACLE_SECONDS) as oracle:
        session = Session(library, oracle)
        with console.status("") as status:
            source = again(options.again) if options.again else stream(options.seed, options.aimed)
            for question in source:
                if time.monotonic() > deadline or session.asked >= options.questions:
                    break
                count = f"{session.asked} asked, {len(session.findings)} found: "
                status.update(count + escape(question.text[:80]))
                for finding in session.examine(question):
                    print(f"{finding.kind}: {finding.line()}", flush=True)
    print(summary(session, options.seed))
    if options.json:
        Path(options.json).write_text(json.dumps(as_json(session, options.seed), indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--questions", type=int, default=10**9, help="stop after so many")
    parser.add_argument("--aimed", type=float, default=0.5, help="share of questions at kinks")
    parser.add_argument("--again", help="ask what an earlier run printed to this file")
    parser.add_argument("--json", help="write the findings to this file")
    return parser.parse_args()


def summary(session: Session, seed: int) -> str:
    """The counts, the most severe kind first."""
    counted = Counter(finding.kind for finding in session.findings)
    lines = [
        f"seed {seed}: {session.asked} questions, {session.judged} judged by an oracle, "
        f"{session.compared} compared with another question, {session.refused} refused, "
        f"{session.steep} wide where the truth is as steep"
    ]
    return "\n".join(lines + [f"{counted[kind]:6d}  {kind}" for kind in KINDS])


def as_json(session: Session, seed: int) -> dict[str, Any]:
    """The same for a program."""
    return {
        "seed": seed,
        "asked": session.asked,
        "judged": session.judged,
        "compared": session.compared,
        "refused": session.refused,
        "steep": session.steep,
        "findings": [
            {"kind": each.kind, "question": each.question.text, "detail": each.detail}
            for each in session.findings
        ],
    }
