"""The drawing kit: small functions that return pieces of SVG, in one palette and one style.

Every picture is 200 units wide and high. A piece is a string; pieces are joined by `scene`.
This file knows nothing of phrases, roles or captions.
"""

from __future__ import annotations

import math

INK, WHITE, GREY, LIGHT, DARK = "#2f3542", "#ffffff", "#98a1ab", "#dbe0e5", "#565f6b"
RED, ORANGE, YELLOW, GREEN, FOREST = "#d6504b", "#ef9a48", "#f4c84f", "#66ad7c", "#3b7657"
BLUE, NAVY, SKY, TEAL, PURPLE = "#4580c2", "#2c466e", "#9fcdea", "#459a9c", "#8568ad"
PINK, BROWN, TAN, SAND, BLUSH = "#e590a1", "#87573a", "#c8986a", "#ead09d", "#f6dfd0"
PALE, FAIR, OLIVE, DEEP = "#f3cba8", "#e2ab7d", "#b07a50", "#7c4c30"
GROUNDS = {
    "grass": "#8cbf80",
    "floor": "#cfa67c",
    "snow": "#f4f8fb",
    "sand": "#ecd6a4",
    "sea": "#5f9fce",
    "street": "#a7adb5",
    "stage": "#7b5344",
    "tiles": "#b9c6cf",
}
TINT = "{tint}"  # filled in by build.py: the colour of the sky or the wall


def n(value: float) -> str:
    """A number as short as it can be written with one decimal."""
    return f"{value:.1f}".rstrip("0").rstrip(".") or "0"


def rect(x: float, y: float, w: float, h: float, fill: str, r: float = 0) -> str:
    rounded = f' rx="{n(r)}"' if r else ""
    return f'<rect x="{n(x)}" y="{n(y)}" width="{n(w)}" height="{n(h)}" fill="{fill}"{rounded}/>'


def circle(x: float, y: float, r: float, fill: str) -> str:
    return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(r)}" fill="{fill}"/>'


def oval(x: float, y: float, rx: float, ry: float, fill: str) -> str:
    return f'<ellipse cx="{n(x)}" cy="{n(y)}" rx="{n(rx)}" ry="{n(ry)}" fill="{fill}"/>'


def shape(d: str, fill: str) -> str:
    return f'<path d="{d}" fill="{fill}"/>'


def stroke(d: str, colour: str = INK, w: float = 3) -> str:
    return (
        f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{n(w)}" '
        'stroke-linecap="round" stroke-linejoin="round"/>'
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str = INK, w: float = 3) -> str:
    return stroke(f"M{n(x1)} {n(y1)}L{n(x2)} {n(y2)}", colour, w)


def polygon(points: list[tuple[float, float]], fill: str) -> str:
    return f'<polygon points="{" ".join(f"{n(x)},{n(y)}" for x, y in points)}" fill="{fill}"/>'


def group(
    *parts: str, x: float = 0, y: float = 0, s: float = 1, turn: float = 0, flip: bool = False
) -> str:
    """Pieces moved to (x, y), turned, scaled and perhaps mirrored."""
    moves = [f"translate({n(x)} {n(y)})"] if x or y else []
    moves += [f"rotate({n(turn)})"] if turn else []
    if flip:
        moves.append(f"scale({-s:.3g} {s:.3g})")
    elif s != 1:
        moves.append(f"scale({s:.3g})")
    return f'<g transform="{"".join(moves)}">{"".join(parts)}</g>'


def scene(*parts: str, ground: str = "", horizon: float = 150, sky: str = TINT) -> str:
    """A whole picture: sky or wall, ground or floor, and what stands on it."""
    floor = rect(0, horizon, 200, 200 - horizon, GROUNDS[ground]) if ground else ""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200">'
        f"{rect(0, 0, 200, 200, sky)}{floor}{''.join(parts)}</svg>\n"
    )


# ---------------------------------------------------------------- people

EYES = {"asleep": "line", "happy": "arc", "yawn": "line"}
MOUTHS = {
    "smile": "M-5 4.5Q0 9.5 5 4.5",
    "happy": "",
    "sad": "M-4.5 8Q0 3.5 4.5 8",
    "worried": "M-4 7Q-2 4.5 0 7Q2 9 4 6.5",
    "angry": "M-4.5 8Q0 4 4.5 8",
    "plain": "M-4 6.5L4 6.5",
    "asleep": "M-3 6.5Q0 8.5 3 6.5",
}
BROWS = {
    "angry": "M-8 -6L-2.5 -3.2M8 -6L2.5 -3.2",
    "worried": "M-8 -4L-3 -6.5M8 -4L3 -6.5",
    "sad": "M-8 -4L-3 -6M8 -4L3 -6",
    "surprised": "M-7.5 -7Q-5 -9 -2.5 -7M2.5 -7Q5 -9 7.5 -7",
}


