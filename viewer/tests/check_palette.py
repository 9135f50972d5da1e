#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks that the built-in colours are distinguishable with colour blindness and in grey prints.

usage: check_palette.py MODEL [NAME.color.cnf...], where MODEL is the folder of color.c and color_*.c

Simulates the three dichromacies with the matrices of Machado, Oliveira and Fernandes (2009). Prints
the smallest CIE 1976 colour distance for each. Fails if it is too small, or if tones are not ordered
by lightness.
"""
import itertools
import math
import re
import sys

LEAST_DISTANCE = 15.0  # of any two colours of the palette; about 2.3 is just noticeable side by side
LEAST_APART = 10.0  # of the two colours of what is not watched from each other and from all others
LEAST_PALE = 12.0  # of the pale colour of a rule from its strong ones, and from free space
LEAST_DIM = 7.0  # the same in the dark, where it is dim
DIM_LIGHT = 32  # percent, as in color.c
LEAST_STEP = 8.0  # of neighbours on the ramps of sizes, ages, severities and heats
PALE_INK = 25  # percent, as in color.c
LEAST_DARK = 12.0  # of any two colours in the dark, and from black
LEAST_DARK_STEP = 7.9  # of neighbours on ramps in the dark
LEAST_IN_THE_DARK = 15  # of lightness, as in page/theme.js
LEAST_IN_A_PICTURE = 61  # likewise, as in color.c
LEAST_LIGHTNESS = 12.0  # between the tones of one rule, in the lightness of CIE Lab

VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(rgb):
    """0xrrggbb -> light, three values from 0 to 1."""
    values = [(rgb >> shift & 0xFF) / 255 for shift in (16, 8, 0)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def lab(rgb, vision):
    """A colour in CIE Lab (D65) as seen with a kind of colour blindness."""
    light = linear(rgb)
    r, g, b = (min(1, max(0, sum(m * v for m, v in zip(row, light)))) for row in VISIONS[vision])
    xyz = (
        (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047,
        0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
        (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883,
    )
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def lightened(rgb):
    """A colour as the page shows it in the dark, see lighten() in page/theme.js."""
    lightness, a, b = lab(rgb, "normal")
    if lightness >= 2 * LEAST_IN_THE_DARK:
        return rgb
    y = (LEAST_IN_THE_DARK + lightness / 2 + 16) / 116
    xyz = [(v**3 if v**3 > 216 / 24389 else (116 * v - 16) * 27 / 24389) * white
           for v, white in ((y + a / 500, 0.95047), (y, 1), (y - b / 200, 1.08883))]
    rows = ((3.2404542, -1.5371385, -0.4985314), (-0.969266, 1.8760108, 0.041556), (0.0556434, -0.2040259, 1.0572252))
    light = [min(1, max(0, sum(m * v for m, v in zip(row, xyz)))) for row in rows]
    values = [12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in light]
    return sum(int(255 * v + 0.5) << shift for v, shift in zip(values, (16, 8, 0)))


def lifted(rgb):
    """A colour as a dark picture has it, see colors_themed() in color.c."""
    channels = [rgb >> shift & 0xFF for shift in (16, 8, 0)]
    lightness = sum(weight * channel for weight, channel in zip((213, 715, 72), channels)) // 1000
    more = max(0, LEAST_IN_A_PICTURE - lightness) // 2
    return sum(min(0xFF, channel + more) << shift for channel, shift in zip(channels, (16, 8, 0)))


def check_dark(lightened, sets, ramps):
    """Whether colours are bad in the dark, where free space is black, and dark colours are lighter."""
    bad = False
    for vision in VISIONS:
        for name, colours in sets.items():
            colours = sorted({lightened(c) for c in colours} - {0xFFFFFF}) + [0]
            least, pair = min((math.dist(lab(x, vision), lab(y, vision)), f"#{x:06x} #{y:06x}")
                              for x, y in itertools.combinations(colours, 2))
            print(f"dark {name} {vision}: {least:.1f} ({pair})")
            bad |= least < LEAST_DARK
        for name, colours in ramps.items():
            colours = [lightened(c) for c in colours]
            step, pair = min((math.dist(lab(x, vision), lab(y, vision)), f"#{x:06x} #{y:06x}")
                             for x, y in zip(colours, colours[1:]))
            print(f"dark {name} {vision}: {step:.1f} ({pair})")
            bad |= step < LEAST_DARK_STEP
    return bad


def colours_after(path, name):
    """The colours of the initialiser after a name in a C source."""
    with open(path, encoding="utf-8") as file:
        found = re.search(re.escape(name) + r".*?= \{(.*?)\};", file.read(), re.DOTALL)
    if not found:
        sys.exit(f"{path}: no {name}; expected an array of colours")
    return [int(c, 16) for c in re.findall(r"0x([0-9a-f]{6})", found[1])]


def colours_named(path, *names):
    """The values of these macros."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return [int(re.search(rf"#define {name} 0x([0-9a-f]{{6}})", text)[1], 16) for name in names]


