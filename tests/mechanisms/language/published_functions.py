"""Functions of the kind that public repositories publish, written anew: numpy, floats, and nothing of this library.

StatDP, Google's dp_auditorium, private-pgm, Programming Differential Privacy and diffprivlib have functions like these;
`CASES` says what is to be found of each, by hand or by quadrature and enumeration apart from this library.
"""

import random
from collections.abc import Callable, Iterable
from math import exp
from typing import Any, NamedTuple

import numpy as np

COIN = 0.5


# --- As StatDP has them


def largest_place(prng: Any, queries: Any, epsilon: Any) -> Any:
    noisy = np.asarray(queries, dtype=np.float64) + prng.laplace(scale=2.0 / epsilon, size=len(queries))
    return np.argmax(noisy)


def largest_value(prng: Any, queries: Any, epsilon: Any) -> Any:
    noisy = np.asarray(queries, dtype=np.float64) + prng.laplace(scale=2.0 / epsilon, size=len(queries))
    return np.max(noisy)


def largest_place_exponential(prng: Any, queries: Any, epsilon: Any) -> Any:
    noisy = np.asarray(queries, dtype=np.float64) + prng.exponential(scale=2.0 / epsilon, size=len(queries))
    return np.argmax(noisy)


def largest_value_exponential(prng: Any, queries: Any, epsilon: Any) -> Any:
    noisy = np.asarray(queries, dtype=np.float64) + prng.exponential(scale=2.0 / epsilon, size=len(queries))
    return np.max(noisy)


def first_bin(prng: Any, queries: Any, epsilon: Any) -> Any:
    noisy = np.asarray(queries, dtype=np.float64) + prng.laplace(scale=1.0 / epsilon, size=len(queries))
    return noisy[0]


def first_bin_scale_inverted(prng: Any, queries: Any, epsilon: Any) -> Any:
    noisy = np.asarray(queries, dtype=np.float64) + prng.laplace(scale=epsilon, size=len(queries))
    return noisy[0]


def sparse_vector(prng: Any, queries: Any, epsilon: Any, n: int = 1, t: float = 1.0) -> Any:
    out = []
    noisy_t = t + prng.laplace(scale=2.0 / epsilon)
    count = 0
    for query in queries:
        if query + prng.laplace(scale=4.0 * n / epsilon) >= noisy_t:
            out.append(True)
            count += 1
            if count >= n:
                break
        else:
            out.append(False)
    return out.count(False)


def sparse_vector_without_noise(prng: Any, queries: Any, epsilon: Any, n: int = 1, t: float = 1.0) -> Any:
    out = []
    noisy_t = t + prng.laplace(scale=2.0 / epsilon)
    count = 0
    for query in queries:
        if query >= noisy_t:
            out.append(True)
            count += 1
            if count >= n:
                break
        else:
            out.append(False)
    return out


def sparse_vector_without_count(prng: Any, queries: Any, epsilon: Any, t: float = 1.0) -> Any:
    noisy_t = t + prng.laplace(scale=2.0 / epsilon)
    return [bool(query + prng.laplace(scale=2.0 / epsilon) >= noisy_t) for query in queries]


def sparse_vector_wrong_scale(prng: Any, queries: Any, epsilon: Any, n: int = 1, t: float = 1.0) -> Any:
    out = []
    noisy_t = t + prng.laplace(scale=4.0 / epsilon)
    count = 0
    for query in queries:
        is_above = query + prng.laplace(scale=4.0 / (3.0 * epsilon)) >= noisy_t
        out.append(bool(is_above))
        count += is_above
        if count >= n:
            break
    return out


def sparse_vector_with_values(prng: Any, queries: Any, epsilon: Any, t: float = 1.0) -> Any:
    out: list[Any] = []
    noisy_t = t + prng.laplace(scale=2.0 / epsilon)
    for query in queries:
        noisy = query + prng.laplace(scale=2.0 / epsilon)
        if noisy >= noisy_t:
            out.append(noisy)
            break
        out.append(False)
    return out.count(False)


# --- As dp_auditorium has them