def features(face: str, look: float) -> str:
    """Eyes, brows and mouth; `look` moves them to the side the head is turned to."""
    eyes = EYES.get(face, "dot")
    if eyes == "line":
        parts = [stroke("M-7 0Q-4.5 2 -2.5 0M2.5 0Q4.5 2 7 0", INK, 1.5)]
    elif eyes == "arc":
        parts = [stroke("M-7 0Q-4.7 -3.4 -2.5 0M2.5 0Q4.7 -3.4 7 0", INK, 1.6)]
    else:
        parts = [circle(-4.6, -0.5, 1.7, INK), circle(4.6, -0.5, 1.7, INK)]
    if face in BROWS:
        parts.append(stroke(BROWS[face], INK, 1.6))
    if face == "happy":
        parts.append(shape("M-5.5 3.5H5.5Q4.5 9.5 0 9.5Q-4.5 9.5 -5.5 3.5Z", "#8c3333"))
    elif face in ("surprised", "shout", "yawn"):
        rx, ry = {"surprised": (2.6, 3.2), "shout": (4.4, 3.8), "yawn": (4, 5)}[face]
        parts.append(oval(0, 6.8, rx, ry, "#8c3333"))
    else:
        parts.append(stroke(MOUTHS[face], INK, 1.7))
    return group(*parts, x=look * 4)


def hairdo(style: str, hair: str) -> tuple[str, str]:
    """What lies behind the head, and what lies over it."""
    crown = shape("M-13.6 1A13.6 13.6 0 1 1 13.6 1Q11 -6 3 -7.5Q-8 -8 -13.6 1Z", hair)
    if style == "long":
        return rect(-15, -9, 30, 30, hair, 12), crown
    if style == "bun":
        return circle(0, -16, 7, hair), crown
    if style == "tails":
        return oval(-16, 4, 5, 10, hair) + oval(16, 4, 5, 10, hair), crown
    if style == "curly":
        curls = [(-12, -3), (-10, -10), (-3, -14), (5, -13.5), (11, -9), (13, -2)]
        return "", "".join(circle(x, y, 5, hair) for x, y in curls)
    if style == "bald":
        return circle(-12, 0, 4, hair) + circle(12, 0, 4, hair), ""
    if style == "cap":
        cap = shape("M-13.6 -3A13.6 13.6 0 0 1 13.6 -3Z", hair)
        return "", cap + rect(0, -5, 21, 3.6, hair, 1.8)
    if style == "back":
        return "", circle(0, 0, 13.4, hair)
    return "", crown


def head(
    x: float,
    y: float,
    r: float = 13,
    *,
    skin: str = PALE,
    hair: str = BROWN,
    style: str = "short",
    face: str = "smile",
    look: float = 0,
    turn: float = 0,
    loose: bool = True,
) -> str:
    """A head alone. A body hides the hair behind it (`loose=False`): `person` draws that first."""
    behind, over = hairdo(style, hair)
    behind = behind if loose else ""
    shown = "" if style == "back" else features(face, look)
    parts = (behind, circle(0, 0, 13, skin), over, shown)
    return group(*parts, x=x, y=y, s=r / 13, turn=turn).replace("<g ", '<g class="person" ', 1)


Limb = tuple[tuple[float, float], ...]


def limb(start: tuple[float, float], joints: Limb, colour: str, w: float) -> str:
    points = "L".join(f"{n(x)} {n(y)}" for x, y in (start, *joints))
    return stroke(f"M{points}", colour, w)


