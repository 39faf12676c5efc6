"""The 17 programs of CheckDP (Wang, Ding, Kifer & Zhang, CCS 2020), as mechanisms: the algorithm and its constants as published.

`q` are the answers of queries, which differ by at most 1 between neighbours: all of them, or one where it says so.
`threshold` is their T, and `allowed` their NN: after so many answers "above", a program stops. In the C programs some
noisy values are declared as int; CheckDP reads them as reals, and so does this. What a program gives out, one number
after another, is a tuple here; 0 stands beside released numbers for "below", as published (-100 in two of them).
"""

from typing import Any

from dpverify.mechanisms import Draw, laplace

Queries = tuple[int, ...]


# --- Private
def noisymax(draw: Draw, q: Queries, *, epsilon: Any) -> int:
    """Which query is the largest, with noise Lap(2/ε) on each."""
    largest, best = 0, None
    for i, query in enumerate(q):
        noisy = query + draw(laplace(2 / epsilon))
        if best is None or noisy > best:
            largest, best = i, noisy
    return largest


def sparsevector(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[int, ...]:
    """Which queries are above a noisy threshold: Lap(2/ε) on it, Lap(4·NN/ε) on the queries."""
    return _answers(draw, q, threshold + draw(laplace(2 / epsilon)), 4 * allowed / epsilon, allowed)


def svt_increasing(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[int, ...]:
    """As `sparsevector` with Lap(2·NN/ε) on the queries, none of which falls from a database to its neighbour."""
    return _answers(draw, q, threshold + draw(laplace(2 / epsilon)), 2 * allowed / epsilon, allowed)


def svt_decreasing(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[int, ...]:
    """As `sparsevector` with Lap(2·NN/ε) on the queries, none of which rises from a database to its neighbour."""
    return _answers(draw, q, threshold + draw(laplace(2 / epsilon)), 2 * allowed / epsilon, allowed)


def numsparsevector(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[Any, ...]:
    """Queries above a threshold, answered with noise of their own: Lap(3/ε), Lap(6·NN/ε), and Lap(3·NN/ε) released."""
    noisy_threshold = threshold + draw(laplace(3 / epsilon))
    out: list[Any] = []
    count = 0
    for query in q:
        if count == allowed:
            break
        if query + draw(laplace(6 * allowed / epsilon)) >= noisy_threshold:
            out.append(query + draw(laplace(3 * allowed / epsilon)))
            count += 1
        else:
            out.append(0)
    return tuple(out)


def gapsparsevector(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[Any, ...]:
    """As `sparsevector`, and releases by how much a query is above the noisy threshold."""
    return _released(draw, q, epsilon, threshold, allowed, lambda noisy, noisy_threshold: noisy - noisy_threshold, 0)


def adaptivesparsevector(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[Any, ...]:
    """First with Lap(8·NN/ε) and a margin of 16, for half the cost, then as `gapsparsevector`; until 4·NN·ε is spent."""
    return _adaptive(draw, q, epsilon, threshold, allowed, lambda noisy, noisy_threshold: noisy - noisy_threshold, 0)


def partialsum(draw: Draw, q: Queries, *, epsilon: Any) -> Any:
    """The sum with Lap(1/ε); one query differs."""
    return sum(q) + draw(laplace(1 / epsilon))


def smartsum(draw: Draw, q: Queries, *, epsilon: Any, last: int, block: int) -> tuple[Any, ...]:
    """All prefix sums up to the query `last`, their T, in blocks of M = `block` queries, for 2ε; one query differs."""
    return _prefix_sums(draw, q, epsilon, last, block, lambda: draw(laplace(1 / epsilon)))


# --- Not private
def badnoisymax(draw: Draw, q: Queries, *, epsilon: Any) -> Any:
    """As `noisymax`, and releases the noisy value in place of which query has it."""
    best = None
    for query in q:
        noisy = query + draw(laplace(2 / epsilon))
        if best is None or noisy > best:
            best = noisy
    return best


def badsparsevector1(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any) -> tuple[int, ...]:
    """As `sparsevector` without noise on the queries and without an end."""
    noisy_threshold = threshold + draw(laplace(2 / epsilon))
    return tuple(1 if query >= noisy_threshold else 0 for query in q)


def badsparsevector2(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any) -> tuple[int, ...]:
    """As `sparsevector` with Lap(2/ε) on the queries, however many may be above, and without an end."""
    return _answers(draw, q, threshold + draw(laplace(2 / epsilon)), 2 / epsilon, len(q) + 1)


def badsparsevector3(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[int, ...]:
    """As `sparsevector` with Lap(4/ε) on the threshold and Lap(4/(3ε)) on the queries, however many may be above."""
    return _answers(draw, q, threshold + draw(laplace(4 / epsilon)), 4 / (3 * epsilon), allowed)


def badgapsparsevector(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[Any, ...]:
    """As `gapsparsevector`, and releases the noisy query that was compared."""
    return _released(draw, q, epsilon, threshold, allowed, lambda noisy, _: noisy, -100)


def badadaptivesparsevector(draw: Draw, q: Queries, *, epsilon: Any, threshold: Any, allowed: int) -> tuple[Any, ...]:
    """As `adaptivesparsevector`, and releases the noisy query that was compared where the margin is met."""
    return _adaptive(draw, q, epsilon, threshold, allowed, lambda noisy, _: noisy, -100)


def badpartialsum(draw: Draw, q: Queries, *, epsilon: Any) -> Any:
    """The sum with Lap(1/(2ε)), which is private for 2ε; one query differs."""
    return sum(q) + draw(laplace(1 / (2 * epsilon)))


def badsmartsum(draw: Draw, q: Queries, *, epsilon: Any, last: int, block: int) -> tuple[Any, ...]:
    """As `smartsum` without noise at the end of a block."""
    return _prefix_sums(draw, q, epsilon, last, block, lambda: 0)


# --- What several of them do
def _answers(draw: Draw, q: Queries, noisy_threshold: Any, scale: Any, allowed: int) -> tuple[int, ...]:
    out: list[int] = []
    for query in q:
        if sum(out) == allowed:
            break
        out.append(1 if query + draw(laplace(scale)) >= noisy_threshold else 0)
    return tuple(out)


def _released(
    draw: Draw, q: Queries, epsilon: Any, threshold: Any, allowed: int, release: Any, below: int
) -> tuple[Any, ...]:
    noisy_threshold = threshold + draw(laplace(2 / epsilon))
    out: list[Any] = []
    count = 0
    for query in q:
        if count == allowed:
            break
        noisy = query + draw(laplace(4 * allowed / epsilon))
        if noisy >= noisy_threshold:
            out.append(release(noisy, noisy_threshold))
            count += 1
        else:
            out.append(below)
    return tuple(out)


def _adaptive(
    draw: Draw, q: Queries, epsilon: Any, threshold: Any, allowed: int, release: Any, below: int
) -> tuple[Any, ...]:
    noisy_threshold = threshold + draw(laplace(2 / epsilon))
    out: list[Any] = []
    cost = 2 * allowed * epsilon
    for query in q:
        certain = query + draw(laplace(8 * allowed / epsilon))
        if certain - noisy_threshold >= 16:
            out.append(release(certain, noisy_threshold))
            cost += epsilon
        else:
            noisy = query + draw(laplace(4 * allowed / epsilon))
            if noisy - noisy_threshold >= 0:
                out.append(noisy - noisy_threshold)
                cost += 2 * epsilon
            else:
                out.append(below)
        if cost > 4 * allowed * epsilon - 2 * epsilon:
            break
    return tuple(out)


def _prefix_sums(draw: Draw, q: Queries, epsilon: Any, last: int, block: int, at_the_end: Any) -> tuple[Any, ...]:
    out: list[Any] = []
    following: Any = 0
    in_block = 0
    for i, query in enumerate(q[: last + 1]):
        if (i + 1) % block == 0:
            following = in_block + query + at_the_end()
            in_block = 0
        else:
            following = following + query + draw(laplace(1 / epsilon))
            in_block += query
        out.append(following)
    return tuple(out)
