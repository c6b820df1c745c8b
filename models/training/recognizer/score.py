"""Edit distance, for word and phone error rates."""

from collections.abc import Sequence


def distance(reference: Sequence, heard: Sequence) -> int:
    """Fewest substitutions, insertions and deletions that turn one sequence into the other."""
    before = list(range(len(heard) + 1))
    for i, wanted in enumerate(reference, 1):
        row = [i]
        for j, got in enumerate(heard, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (wanted != got)))
        before = row
    return before[-1]
