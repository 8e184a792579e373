"""Means with 95 % intervals, ratios of means, and Student's t, which the standard library does not have."""

import math


def _beta_fraction(a, b, x):
    """Returns the continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 400):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            c = 1.0 + numerator / c
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            result *= d * c
        if abs(d * c - 1.0) < 1e-14:
            break
    return result


def _beta(a, b, x):
    """Returns the regularised incomplete beta function."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, 1.0 - x) / b


def t_two_sided(t, degrees):
    """Returns the probability that |T| exceeds |t|."""
    return _beta(degrees / 2.0, 0.5, degrees / (degrees + t * t))


def t_quantile(degrees):
    """Returns the t that leaves 2.5 % on either side."""
    low, high = 0.0, 1e3
    for _ in range(100):
        middle = (low + high) / 2.0
        if t_two_sided(middle, degrees) > 0.05:
            low = middle
        else:
            high = middle
    return high


def mean(values):
    return math.fsum(values) / len(values)


def standard_error(values):
    """Returns the standard error of the mean; 0 for a single value, for which it is unknown."""
    n = len(values)
    if n < 2:
        return 0.0
    m = mean(values)
    return math.sqrt(math.fsum((v - m) ** 2 for v in values) / (n - 1) / n)


def half_width(values):
    """Returns half of the 95 % interval of the mean."""
    return t_quantile(len(values) - 1) * standard_error(values) if len(values) > 1 else 0.0


def ratio(ours, theirs):
    """Returns the ratio of two means and half of its relative 95 % interval; None if undefined."""
    a, b = mean(ours), mean(theirs)
    if a <= 0.0 or b <= 0.0:
        return None
    relative = math.hypot(standard_error(ours) / a, standard_error(theirs) / b)
    degrees = max(1, min(len(ours), len(theirs)) - 1)
    return a / b, t_quantile(degrees) * relative


def lean(ratios):
    """Tests whether the ratios deviate systematically. Returns their geometric mean, and the probability of
    a mean this far from 1 by chance (t-test of the logarithms); None for fewer than three ratios."""
    logs = [math.log(r) for r in ratios]
    if len(logs) < 3:
        return None
    m, error = mean(logs), standard_error(logs)
    if error == 0.0:
        return math.exp(m), 0.0 if m else 1.0
    return math.exp(m), t_two_sided(m / error, len(logs) - 1)