def by_gumbel_noise(data: Any, epsilon: Any, rng: Any = None) -> Any:
    rng = np.random.default_rng() if rng is None else rng
    noise = rng.gumbel(scale=2 / epsilon, size=len(data))
    return int(np.argmax(np.array(data) + noise))


def mean_of_private_count(data: Any, epsilon: Any) -> Any:
    if len(data) == 0:
        return 0.0
    return np.sum(data) / len(data) + np.random.laplace(scale=1.0 / (len(data) * epsilon))


def svt1(data: Any, epsilon: Any, rng: np.random.Generator, threshold: Any = 1, cutoff: int = 1) -> Any:
    rho = rng.laplace(scale=2 / epsilon)
    answers, count = [], 0
    for query in data:
        if query + rng.laplace(scale=4 * cutoff / epsilon) >= threshold + rho:
            answers.append(1)
            count += 1
            if count == cutoff:
                break
        else:
            answers.append(0)
    return answers


def svt2(data: Any, epsilon: Any, rng: np.random.Generator, threshold: Any = 1, cutoff: int = 1) -> Any:
    rho = rng.laplace(scale=2 * cutoff / epsilon)
    answers, count = [], 0
    for query in data:
        if query + rng.laplace(scale=4 * cutoff / epsilon) >= threshold + rho:
            answers.append(1)
            rho = rng.laplace(scale=2 * cutoff / epsilon)
            count += 1
            if count == cutoff:
                break
        else:
            answers.append(0)
    return answers


def svt3(data: Any, epsilon: Any, rng: np.random.Generator, threshold: Any = 1) -> Any:
    rho = rng.laplace(scale=2 / epsilon)
    answers: list[Any] = []
    for query in data:
        noisy = query + rng.laplace(scale=2 / epsilon)
        if noisy >= threshold + rho:
            return [*answers, noisy]
        answers.append(0)
    return answers


def svt4(data: Any, epsilon: Any, rng: np.random.Generator, threshold: Any = 1, cutoff: int = 2) -> Any:
    rho = rng.laplace(scale=4 / epsilon)
    answers, count = [], 0
    for query in data:
        if query + rng.laplace(scale=4 / (3 * epsilon)) >= threshold + rho:
            answers.append(1)
            count += 1
            if count == cutoff:
                break
        else:
            answers.append(0)
    return answers


def svt5(data: Any, epsilon: Any, rng: np.random.Generator, threshold: Any = 1) -> Any:
    rho = rng.laplace(scale=2 / epsilon)
    return [1 if query >= threshold + rho else 0 for query in data]


def svt6(data: Any, epsilon: Any, rng: np.random.Generator, threshold: Any = 1) -> Any:
    rho = rng.laplace(scale=2 / epsilon)
    return [1 if query + rng.laplace(scale=2 / epsilon) >= threshold + rho else 0 for query in data]


# --- As private-pgm has them


def softmax_choice(qualities: Any, epsilon: Any, sensitivity: Any = 1.0, prng: Any = np.random) -> Any:
    qualities = np.asarray(qualities)
    q = qualities - qualities.max()
    p = np.exp(0.5 * epsilon / sensitivity * q)
    p /= p.sum()
    return prng.choice(qualities.size, p=p)


def permute_and_flip(qualities: Any, epsilon: Any, sensitivity: Any = 1.0) -> Any:
    qualities = np.asarray(qualities)
    q = qualities - qualities.max()
    p = np.exp(0.5 * epsilon / sensitivity * q)
    for i in np.random.permutation(p.size):
        if np.random.rand() <= p[i]:
            return i
    return None


def _noise_scale(l1_sensitivity: Any, epsilon: Any) -> Any:
    return l1_sensitivity / epsilon


def marginals(data: Any, epsilon: Any) -> Any:
    counts = np.bincount(data, minlength=3)
    return counts + np.random.laplace(0.0, _noise_scale(2.0, epsilon), counts.size)


# --- As Programming Differential Privacy has them


def _laplace_mech(v: Any, sensitivity: Any, epsilon: Any) -> Any:
    return v + np.random.laplace(loc=0, scale=sensitivity / epsilon)


