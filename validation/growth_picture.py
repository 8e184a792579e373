"""The picture of the growth table: nanoseconds a data packet against the number of flows, both logarithmic, as SVG."""

import math
import statistics
from html import escape

import growth

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 44, 48
# The new program is dark and the old one light; delays that are spread have dashes.
COLOURS = {"old": "#c2410c", "new": "#1d4ed8"}
DASHES = {"alike": "", "spread": ' stroke-dasharray="6 4"'}
STEPS = (1, 2, 5)


def svg(points):
    """Returns the picture of `growth.measure`'s points."""
    curves = [(curve, name, measured) for curve, programs in points.items() for name, measured in programs.items()]
    costs = [value for _, _, measured in curves for point in measured for value in point.ns_packet]
    flows = [point.flows for point in curves[0][2]]
    across, up = scale(flows, LEFT, WIDTH - RIGHT), scale(bounds(costs), HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13" fill="#1f2937">',
        "<title>Nanoseconds of processor time for a data packet, by the number of flows</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="24" font-weight="bold">ns of processor time for a data packet</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">flows</text>',
        f'<text x="{WIDTH - RIGHT + 10}" y="24" fill="#6b7280">access links of</text>',
    ]
    for value in ticks(bounds(costs)):
        y = up(value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#e5e7eb"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:,.0f}</text>')
    for value in flows:
        parts.append(f'<text x="{across(value):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{value:,}</text>')
    labels = []
    for curve, name, measured in curves:
        colour = COLOURS.get(name, COLOURS["new"])
        for point in measured:
            x = across(point.flows)
            # the range of the rounds
            parts.append(f'<path d="M{x:.1f} {up(min(point.ns_packet)):.1f}V{up(max(point.ns_packet)):.1f}" stroke="{colour}"/>')
        places = [(across(point.flows), up(statistics.median(point.ns_packet))) for point in measured]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"{DASHES[curve]}/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        delay = growth.CURVES[curve].removeprefix("access links of ")
        labels.append([places[-1][1], f"{name}, {delay}" if len(points[curve]) > 1 else delay, colour])
    parts += [f'<text x="{WIDTH - RIGHT + 10}" y="{y + 4:.1f}" fill="{colour}">{escape(text)}</text>' for y, text, colour in apart(labels)]
    return "\n".join(parts) + "\n</svg>\n"


def scale(values, low, high):
    """Returns a function from a value to its place, logarithmic from the least to the greatest."""
    least, greatest = math.log(min(values)), math.log(max(values))
    span = (greatest - least) or 1.0
    return lambda value: low + (math.log(value) - least) / span * (high - low)


def bounds(values):
    """Returns the steps of 1, 2 or 5 below the least and above the greatest value."""
    marks = [step * 10.0**power for power in range(-3, 12) for step in STEPS]
    return [max(mark for mark in marks if mark <= min(values)), min(mark for mark in marks if mark >= max(values))]


def ticks(ends):
    marks = [step * 10.0**power for power in range(-3, 12) for step in STEPS]
    return [mark for mark in marks if ends[0] <= mark <= ends[1]]


def apart(labels):
    """Moves labels at the ends of curves down until they do not cover each other."""
    placed = []
    for y, *rest in sorted(labels):
        placed.append([max(y, placed[-1][0] + 16) if placed else y, *rest])
    return placed
