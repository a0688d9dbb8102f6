"""The loops behind pool-adjacent-violators and logistic regression, compiled; sums are added in index order.

The compiled kernels of the comparators, of the cosines and of S-norm; sums run in the order of the features.
"""

from typing import Any

import numpy as np

from idiograph.compiling import compiled
from idiograph.elementary import exp, log, log1p

_MOST_STEPS = 500


@compiled
def pool(same: Any, different: Any) -> Any:
    """The first place of each block that pool-adjacent-violators makes of counts in ascending order of score.

    A block's share of same-author trials must exceed that of the block before: s/n₁ : d/n₂ is compared by the products
    of counts, which are whole numbers and therefore exact.
    """
    starts = np.empty(len(same), np.int64)
    s, d = np.empty(len(same)), np.empty(len(same))
    n = 0
    for value in range(len(same)):
        starts[n], s[n], d[n] = value, same[value], different[value]
        n += 1
        while n > 1 and s[n - 2] * d[n - 1] >= s[n - 1] * d[n - 2]:
            s[n - 2] += s[n - 1]
            d[n - 2] += d[n - 1]
            n -= 1
    return starts[:n]


@compiled
def hulls(scores: Any, same: Any, different: Any, laplace: int) -> Any:
    """Of each row of counts the equal error rate, and the area between the LLRs of pool-adjacent-violators and scores.

    The error rate is where the ROC convex hull meets the diagonal of equal errors. The area comes in parts, one between
    two scores whose LLRs are finite, with their number and the range of these scores; of one such score alone the part
    is the distance, and the range 1. With `laplace` a trial of each class, without a score, stands at either end; then
    there is no area.
    """
    n_rows, most = same.shape
    rates, areas = np.empty(n_rows), np.zeros((n_rows, most))
    n_areas, ranges = np.zeros(n_rows, np.int64), np.ones(n_rows)
    s, d, x = np.ones(most + 2), np.ones(most + 2), np.zeros(most + 2)
    for row in range(n_rows):
        n, n_same, n_different = laplace, 0.0, 0.0
        s[0], d[0] = 1.0, 1.0
        for value in range(most):
            if same[row, value] + different[row, value] > 0:
                s[n], d[n], x[n] = same[row, value], different[row, value], scores[value]
                n_same += s[n]
                n_different += d[n]
                n += 1
        s[n], d[n] = 1.0, 1.0
        n += laplace
        starts = pool(s[:n], d[:n])
        of_same, of_different = np.zeros(len(starts)), np.zeros(len(starts))
        all_same, all_different = 0.0, 0.0
        for block in range(len(starts)):
            for value in range(starts[block], starts[block + 1] if block + 1 < len(starts) else n):
                of_same[block] += s[value]
                of_different[block] += d[value]
            of_same[block] /= n_same
            of_different[block] /= n_different
            all_same += of_same[block]
            all_different += of_different[block]
        # Where the share of missed trials passes that of accepted ones, between two corners of the hull.
        missed, gap, up_to_same, up_to_different = 0.0, -1.0, 0.0, 0.0
        for block in range(len(starts)):
            up_to_same += of_same[block]
            up_to_different += of_different[block]
            new_missed = up_to_same / all_same
            new_gap = new_missed - (1.0 - up_to_different / all_different)
            if new_gap >= 0.0:
                rates[row] = missed + -gap / (new_gap - gap) * (new_missed - missed)
                break
            missed, gap = new_missed, new_gap
        n_finite, first_x, last_x, left = 0, 0.0, 0.0, 0.0
        for block in range(0 if laplace else len(starts)):
            nats = log(of_same[block]) - log(of_different[block])
            if not np.isfinite(nats):
                continue
            for value in range(starts[block], starts[block + 1] if block + 1 < len(starts) else n):
                right = nats - x[value]
                if n_finite == 0:
                    first_x, areas[row, 0] = x[value], abs(right)
                else:
                    # Where the line crosses the identity the area is two triangles, else one trapezium.
                    span = abs(left) + abs(right)
                    height = (left * left + right * right) / (2 * span) if left * right < 0 else span / 2
                    areas[row, n_finite - 1] = (x[value] - last_x) * height
                last_x, left = x[value], right
                n_finite += 1
        n_areas[row] = max(n_finite - 1, min(n_finite, 1))
        if n_finite > 1:
            ranges[row] = last_x - first_x
    return rates, areas, n_areas, ranges


