"""What is to be reached. thresholds.json holds ratios, which go from one machine to another; the few absolute numbers that the
design promises (seconds, megabytes) stand where they are measured."""

import json
import pathlib
import statistics

THRESHOLDS = json.loads((pathlib.Path(__file__).parent / "thresholds.json").read_text())


def figure(values, digits=2):
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f}–{max(values):.{digits}f}]"


def against(work, peer, ratios, targets):
    """The cell of a table for these ratios; where something is asked of them, with the verdict, which joins the targets."""
    asked = THRESHOLDS.get(work, {}).get(peer)
    if not asked:
        return figure(ratios)
    ratio = statistics.median(ratios)
    reached = ratio <= asked["target"]
    targets.append({"name": f"{work} against {peer}", "target": asked["target"], "limit": asked["limit"], "ratio": ratio,
                    "reached": reached})
    return f"{figure(ratios)} {'reached' if reached else 'missed'} ≤ {asked['target']:.2f}"


def absolute(name, value, most, targets):
    """A promise in seconds or bytes, which holds for the machine it was measured on."""
    targets.append({"name": f"{name} ≤ {most:g}", "value": value, "reached": value <= most})


def ratios(ours, theirs):
    """Within a repetition, where the two ran seconds apart."""
    return [one / other for one, other in zip(ours, theirs)]