def _votes(data: Any, option: Any) -> Any:
    return sum(1 for row in data if row == option)


def exponential(x: Any, epsilon: Any, sensitivity: Any = 1) -> Any:
    options = [0, 1, 2]
    scores = [_votes(x, r) for r in options]
    probabilities: Any = [np.exp(epsilon * score / (2 * sensitivity)) for score in scores]
    probabilities = probabilities / np.linalg.norm(probabilities, ord=1)
    return np.random.choice(options, 1, p=probabilities)[0]


def report_noisy_max(x: Any, epsilon: Any) -> Any:
    options = [0, 1, 2]
    noisy_scores = [_laplace_mech(_votes(x, r), 1, epsilon) for r in options]
    return options[np.argmax(noisy_scores)]


def above_threshold(data: Any, epsilon: Any, threshold: Any = 1) -> Any:
    noisy_threshold = threshold + np.random.laplace(loc=0, scale=2 / epsilon)
    for idx, query in enumerate(data):
        if query + np.random.laplace(loc=0, scale=4 / epsilon) >= noisy_threshold:
            return idx
    return None


def sparse(data: Any, epsilon: Any, c: int = 2) -> Any:
    idxs: list[int] = []
    pos = 0
    while pos < len(data) and len(idxs) < c:
        found = above_threshold(data[pos:], epsilon / c)
        if found is None:
            return idxs
        pos = found + pos
        idxs.append(pos)
        pos += 1
    return idxs


def rand_resp_sales(response: bool) -> Any:
    if np.random.randint(0, 2) == 0:
        return response
    return np.random.randint(0, 2) == 0


def _perturb_bit(bit: int, p: float = 0.75, q: float = 0.25) -> int:
    sample = np.random.random()
    if bit == 1:
        return 1 if sample <= p else 0
    return 1 if sample <= q else 0


def perturb(encoded_response: Any) -> Any:
    return [_perturb_bit(b) for b in encoded_response]


# --- As diffprivlib has them


def binary(indicator: int, epsilon: Any) -> int:
    unif = random.random() * (np.exp(epsilon) + 1)
    return 1 - indicator if unif > np.exp(epsilon) else indicator


def exponential_by_intervals(utilities: Any, epsilon: Any, sensitivity: Any = 1.0) -> Any:
    largest = max(utilities)
    weights = [exp(epsilon * (u - largest) / (2 * sensitivity)) for u in utilities]
    total = sum(weights)
    rand, so_far = random.random(), 0.0
    for i, weight in enumerate(weights):
        so_far += weight / total
        if rand <= so_far:
            return i
    return len(weights) - 1


def geometric(value: int, epsilon: Any) -> Any:
    p = 1 - np.exp(-epsilon)
    return value + np.random.geometric(p) - np.random.geometric(p)


def uniform_delta(value: int, delta: Any) -> Any:
    return value + np.random.uniform(-0.5, 0.5) / delta


def permute_and_flip_of_a_list(utilities: Any, epsilon: Any) -> Any:
    candidates = list(range(len(utilities)))
    random.shuffle(candidates)
    best = max(utilities)
    for i in candidates:
        if random.random() < exp(epsilon * (utilities[i] - best) / 2):
            return i
    return None


def folded_coin(flag: int) -> int:
    return flag if random.random() < COIN + COIN / 2 else 1 - flag


# --- As data scientists write them


def counts_by_loop(values: Any, epsilon: Any = 1.0) -> Any:
    counts = np.zeros(3, dtype=np.float64)
    for value in values:
        counts[value] += 1.0
    return (counts + np.random.laplace(0.0, 1.0 / epsilon, size=3)).tolist()


def sum_and_count(incomes: Any, epsilon: Any, top: float = 4.0) -> Any:
    clipped = np.clip(np.array(incomes, dtype=float), 0.0, top)
    half = epsilon / 2
    total = clipped.sum() + np.random.laplace(0.0, top / half)
    count = len(clipped) + np.random.laplace(0.0, 1 / half)
    return {"sum": total, "count": count, "mean": total / count}