@compiled
def maxima(x: Any, targets: Any, weights: Any, start_a: float, start_b: float) -> Any:
    """a and b of the largest Σ w·(t·ln p + (1 − t)·ln(1 − p)), p = 1/(1 + exp(−(a + b·x))), and the steps to it.

    One row of `weights` each; Newton's method with halved steps. Not a number where none was reached.
    """
    found_a, found_b = np.empty(len(weights)), np.empty(len(weights))
    n_steps = np.zeros(len(weights), np.int64)
    information = np.empty(len(x))
    for row in range(len(weights)):
        w = weights[row]
        a, b = start_a, start_b
        cost, step_a, step_b = newton(x, targets, w, a, b, information, True)
        while n_steps[row] < _MOST_STEPS and abs(step_a) + abs(step_b) > 1e-5 * (1.0 + abs(a) + abs(b)):
            size = 1.0
            new_cost, next_a, next_b = newton(x, targets, w, a - step_a, b - step_b, information, True)
            while new_cost > cost and size > 1e-9:
                size /= 2.0
                new_cost, next_a, next_b = newton(
                    x, targets, w, a - size * step_a, b - size * step_b, information, True
                )
            a, b = a - size * step_a, b - size * step_b
            cost, step_a, step_b = new_cost, next_a, next_b
            n_steps[row] += 1
        if n_steps[row] == _MOST_STEPS:
            a = b = np.nan
        # Here convergence is quadratic and the cost too flat to compare: two whole steps reach the last digits.
        for _ in range(2):
            _, step_a, step_b = newton(x, targets, w, a, b, information, False)
            a, b = a - step_a, b - step_b
        found_a[row], found_b[row] = a, b
    return found_a, found_b, n_steps


@compiled
def newton(x: Any, targets: Any, weights: Any, a: float, b: float, information: Any, costed: bool) -> Any:
    """The cost at (a, b), where it is `costed`, and Newton's step in a and in b. `information` is room to work in."""
    cost = total = first = g0 = g1 = 0.0
    for i in range(len(x)):
        eta = a + b * x[i]
        small = exp(-abs(eta))
        p = (1.0 if eta >= 0.0 else small) / (1.0 + small)
        if costed:
            cost += weights[i] * (max(eta, 0.0) + log1p(small) - targets[i] * eta)
        slack = weights[i] * (p - targets[i])
        information[i] = weights[i] * (small / ((1.0 + small) * (1.0 + small)))
        total += information[i]
        first += information[i] * x[i]
        g0 += slack
        g1 += slack * x[i]
    # A step that overshot may leave no information at all; its cost tells, and it is halved.
    # Around the mean of the information the 2 × 2 system falls apart into two equations, without cancellation.
    mean = first / total
    around = 0.0
    for i in range(len(x)):
        around += information[i] * (x[i] - mean) * (x[i] - mean)
    step_b = (g1 - mean * g0) / around
    return cost, g0 / total - mean * step_b, step_b


BREAK = -1
MIX_MASK = (1 << 40) - 1  # times a million, and a product still fits into 64 bits