def person(
    x: float,
    y: float,
    h: float = 100,
    *,
    top: str = BLUE,
    legs: str = NAVY,
    skin: str = PALE,
    hair: str = BROWN,
    style: str = "short",
    face: str = "smile",
    look: float = 0,
    arms: tuple[Limb, Limb] = (((-19, -40),), ((19, -40),)),
    feet: tuple[Limb, Limb] = (((-7, -3),), ((7, -3),)),
    shoes: str = INK,
    skirt: str = "",
    sleeves: str = "",
    turn: float = 0,
    flip: bool = False,
    tie: str = "",
    extra: str = "",
) -> str:
    """A person whose feet stand at (x, y), `h` high. Arms and feet are joints, last the hand.

    Joints are given for a person 100 high standing at (0, 0); y counts upwards as negative.
    """
    behind, _ = hairdo(style, hair)
    parts = [group(behind, y=-87)] if behind else []
    for side, joints in zip((-6, 6), feet, strict=True):
        parts.append(limb((side, -40), joints, skin if skirt else legs, 7 if skirt else 10))
        foot_x, foot_y = joints[-1]
        parts.append(oval(foot_x + look * 2, foot_y, 7, 4, shoes))
    if skirt:
        parts.append(shape("M-11 -50L11 -50L20 -18Q0 -12 -20 -18Z", skirt))
    parts.append(rect(-13, -75, 26, 40, top, 9))
    if tie:
        parts += [
            polygon([(-6, -75), (6, -75), (0, -60)], WHITE),
            polygon([(-2.5, -73), (2.5, -73), (3, -56), (0, -52), (-3, -56)], tie),
        ]
    for side, joints in zip((-11, 11), arms, strict=True):
        parts.append(limb((side, -67), joints, sleeves or top, 8))
        parts.append(circle(joints[-1][0], joints[-1][1], 4.8, skin))
    face_on = head(0, -87, skin=skin, hair=hair, style=style, face=face, look=look, loose=False)
    parts.append(rect(-4, -78, 8, 6, skin))
    return group(*parts, face_on, extra, x=x, y=y, s=h / 100, turn=turn, flip=flip)


# ---------------------------------------------------------------- nature


def cloud(x: float, y: float, s: float = 1, fill: str = WHITE) -> str:
    puffs = ((-14, 2, 9), (0, -4, 13), (14, 1, 10))
    return group(*(circle(*p, fill) for p in puffs), rect(-22, 1, 46, 10, fill, 5), x=x, y=y, s=s)


def sun(x: float, y: float, r: float = 15, fill: str = YELLOW) -> str:
    rays = []
    for k in range(8):
        c, s = math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)
        rays.append(f"M{n(c * r * 1.3)} {n(s * r * 1.3)}L{n(c * r * 1.7)} {n(s * r * 1.7)}")
    return group(circle(0, 0, r, fill), stroke("".join(rays), fill, 3), x=x, y=y)


def moon(x: float, y: float, r: float = 14) -> str:
    far = n(r)
    return group(
        shape(
            f"M0 -{far}A{far} {far} 0 1 0 {far} 4A{n(r * 0.8)} {n(r * 0.8)} 0 0 1 0 -{far}Z",
            "#fbe9a6",
        ),
        x=x,
        y=y,
    )


def stars(*at: tuple[float, float]) -> str:
    return "".join(circle(x, y, 1.6, "#fdf4cf") for x, y in at)


def tree(x: float, y: float, h: float = 90, leaf: str = FOREST) -> str:
    crown = [circle(-14, -58, 17, leaf), circle(14, -58, 17, leaf), circle(0, -76, 20, leaf)]
    return group(
        rect(-5, -45, 10, 45, BROWN), *crown, oval(0, -58, 20, 14, leaf), x=x, y=y, s=h / 96
    )


def flower(x: float, y: float, h: float = 30, fill: str = RED) -> str:
    petals = "".join(
        circle(5 * math.cos(k * 1.257), -h + 5 * math.sin(k * 1.257), 4, fill) for k in range(5)
    )
    leaf = oval(5, -h * 0.4, 5, 2.4, FOREST)
    return group(line(0, 0, 0, -h, FOREST, 2.5), leaf, petals, circle(0, -h, 3.2, YELLOW), x=x, y=y)


def snowflake(x: float, y: float, r: float = 6, colour: str = WHITE) -> str:
    arms = ""
    for k in range(3):
        c, s = r * math.cos(k * math.pi / 3), r * math.sin(k * math.pi / 3)
        arms += f"M{n(x - c)} {n(y - s)}L{n(x + c)} {n(y + s)}"
    return stroke(arms, colour, 1.8)


def drop(x: float, y: float, s: float = 1, fill: str = BLUE) -> str:
    return group(shape("M0 -9Q7 1 5 5A5.6 5.6 0 0 1 -5 5Q-7 1 0 -9Z", fill), x=x, y=y, s=s)


def waves(y: float, colour: str = SKY, w: float = 3) -> str:
    return stroke(
        f"M10 {n(y)}q8 -6 16 0t16 0M80 {n(y)}q8 -6 16 0t16 0M150 {n(y)}q8 -6 16 0t16 0", colour, w
    )