def histogram_of_replaced_rows(values: Any, epsilon: Any = 1.0) -> Any:
    found, _ = np.histogram(values, bins=3, range=(0.0, 3.0))
    return [h + np.random.laplace(0.0, 1.0 / epsilon) for h in found]


def location_in_place_of_scale(scores: Any, epsilon: Any) -> Any:
    return 2.0 * len(scores) + np.sum(scores) + np.random.laplace(2.0 / epsilon)


def keys_of_the_data(cities: Any, epsilon: Any = 1.0) -> Any:
    found, counts = np.unique(cities, return_counts=True)
    return {str(c): n / 1.0 + np.random.laplace(0.0, 2.0 / epsilon) for c, n in zip(found, counts, strict=True)}


class Case(NamedTuple):
    """A function, the domain that it is tried on by name, its claim, and what is right."""

    function: Callable[..., Any]
    domain: str
    claim: Any
    status: str
    epsilon: str | None
    """The first digits of the tight ε; None where there is none."""


CASES: Iterable[Case] = (
    Case(largest_place, "scores", 1, "PROVED", "0.85327"),
    Case(largest_value, "scores", 1, "REFUTED", "1.5"),
    Case(largest_place_exponential, "scores", 1, "PROVED", "1"),
    Case(largest_value_exponential, "scores", 1, "REFUTED", None),
    Case(first_bin, "scores", 1, "PROVED", "1"),
    Case(first_bin_scale_inverted, "scores", 1, "PROVED", "1"),
    Case(sparse_vector, "scores", 1, "PROVED", "0.614615"),
    Case(sparse_vector_without_noise, "scores", 1, "REFUTED", None),
    Case(sparse_vector_without_count, "scores", 1, "REFUTED", "1.15321"),
    Case(sparse_vector_wrong_scale, "scores", 1, "REFUTED", "1.56133"),
    Case(sparse_vector_with_values, "scores", 1, "REFUTED", "1.15321"),
    Case(by_gumbel_noise, "scores", 1, "PROVED", "0.763382"),
    Case(mean_of_private_count, "counted", 1, "REFUTED", None),
    Case(svt1, "bits", 1, "PROVED", "0.558825"),
    Case(svt2, "bits", 1, "PROVED", "0.558825"),
    Case(svt3, "bits", 1, "REFUTED", "1.5"),
    Case(svt4, "bits", 1, "REFUTED", "1.43630"),
    Case(svt5, "bits", 1, "REFUTED", None),
    Case(svt6, "bits", 1, "REFUTED", "1.07716"),
    Case(softmax_choice, "scores", 1, "PROVED", "0.763382"),
    Case(permute_and_flip, "scores", 1, "PROVED", "1"),
    Case(marginals, "rows", 1, "PROVED", "1"),
    Case(exponential, "rows", 1, "PROVED", "0.688711"),
    Case(report_noisy_max, "rows", 1, "REFUTED", "1.55567"),
    Case(above_threshold, "scores", 1, "PROVED", "0.614615"),
    Case(sparse, "scores", 1, "PROVED", "0.299604"),
    Case(rand_resp_sales, "truth", "ln 3", "PROVED", "1.098612"),
    Case(perturb, "one of three", "ln 9", "PROVED", "2.197224"),
    Case(binary, "bit", 1, "PROVED", "1"),
    Case(exponential_by_intervals, "scores", 1, "PROVED", "0.763382"),
    Case(geometric, "bit", 1, "PROVED", "1"),
    Case(permute_and_flip_of_a_list, "scores", 1, "PROVED", "1"),
    Case(counts_by_loop, "some rows", 1, "PROVED", "1"),
    Case(sum_and_count, "some rows", 1, "PROVED", "0.75"),
    Case(histogram_of_replaced_rows, "rows", 1, "REFUTED", "2"),
    Case(location_in_place_of_scale, "rows", 1, "REFUTED", "2"),
    Case(keys_of_the_data, "some rows", 1, "REFUTED", None),
    Case(folded_coin, "bit", "ln 3", "PROVED", "1.098612"),
)