@compiled
def by_appearance(characters: Any, n: int) -> Any:
    """The number of the n-gram that starts at each character (−1: a break is in it), and where each first starts.

    Numbers are given in order of appearance. A table of slots finds an n-gram again; its characters are compared, so
    none is taken for another.
    """
    size = 1024
    while size < 2 * len(characters):
        size *= 2
    slots = np.full(size, -1, np.int32)
    numbers = np.full(len(characters), -1, np.int32)
    firsts = np.empty(len(characters), np.int64)
    n_ids = 0
    unbroken = 0
    for end in range(len(characters)):
        unbroken = 0 if characters[end] == BREAK else unbroken + 1
        if unbroken < n:
            continue
        start = end - n + 1
        mixed = 0
        for at in range(start, end + 1):
            mixed = (mixed * 1_000_003 + int(characters[at])) & MIX_MASK
        slot = (mixed ^ (mixed >> 20)) & (size - 1)
        while slots[slot] >= 0:
            first = firsts[slots[slot]]
            same = True
            for i in range(n):
                if characters[first + i] != characters[start + i]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = n_ids
            firsts[n_ids] = start
            n_ids += 1
        numbers[start] = slots[slot]
    return numbers, firsts[:n_ids].copy()


@compiled
def count_texts(numbers: Any, text_starts: Any, n_ids: int) -> Any:
    """Counts of each text's n-grams, in order of appearance in it: where each text's begin, their numbers and times,
    and how many n-grams each text has."""
    n_texts = len(text_starts) - 1
    starts = np.zeros(n_texts + 1, np.int64)
    totals = np.zeros(n_texts, np.int64)
    ids = np.empty(len(numbers), np.int64)
    times = np.empty(len(numbers), np.int64)
    met = np.full(n_ids, -1, np.int64)
    n = 0
    for text in range(n_texts):
        for at in range(text_starts[text], text_starts[text + 1]):
            number = numbers[at]
            if number < 0:
                continue
            totals[text] += 1
            if met[number] < starts[text]:
                met[number] = n
                ids[n] = number
                times[n] = 0
                n += 1
            times[met[number]] += 1
        starts[text + 1] = n
    return starts, ids[:n].copy(), times[:n].copy(), totals


@compiled
def summed_shares(starts: Any, ids: Any, times: Any, totals: Any, n_ids: int) -> Any:
    """Σ over the texts, in order, of each n-gram's share of a text's n-grams."""
    summed = np.zeros(n_ids)
    for text in range(len(totals)):
        for at in range(starts[text], starts[text + 1]):
            summed[ids[at]] += times[at] / totals[text]
    return summed


@compiled
def min_max_distance(left: Any, right: Any, features: Any) -> float:
    """1 − Σ min(x, y) / Σ max(x, y) over some features; 1 where neither has any of them."""
    least, most = 0.0, 0.0
    for feature in features:
        x, y = left[feature], right[feature]
        least += min(x, y)
        most += max(x, y)
    return 1.0 - least / most if most > 0.0 else 1.0


@compiled
def distances(text: Any, others: Any) -> Any:
    """The min-max distance of one row, over all features, to each of others."""
    features = np.arange(len(text))
    apart = np.empty(len(others))
    for row in range(len(others)):
        apart[row] = min_max_distance(text, others[row], features)
    return apart


@compiled
def ranks(q: Any, known: Any, pool: Any, features: Any, impostors: Any) -> Any:
    """The rank of a known text by its distance to Q among the impostors of each round; of equals the highest."""
    rank = np.ones(len(features), np.int64)
    for turn in range(len(features)):
        of_k = min_max_distance(q, known, features[turn])
        for impostor in impostors[turn]:
            rank[turn] += min_max_distance(q, pool[impostor], features[turn]) <= of_k
    return rank


@compiled
def rounds_won(q: Any, known: Any, pool: Any, features: Any, impostors: Any) -> int:
    """In how many rounds the text nearest to Q is a known one, and no impostor is as near."""
    won = 0
    for turn in range(len(features)):
        of_k = 1.0
        for row in range(len(known)):
            of_k = min(of_k, min_max_distance(q, known[row], features[turn]))
        nearest = True
        for impostor in impostors[turn]:
            if min_max_distance(q, pool[impostor], features[turn]) <= of_k:
                nearest = False
                break
        won += nearest
    return won