def fish(
    x: float,
    y: float,
    s: float = 1,
    fill: str = ORANGE,
    *,
    turn: float = 0,
    flip: bool = False,
    eye: str = "open",
) -> str:
    parts = [polygon([(20, 0), (40, -15), (36, 0), (40, 15)], fill), oval(0, 0, 28, 15, fill)]
    parts += [shape("M-4 -13Q6 -26 14 -10Z", fill), stroke("M-10 -9Q-4 0 -10 9", WHITE, 2)]
    parts += [circle(-17, -3, 4, WHITE), circle(-18, -3, 2, INK)]
    return group(*parts, x=x, y=y, s=s, turn=turn, flip=flip)


# ---------------------------------------------------------------- things


def house(
    x: float, y: float, w: float = 50, h: float = 45, wall: str = BLUSH, roof: str = RED
) -> str:
    """A house whose left lower corner is (x, y)."""
    door = rect(x + w * 0.4, y - h * 0.45, w * 0.2, h * 0.45, BROWN)
    panes = rect(x + w * 0.12, y - h * 0.8, w * 0.2, h * 0.25, SKY)
    panes += rect(x + w * 0.68, y - h * 0.8, w * 0.2, h * 0.25, SKY)
    gable = polygon([(x - 5, y - h), (x + w / 2, y - h - w * 0.5), (x + w + 5, y - h)], roof)
    return rect(x, y - h, w, h, wall) + gable + door + panes


def table(x: float, y: float, w: float = 120, h: float = 50, fill: str = BROWN) -> str:
    """A table whose top's left upper corner is (x, y)."""
    legs = rect(x + 8, y, 7, h, fill) + rect(x + w - 15, y, 7, h, fill)
    return legs + rect(x, y, w, 8, fill, 3)


def chair(x: float, y: float, fill: str = TAN, *, flip: bool = False) -> str:
    """A chair seen from the side; its seat is 30 above (x, y)."""
    parts = [rect(-16, -32, 32, 6, fill, 2), rect(-16, -70, 6, 70, fill, 2)]
    return group(*parts, rect(10, -28, 6, 28, fill, 2), x=x, y=y, flip=flip)


def bubble(
    x: float, y: float, w: float, h: float, tail: tuple[float, float], fill: str = WHITE
) -> str:
    """A speech bubble with its centre at (x, y)."""
    base = 9
    points = [(x - base, y), (x + base, y), tail]
    return polygon(points, fill) + rect(x - w / 2, y - h / 2, w, h, fill, min(w, h) * 0.35)


def heart(x: float, y: float, s: float = 1, fill: str = RED) -> str:
    d = "M0 14C-22 -2 -14 -17 -6 -15Q-2 -14 0 -9Q2 -14 6 -15C14 -17 22 -2 0 14Z"
    return group(shape(d, fill), x=x, y=y, s=s)


def bucket(x: float, y: float, s: float = 1, fill: str = BLUE, *, turn: float = 0) -> str:
    """A bucket that stands at (x, y)."""
    parts = [stroke("M-18 -38Q0 -66 18 -38", GREY, 3)]
    parts += [polygon([(-19, -40), (19, -40), (14, 0), (-14, 0)], fill), oval(0, -40, 19, 5, NAVY)]
    return group(*parts, x=x, y=y, s=s, turn=turn)


def rope(d: str, w: float = 9) -> str:
    """A rope along a path: a thick line with a lighter, broken one on it."""
    dash = stroke(d, "#e3c08c", w * 0.45).replace("/>", ' stroke-dasharray="2 7"/>')
    return stroke(d, "#7d5231", w + 3) + stroke(d, "#b98950", w) + dash


def sack(x: float, y: float, s: float = 1, fill: str = TAN) -> str:
    """A full sack, tied at its neck, that stands at (x, y)."""
    body = shape("M-10 -66Q-40 -44 -34 -8Q-32 0 -22 0H22Q32 0 34 -8Q40 -44 10 -66Z", fill)
    frill = shape("M-10 -66L-16 -80L-5 -76L0 -82L6 -76L16 -80L10 -66Z", fill)
    return group(body, frill, line(-11, -66, 11, -66, BROWN, 4), x=x, y=y, s=s)


def padlock(x: float, y: float, s: float = 1, *, shut: bool = True) -> str:
    bow = "M-8 0V-9A8 8 0 0 1 8 -9V0" if shut else "M8 0V-11A8 8 0 0 1 24 -11V-7"
    body = rect(-14, -2, 28, 23, YELLOW, 4)
    hole = circle(0, 8, 3.4, INK) + rect(-1.4, 8, 2.8, 7, INK)
    return group(stroke(bow, DARK, 4), body, hole, x=x, y=y, s=s)