def preset(path, names):
    """The rules of a color.cnf file: three colours each."""
    rules = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not words[0].startswith("#"):
                rules.append([int(w[1:], 16) if w.startswith("#") else names[w] for w in words[1:4]])
    return rules


def pale(strong, dark):
    """The colour of blocks that are not near a break, as color.c computes it."""
    channels = (((strong >> shift & 0xFF) + (dark >> shift & 0xFF)) // 2 for shift in (16, 8, 0))
    return sum(0xFF - (0xFF - channel) * PALE_INK // 100 << shift for channel, shift in zip(channels, (16, 8, 0)))


def check_pale(rules):
    """Whether the pale colour of a rule is too near to its strong ones, or to free space."""
    bad = False
    for _, strong, dark in rules:
        rest = pale(strong, dark)
        for vision in VISIONS:
            near, pair = nearest([rest, strong, dark], [(rest, strong), (rest, dark)], vision)
            free, _ = nearest([rest], [(rest, 0xFFFFFF)], vision)
            if min(near, free) < LEAST_PALE:
                print(f"{vision}: pale {near:.1f} ({pair}), from free space {free:.1f}")
                bad = True
            dim = sum((rest >> shift & 0xFF) * DIM_LIGHT // 100 << shift for shift in (16, 8, 0))
            bad |= min(math.dist(lab(dim, vision), lab(c, vision)) for c in (lifted(strong), lifted(dark), 0)) < LEAST_DIM
    return bad


def named_colours(path):
    """The names that color.cnf may use, and their colours."""
    with open(path, encoding="utf-8") as file:
        return {name: int(c, 16) for name, c in re.findall(r'\{ "([a-z-]+)", 0x([0-9a-f]{6}) \}', file.read())}


def check_preset(path, names):
    """Whether a preset is bad: two rules may share a colour, but different ones have to be distinguishable."""
    bad = check_pale(preset(path, names))
    colours = sorted({c for rule in preset(path, names) for c in rule} | {0xFFFFFF})
    for vision in VISIONS:
        least, pair = nearest(colours, itertools.combinations(colours, 2), vision)
        print(f"{path} {vision}: {least:.1f} ({pair})")
        bad |= least < LEAST_DISTANCE
    return bad


def nearest(colours, pairs, vision):
    """The smallest distance, and its pair of colours."""
    seen = {c: lab(c, vision) for c in [*colours, 0xFFFFFF]}
    return min((math.dist(seen[a], seen[b]), f"#{a:06x} #{b:06x}") for a, b in pairs)


def main():
    kind, default, size, age, severity, heat, header = (
        f"{sys.argv[1]}/color{part}" for part in ("_kind.c", ".c", "_size.c", "_age.c", "_severity.c", "_heat.c", ".h"))
    palette = colours_after(kind, "palette[][N_GIVEN_TONES]") + colours_after(default, "default_tones[N_GIVEN_TONES]")
    ramp = colours_after(size, "classes[]")
    ages = colours_after(age, "ages[]")
    severities = colours_after(severity, "severities[]")
    heats = colours_after(heat, "heats[]")
    unread, heats = heats[:2], heats[2:]
    greys = colours_named(header, "RGB_UNKNOWN", "RGB_NEUTRAL")
    others = colours_named(header, "RGB_OTHER", "RGB_NODES")
    left_out = colours_named(header, "RGB_LEFT_OUT")
    distinct = colours_after(default, "distinct[N_DISTINCT]") + greys
    bad = len(palette) % 3 or len(palette) < 18 or len(ramp) < 9 or len(ages) < 8 or len(distinct) < 15 or len(heats) < 6
    for vision in VISIONS:
        colours = palette + [0xFFFFFF]
        least, pair = nearest(colours, itertools.combinations(colours, 2), vision)
        step, steps = nearest(ramp, zip(ramp, ramp[1:]), vision)
        print(f"{vision}: palette {least:.1f} ({pair}), ramp {step:.1f} ({steps})")
        bad |= least < LEAST_DISTANCE or step < LEAST_STEP
        colours = distinct + [0xFFFFFF]
        least, pair = nearest(colours, itertools.combinations(colours, 2), vision)
        step, steps = nearest(ages, zip(ages, ages[1:]), vision)
        # a fragment of unknown age is neutral, and no age may have a similar colour
        grey, like = nearest(ages + greys, itertools.product(ages, greys[1:]), vision)
        worse, worses = nearest(severities, zip(severities, severities[1:]), vision)
        paper, papers = nearest(severities, ((c, 0xFFFFFF) for c in severities), vision)
        print(f"{vision}: severity {worse:.1f} ({worses}), from free {paper:.1f} ({papers})")
        bad |= worse < LEAST_STEP or paper < LEAST_STEP
        # what is not read, and what no watched file has, are not on the scale
        warmer, warmers = nearest(heats, zip(heats, heats[1:]), vision)
        cold, colds = nearest(heats + unread, [*itertools.product(heats, unread), unread], vision)
        elsewhere = others + left_out
        out, outs = nearest(heats + unread + elsewhere, itertools.product(heats + unread, [*elsewhere, 0xFFFFFF]), vision)
        print(f"{vision}: heat {warmer:.1f} ({warmers}), from what is not read {cold:.1f} ({colds}), "
              f"from what is not watched {out:.1f} ({outs})")
        bad |= warmer < LEAST_STEP or cold < LEAST_DISTANCE or out < LEAST_APART
        print(f"{vision}: causes {least:.1f} ({pair}), ages {step:.1f} ({steps}), unknown age {grey:.1f} ({like})")
        bad |= least < LEAST_DISTANCE or step < LEAST_STEP or grey < LEAST_STEP
        all_colours = palette + distinct + others + [0xFFFFFF]
        apart, pair = nearest(all_colours, [(a, b) for a in others for b in all_colours if a != b], vision)
        print(f"{vision}: not watched {apart:.1f} ({pair})")
        bad |= apart < LEAST_APART
    bad |= check_pale(list(zip(*[iter(palette)] * 3)))
    for tones in zip(*[iter(palette)] * 3):
        grey = [lab(c, "normal")[0] for c in tones]
        gap = min(grey[0] - grey[1], grey[1] - grey[2])
        print("lightness " + " ".join(f"#{c:06x} {g:.0f}" for c, g in zip(tones, grey)))
        bad |= gap < LEAST_LIGHTNESS
    # "none" is grey, and the scale begins after it
    for scale in ramp, ages, severities[:0:-1], heats[::-1]:
        lightness = [lab(c, "normal")[0] for c in scale]
        bad |= lightness != sorted(lightness)
    names = named_colours(kind)
    presets = {path: {c for rule in preset(path, names) for c in rule} for path in sys.argv[2:]}
    for change in lightened, lifted:
        bad |= check_dark(change, {"palette": palette, "causes": distinct, **presets},
                          {"sizes": ramp, "ages": ages, "severity": severities, "heat": heats, "not read": unread})
    for path in presets:
        bad |= check_preset(path, names)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