@compiled
def backed_off(numbers: Any, model_start: int, model_end: int, start: int, end: int, n_ids: Any) -> Any:
    """P of each character of a text after at most 5 others, by the counts of another; 0 where that never had it.

    Row n of `numbers` has the number of the (n + 1)-gram that starts at each place of both texts. The longest context
    after which the character was seen decides: its count there by that of the context with anything behind it.
    """
    order = len(numbers) - 1
    counts = np.zeros((order + 1, n_ids.max()), np.int64)
    followed = np.zeros((order + 1, n_ids.max()), np.int64)
    for n in range(order + 1):
        for at in range(model_start, model_end):
            number = numbers[n, at]
            if number >= 0:
                counts[n, number] += 1
                if at + n + 1 < model_end:
                    followed[n, number] += 1
    probs = np.zeros(end - start)
    for at in range(start, end):
        for n in range(min(at - start, order), -1, -1):
            number = numbers[n, at - n]
            if counts[n, number] > 0:
                context = model_end - model_start if n == 0 else followed[n - 1, numbers[n - 1, at - n]]
                probs[at - start] = counts[n, number] / context
                break
    return probs


@compiled
def normed(scores: Any, pairs: Any, after: Any, reference: Any, weights: Any) -> Any:
    """See `matrix.s_norms`; the reference author `after` a trial is not in its cohort. Not a number: a spread of 0."""
    result = np.zeros(len(pairs))
    for cell in range(len(pairs)):
        b, a = pairs[cell, 0], pairs[cell, 1]
        x = scores[b, a]
        for by_column in range(2):
            n, summed = 0.0, 0.0
            for member in range(len(reference)):
                i = reference[member]
                if i != a and i != b and i != after[cell]:
                    n += weights[member]
                    summed += weights[member] * (scores[i, a] if by_column else scores[b, i])
            middle = summed / n
            squares = 0.0
            for member in range(len(reference)):
                i = reference[member]
                if i != a and i != b and i != after[cell]:
                    away = (scores[i, a] if by_column else scores[b, i]) - middle
                    squares += weights[member] * away * away
            spread = np.sqrt(squares / (n - 1.0))
            if spread > 0.0:
                result[cell] += 0.5 * (x - middle) / spread
            elif x != middle:
                result[cell] = np.nan
    return result


@compiled
def cosines(
    starts: Any,
    ids: Any,
    weights: Any,
    n_ids: int,
    q_authors: Any,
    versions: Any,
    is_reference: Any,
    after: Any,
    idf: Any,
    unseen: bool,
) -> Any:
    """See `cosine.weighted_cosines`; row n and column df of `idf` hold a weight; sums run in the order of n-grams."""
    n_qs, n_ks = len(q_authors), len(is_reference)
    result = np.zeros((n_qs, n_ks))
    df = np.zeros(n_ids, np.int64)
    of_k = np.zeros(n_ids)
    n = 0
    for j in range(n_ks):
        if is_reference[j]:
            n += 1
            change(df, ids, starts, n_qs + j, 1)
    for row in range(n_qs):
        b = q_authors[row]
        without = b >= 0 and is_reference[b]  # Q's author is in no cohort
        if without:
            n -= 1
            change(df, ids, starts, n_qs + b, -1)
        for a in range(n_ks):
            is_apart = a == b or not is_reference[a]
            dropped = after[row] if a == b else -1
            if is_apart:
                n += 1
                change(df, ids, starts, n_qs + a, 1)
            if dropped >= 0 and dropped != a:
                n -= 1
                change(df, ids, starts, n_qs + dropped, -1)
            q_norm, k_norm, shared = 0.0, 0.0, 0.0
            for at in range(starts[n_qs + a], starts[n_qs + a + 1]):
                weight = weights[at] * idf[n, df[ids[at]]]
                of_k[ids[at]] = weight
                k_norm += weight * weight
            q = versions[row, a]
            for at in range(starts[q], starts[q + 1]):
                if unseen or df[ids[at]] > 0:
                    weight = weights[at] * idf[n, df[ids[at]]]
                    q_norm += weight * weight
                    shared += weight * of_k[ids[at]]
            if shared > 0.0:
                result[row, a] = shared / np.sqrt(q_norm * k_norm)
            for at in range(starts[n_qs + a], starts[n_qs + a + 1]):
                of_k[ids[at]] = 0.0
            if is_apart:
                n -= 1
                change(df, ids, starts, n_qs + a, -1)
            if dropped >= 0 and dropped != a:
                n += 1
                change(df, ids, starts, n_qs + dropped, 1)
        if without:
            n += 1
            change(df, ids, starts, n_qs + b, 1)
    return result


