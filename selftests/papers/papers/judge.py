# SPDX-License-Identifier: GPL-2.0-only
"""From observations to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .model import Data, Kind, Results, Verdict


@dataclass(frozen=True)
class Observation:
    """Does a claim hold under one condition? None: the data do not tell, `why` says in a few words why. The text has the numbers."""

    holds: bool | None
    text: str
    why: str = ""


def combine(
    seen: Mapping[str, Observation | None],
    what: str,
    missing: Sequence[str] = (),
    nothing: str = "nothing there to judge",
) -> Verdict:
    """The verdict of observations by condition (`what` names the kind of condition: volume).

    Under the missing conditions nothing was run. An observation of None, of which `nothing` says why, does not tell.
    """
    told = {condition: one for condition, one in seen.items() if one and one.holds is not None}
    evidence = [f"{condition}: {'yes' if one.holds else 'no'}; {one.text}" for condition, one in told.items()]
    evidence += [f"{condition}: {one.text if one else nothing}" for condition, one in seen.items() if condition not in told]
    evidence += [f"{condition}: no result yet" for condition in missing]
    true = [condition for condition, one in told.items() if one.holds]
    false = [condition for condition, one in told.items() if not one.holds]
    later = f" (no result yet on {listed(missing)})" if missing else ""
    if not seen:
        return Verdict(Kind.NOT_RUN, "no result yet", tuple(evidence))
    if not told:
        reasons = dict.fromkeys(one.why for one in seen.values() if one and one.why)
        why = f": {listed(list(reasons))}" if reasons else ""
        return Verdict(Kind.UNTOLD, f"no result that tells{why}{later}", tuple(evidence))
    if true and false:
        reason = f"on the {what}: true on {listed(true)}; not on {listed(false)}{later}"
        return Verdict(Kind.DEPENDS, reason, tuple(evidence))
    kind = Kind.CONFIRMED if true else Kind.NOT_CONFIRMED
    return Verdict(kind, f"{'true' if true else 'not so'} on {listed(true or false)}{later}", tuple(evidence))


def listed(words: Sequence[str]) -> str:
    """Conditions in a row; they may have commas."""
    return "; ".join(words)


def over(
    conditions: Mapping[str, str], observe: Callable[[Data], Observation | None], what: str
) -> Callable[[Results], Verdict]:
    """A judge that looks at the same thing under several conditions.

    `conditions` has the name of an experiment for each. observe() gets its data, and returns None if they do not tell.
    """

    def judge(results: Results) -> Verdict:
        there = {condition: name for condition, name in conditions.items() if name in results}
        return combine(
            {condition: observe(results[name].data) for condition, name in there.items()},
            what,
            [condition for condition in conditions if condition not in there],
            "nothing there to judge at that moment",
        )

    return judge


def share(part: float, whole: float) -> float:
    """A part of a whole, from 0 to 1; 0 of nothing."""
    return part / whole if whole else 0.0


def percent(part: float, whole: float) -> str:
    """The same as text."""
    return f"{share(part, whole):.0%}"