def question(x: float, y: float, s: float = 1, colour: str = RED) -> str:
    curl = stroke("M-7 -10Q-7 -18 0 -18Q8 -18 8 -10Q8 -4 0 0V5", colour, 4.5)
    return group(curl, circle(0, 13, 3, colour), x=x, y=y, s=s)


def clock(x: float, y: float, r: float = 16, rim: str = DARK) -> str:
    hands = line(0, 0, 0, -r * 0.6, INK, 2.4) + line(0, 0, r * 0.45, r * 0.1, INK, 2.4)
    return group(circle(0, 0, r, rim), circle(0, 0, r * 0.82, WHITE), hands, x=x, y=y)


def coin(x: float, y: float, r: float = 8) -> str:
    return circle(x, y, r, "#c9932c") + circle(x, y, r * 0.78, YELLOW)


def glass(
    x: float, y: float, w: float = 44, h: float = 70, level: float = 0.75, drink: str = SKY
) -> str:
    """A tumbler that stands at (x, y)."""
    narrow, rise = w * 0.38, h * level
    wide = narrow + (w / 2 - narrow) * level
    cup = [(x - w / 2, y - h), (x + w / 2, y - h), (x + narrow, y), (x - narrow, y)]
    inside = [(x - wide, y - rise), (x + wide, y - rise), (x + narrow, y), (x - narrow, y)]
    left, right = (f"{n(at)} {n(y - h)}" for at in (x - w / 2, x + w / 2))
    edge = f"M{left}L{n(x - narrow)} {n(y)}H{n(x + narrow)}L{right}"
    return polygon(cup, "#eef5fa") + polygon(inside, drink) + stroke(edge, DARK, 3)


def spoon(x: float, y: float, s: float = 1, *, turn: float = 0, fill: str = GREY) -> str:
    """A spoon whose bowl is at (x, y) and whose handle goes up."""
    parts = [line(0, -8, 0, -62, DARK, 7), line(0, -8, 0, -62, fill, 4)]
    parts += [oval(0, 2, 12, 16, DARK), oval(0, 2, 9.5, 13.5, fill), oval(-2, 0, 4, 8, LIGHT)]
    return group(*parts, x=x, y=y, s=s, turn=turn)


def football(x: float, y: float, r: float = 14) -> str:
    patch = "".join(
        polygon(
            [(r * 0.8 * math.cos(a + t), r * 0.8 * math.sin(a + t)) for t in (-0.3, 0.3)]
            + [(r * 0.52 * math.cos(a), r * 0.52 * math.sin(a))],
            INK,
        )
        for a in (k * 1.2566 + 0.3 for k in range(5))
    )
    hub = [
        (r * 0.32 * math.cos(k * 1.2566 - 0.3), r * 0.32 * math.sin(k * 1.2566 - 0.3))
        for k in range(5)
    ]
    return group(
        circle(0, 0, r, DARK), circle(0, 0, r * 0.92, WHITE), patch, polygon(hub, INK), x=x, y=y
    )


def window(x: float, y: float, w: float = 50, h: float = 50, pane: str = SKY, *inside: str) -> str:
    cross = line(x + w / 2, y, x + w / 2, y + h, WHITE, 3) + line(
        x, y + h / 2, x + w, y + h / 2, WHITE, 3
    )
    return (
        rect(x - 4, y - 4, w + 8, h + 8, WHITE, 3)
        + rect(x, y, w, h, pane)
        + "".join(inside)
        + cross
    )


def leaves(*at: tuple[float, float], fill: str = ORANGE) -> str:
    return "".join(group(oval(0, 0, 5, 2.6, fill), x=x, y=y, turn=(x * 7 + y) % 90) for x, y in at)


def tufts(*at: tuple[float, float]) -> str:
    """Tufts of grass."""
    blades = "".join(
        f"M{n(x)} {n(y)}l-4 -9M{n(x + 4)} {n(y)}v-11M{n(x + 8)} {n(y)}l4 -9" for x, y in at
    )
    return stroke(blades, FOREST, 2.6)


def boards(top: float, bottom: float, colour: str, step: float = 20) -> str:
    """Upright boards of a wall: the lines between them."""
    gaps = "".join(f"M{n(k * step)} {n(top)}V{n(bottom)}" for k in range(1, int(200 / step)))
    return stroke(gaps, colour, 2)


def gulls(*at: tuple[float, float]) -> str:
    return stroke("".join(f"M{n(x)} {n(y)}q6 -7 10 0q4 -7 10 0" for x, y in at), INK, 2.4)
