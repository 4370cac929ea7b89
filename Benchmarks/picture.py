"""Draws how start and memory grow with the number of hosts: python3 Benchmarks/picture.py RESULT.json >docs/hosts.svg

RESULT.json is what `script/benchmark hosts --json RESULT.json` has written. Both axes are logarithmic.
"""

import json
import math
import sys

WIDTH, HEIGHT, LEFT, TOP, PANEL = 760, 330, 60, 50, 300
COLOURS = {"associated, without state": "#0b5c7a", "associated, with state": "#2a9d6f", "nginx": "#b3541e"}


def panel(x, title, unit, low, high, series):
    """One chart: its frame, a grid line for each power of ten, and a line for each series of (hosts, value)."""
    def place(hosts, value):
        return (x + (math.log10(hosts) - 1) / 4 * (PANEL - 20),
                TOP + 200 - (math.log10(value) - low) / (high - low) * 200)
    parts = [f'<text x="{x}" y="{TOP - 20}" font-weight="600">{title}</text>']
    for power in range(low, high + 1):
        y = place(10, 10 ** power)[1]
        parts.append(f'<path d="M{x} {y:.0f}h{PANEL - 20}" stroke="#8888" stroke-width="0.5"/>'
                     f'<text x="{x - 6}" y="{y + 4:.0f}" text-anchor="end">{10 ** power:g} {unit}</text>')
    for power in range(1, 6):
        parts.append(f'<text x="{place(10 ** power, 10 ** low)[0]:.0f}" y="{TOP + 220}" text-anchor="middle">'
                     f"{10 ** power:,}</text>")
    for name, points in series.items():
        line = " ".join("%.0f,%.0f" % place(hosts, max(value, 10 ** low)) for hosts, value in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        parts += ['<circle cx="%.0f" cy="%.0f" r="3" fill="%s"/>'
                  % (*place(hosts, max(value, 10 ** low)), COLOURS[name]) for hosts, value in points]
    return "".join(parts)


def main():
    results = {int(count): row for count, row in json.load(open(sys.argv[1]))["hosts"].items() if count.isdigit()}
    nginx = {count: row["nginx"] for count, row in results.items() if row["nginx"][0] != "–"}
    start = {"associated, without state": [(count, row["cold"]) for count, row in results.items()],
             "associated, with state": [(count, row["warm"]) for count, row in results.items()],
             "nginx": [(count, float(row[0])) for count, row in nginx.items()]}
    memory = {"associated, without state": [(count, row["MB cold"]) for count, row in results.items()],
              "associated, with state": [(count, row["MB warm"]) for count, row in results.items()],
              "nginx": [(count, float(row[1])) for count, row in nginx.items()]}
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
          'font-size="12" fill="#444"><rect width="100%" height="100%" fill="#fff"/>'
          + panel(LEFT + 10, "until the first HTTPS answer", "s", -2, 2, start)
          + panel(LEFT + PANEL + 80, "memory then", "MB", 0, 3, memory))
    for index, (name, colour) in enumerate(COLOURS.items()):
        print(f'<circle cx="{LEFT + 20 + 210 * index}" cy="{HEIGHT - 24}" r="5" fill="{colour}"/>'
              f'<text x="{LEFT + 30 + 210 * index}" y="{HEIGHT - 20}">{name}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