@compiled
def change(df: Any, ids: Any, starts: Any, text: int, by: int) -> None:
    """Counts a text in, or out again."""
    for at in range(starts[text], starts[text + 1]):
        df[ids[at]] += by


@compiled
def typical(
    ids: Any, times: Any, rest: Any, n_k: int, n_rest: int, first: Any, last: Any, most: int, begun: Any, ended: Any
) -> Any:
    """See `phrases.typical_of`: those of one length by p_K·ln(p_K/p_rest); `begun` and `ended` come back clear."""
    worth, able = np.empty(len(ids)), np.empty(len(ids), np.int64)
    n = 0
    for at in range(len(ids)):
        if times[at] >= 2:
            p_k, p_rest = times[at] / n_k, (rest[ids[at]] + 1) / max(n_rest, 1)
            able[n], worth[n] = ids[at], -p_k * log(p_k / p_rest)
            n += 1
    taken = np.empty(min(most, n), np.int64)
    n_taken = 0
    for at in np.argsort(worth[:n], kind="mergesort"):
        if n_taken == len(taken):
            break
        phrase = able[at]
        # The end of one is the start of the other.
        if not ended[first[phrase]] and not begun[last[phrase]]:
            taken[n_taken] = phrase
            n_taken += 1
            begun[first[phrase]], ended[last[phrase]] = True, True
    for phrase in taken[:n_taken]:
        begun[first[phrase]], ended[last[phrase]] = False, False
    return taken[:n_taken]


@compiled
def without_phrases(
    row: int, b: int, after: int, phrases: Any, ngrams: Any, is_reference: Any, rest: Any, df: Any, n_rest: Any,
    ngram_df: Any, n_cohort: int, tf_weights: Any, idf: Any, most: int,
) -> Any:  # fmt: skip
    """See `phrases.without_phrases`: what is left out of one Q with each K, and both cosines of what is left.

    `rest`, `df` and `n_rest` have the phrases of the reference's Ks, `ngram_df` their n-grams; all come back as they
    were. What is left out is 1 where a token is in a listed phrase, 2 where in one that K alone has, 3 where in both.
    """
    ending, edges, of_length, first, last, starts, ids, times = phrases
    event_ids, event_edges, token_of, n_starts, n_ids, n_times = ngrams
    n_ks, n_qs = len(is_reference), len(edges) - 1
    q_first, q_last = edges[row], edges[row + 1]
    left_out = np.zeros((n_ks, q_last - q_first), np.uint8)
    cosines = np.zeros((2, n_ks))
    begun, ended = np.zeros(len(first), np.bool_), np.zeros(len(first), np.bool_)
    listed, in_k = np.zeros(len(first), np.bool_), np.zeros(len(first), np.bool_)
    of_k, left = np.zeros(len(ngram_df)), np.zeros(len(ngram_df), np.int64)
    for a in range(n_ks):
        # Out of the cohort: the author of Q, that of K, and where they are one also whoever follows.
        out = np.array([b, -1 if a == b else a, after if a == b and after != b else -1])
        for author in out:
            if author >= 0 and author < n_ks and is_reference[author]:
                n_cohort -= 1
                count_phrases(author, starts, ids, times, of_length, rest, df, n_rest, -1)
                change(ngram_df, n_ids, n_starts, n_qs + author, -1)
        for at in range(starts[a], starts[a + 1]):
            in_k[ids[at]] = True
        for length in range(3, 6):
            low = starts[a] + np.searchsorted(ids[starts[a] : starts[a + 1]], of_length[length])
            high = starts[a] + np.searchsorted(ids[starts[a] : starts[a + 1]], of_length[length + 1])
            n_k = 0
            for at in range(low, high):
                n_k += times[at]
            typical_phrases = typical(
                ids[low:high], times[low:high], rest, n_k, n_rest[length], first, last, most, begun, ended
            )
            for phrase in typical_phrases:
                listed[phrase] = True
        flags = left_out[a]
        for token in range(q_first, q_last):
            for length in range(3, 6):
                phrase = ending[length - 1, token]
                if phrase < 0:
                    break
                code = 1 if listed[phrase] else 0
                if length == 3 and in_k[phrase] and df[phrase] <= 1:
                    code |= 2
                if code:
                    for covered in range(token - length + 1, token + 1):
                        flags[covered - q_first] |= code
        # The cosines, by the n-grams of the cohort's Ks and of K.
        change(ngram_df, n_ids, n_starts, n_qs + a, 1)
        k_norm = 0.0
        for at in range(n_starts[n_qs + a], n_starts[n_qs + a + 1]):
            weight = tf_weights[n_times[at] - 1] * idf[n_cohort + 1, ngram_df[n_ids[at]]]
            of_k[n_ids[at]] = weight
            k_norm += weight * weight
        for kind in range(2):
            mask = 1 if kind == 0 else 3
            for event in range(event_edges[row], event_edges[row + 1]):
                for length in range(1, 4):
                    ngram = event_ids[length - 1, event]
                    if ngram < 0:
                        break
                    token = token_of[event - length + 1]
                    if token >= 0 and flags[token - q_first] & mask:
                        break  # and in whatever is longer
                    left[ngram] += 1
            q_norm, shared = 0.0, 0.0
            for at in range(n_starts[row], n_starts[row + 1]):
                ngram = n_ids[at]
                if left[ngram] and ngram_df[ngram] > 0:
                    weight = tf_weights[left[ngram] - 1] * idf[n_cohort + 1, ngram_df[ngram]]
                    q_norm += weight * weight
                    shared += weight * of_k[ngram]
                left[ngram] = 0
            if shared > 0.0:
                cosines[kind, a] = shared / np.sqrt(q_norm * k_norm)
        for at in range(n_starts[n_qs + a], n_starts[n_qs + a + 1]):
            of_k[n_ids[at]] = 0.0
        change(ngram_df, n_ids, n_starts, n_qs + a, -1)
        listed[:] = False
        for at in range(starts[a], starts[a + 1]):
            in_k[ids[at]] = False
        for author in out:
            if author >= 0 and author < n_ks and is_reference[author]:
                n_cohort += 1
                count_phrases(author, starts, ids, times, of_length, rest, df, n_rest, 1)
                change(ngram_df, n_ids, n_starts, n_qs + author, 1)
    return left_out, cosines


@compiled
def count_phrases(
    text: int, starts: Any, ids: Any, times: Any, of_length: Any, rest: Any, df: Any, n_rest: Any, by: int
) -> None:
    """Counts the phrases of a text in, or out again."""
    length = 1
    for at in range(starts[text], starts[text + 1]):
        while ids[at] >= of_length[length + 1]:
            length += 1
        rest[ids[at]] += by * times[at]
        df[ids[at]] += by
        n_rest[length] += by * times[at]
