"""The pictures of the English phrases, composed from the kit: one function a picture."""

# ruff: noqa: E501 (the data of a path has no place to break it)
from __future__ import annotations

from kit import (
    BLUE,
    BLUSH,
    BROWN,
    DARK,
    DEEP,
    FAIR,
    FOREST,
    GREEN,
    GREY,
    INK,
    LIGHT,
    NAVY,
    OLIVE,
    ORANGE,
    PALE,
    PINK,
    PURPLE,
    RED,
    SKY,
    TAN,
    TEAL,
    WHITE,
    YELLOW,
    boards,
    bubble,
    bucket,
    circle,
    clock,
    cloud,
    drop,
    fish,
    flower,
    glass,
    group,
    gulls,
    head,
    heart,
    line,
    moon,
    oval,
    padlock,
    person,
    polygon,
    rect,
    rope,
    scene,
    shape,
    snowflake,
    stars,
    stroke,
    sun,
    table,
    tree,
    tufts,
    waves,
    window,
)

BEAN = "#a8442f"

# ---------------------------------------------------------------- spill the beans


def beans_idiomatic() -> str:
    secret = bubble(112, 38, 64, 50, (72, 82)) + padlock(106, 36, 1.0, shut=False)
    teller = person(
        58,
        188,
        118,
        top=RED,
        legs=DARK,
        style="long",
        face="happy",
        look=1,
        arms=(((-18, -42),), ((22, -60), (17, -78))),
    )
    listener = person(
        142,
        188,
        118,
        top=TEAL,
        hair=INK,
        skin=OLIVE,
        face="surprised",
        look=-1,
        arms=(((-20, -55), (-12, -74)), ((20, -55), (12, -74))),
    )
    return scene(secret, teller, listener, ground="floor", horizon=160)


def beans_idiomatic_related() -> str:
    book = rect(46, 40, 92, 118, "#9c2f3b", 8) + rect(54, 46, 88, 106, BLUSH, 3)
    cover = rect(44, 38, 90, 116, RED, 8) + rect(56, 38, 6, 116, "#b23c3a")
    strap = rect(96, 84, 54, 22, BROWN, 4) + padlock(126, 90, 1.1)
    key = circle(52, 176, 9, YELLOW) + circle(52, 176, 4, "#cfa67c")
    key += line(61, 176, 92, 176, YELLOW, 5) + stroke("M84 176v8M91 176v9", YELLOW, 4)
    return scene(book, cover, heart(84, 66, 0.8, BLUSH), strap, key, ground="floor", horizon=128)


def beans_literal_related() -> str:
    tin = rect(34, 52, 76, 94, GREY) + oval(72, 146, 38, 9, GREY) + oval(72, 52, 38, 10, LIGHT)
    label = rect(34, 68, 76, 62, TEAL) + circle(72, 99, 26, BLUSH)
    bean = oval(0, 0, 8, 5, BEAN)
    spots = ((56, 92, 30), (74, 86, -20), (90, 96, 60), (64, 108, -40), (82, 112, 15))
    shown = "".join(group(bean, x=x, y=y, turn=t) for x, y, t in spots)
    top = "".join(group(bean, x=x, y=51, turn=x * 3) for x in (48, 60, 72, 84, 96))
    bowl = shape("M122 118H180Q178 150 151 150Q124 150 122 118Z", WHITE)
    heap = "".join(group(bean, x=x, y=116 - x % 7, turn=x * 5) for x in (130, 141, 152, 163, 172))
    return scene(tin, label, shown, top, heap, bowl, table(10, 150, 180, 60))


def beans_literal() -> str:
    bowl = group(
        shape("M-26 -12H26Q24 18 0 18Q-24 18 -26 -12Z", BLUE),
        oval(0, -12, 26, 7, NAVY),
        x=128,
        y=62,
        turn=-115,
    )
    bean = oval(0, 0, 5.5, 3.5, BEAN)
    falling = ((104, 74), (98, 90), (106, 104), (94, 116), (102, 130), (88, 138), (110, 146))
    floor = (
        (70, 172),
        (84, 180),
        (98, 170),
        (112, 182),
        (90, 190),
        (126, 174),
        (76, 160),
        (104, 158),
        (120, 162),
        (138, 186),
        (62, 186),
    )
    spilt = "".join(group(bean, x=x, y=y, turn=(x * 11 + y * 5) % 180) for x, y in falling + floor)
    boy = person(
        36,
        180,
        104,
        top=GREEN,
        hair=INK,
        skin=FAIR,
        face="surprised",
        look=1,
        arms=(((-20, -60), (-14, -78)), ((20, -58), (16, -76))),
    )
    return scene(table(112, 76, 100, 90, TAN), bowl, boy, spilt, ground="tiles", horizon=146)


def beans_distractor() -> str:
    def guitar(x: float, y: float, fill: str) -> str:
        body = circle(-6, 0, 11, fill) + circle(6, -2, 8, fill) + circle(-3, -1, 4, INK)
        return group(line(8, -2, 34, -14, BROWN, 5), body, x=x, y=y)

    drum = rect(84, 138, 34, 34, RED, 4) + oval(101, 138, 17, 5, WHITE)
    drummer = person(
        101,
        162,
        92,
        top=PURPLE,
        hair=INK,
        skin=DEEP,
        style="curly",
        face="happy",
        arms=(((-20, -50), (-10, -42)), ((20, -50), (10, -42))),
    )
    one = person(
        44,
        184,
        104,
        top=ORANGE,
        style="long",
        arms=(((-18, -54), (-6, -46)), ((20, -56), (26, -58))),
    )
    two = person(
        156,
        184,
        104,
        top=TEAL,
        hair=BROWN,
        skin=FAIR,
        style="cap",
        arms=(((-18, -54), (-6, -46)), ((20, -56), (26, -58))),
    )
    sticks = line(92, 124, 98, 136, TAN, 3) + line(110, 124, 104, 136, TAN, 3)
    notes = "".join(
        group(line(0, 0, 0, -18, INK, 2.5), oval(-4, 1, 5, 3.6, INK), x=x, y=y)
        for x, y in ((74, 50), (132, 42), (104, 32))
    )
    return scene(
        notes,
        drummer,
        drum,
        sticks,
        one,
        guitar(44, 136, BROWN),
        two,
        guitar(156, 136, BLUE),
        ground="stage",
        horizon=156,
    )


# ---------------------------------------------------------------- break the ice


def ice_idiomatic() -> str:
    bunting = stroke("M0 14Q100 50 200 14", DARK, 2) + "".join(
        polygon([(x - 8, y), (x + 8, y), (x, y + 16)], c)
        for x, y, c in (
            (24, 21, RED),
            (56, 29, YELLOW),
            (88, 33, TEAL),
            (120, 33, PINK),
            (152, 27, BLUE),
            (182, 18, GREEN),
        )
    )
    left = person(
        58,
        186,
        122,
        top=ORANGE,
        legs=DARK,
        hair=INK,
        skin=OLIVE,
        face="happy",
        look=1,
        arms=(((-18, -40),), ((22, -50), (35, -50))),
    )
    right = person(
        142,
        186,
        122,
        top=PURPLE,
        skirt=PURPLE,
        style="long",
        hair="#b5562f",
        face="happy",
        look=-1,
        arms=(((-22, -50), (-35, -50)), ((18, -40),)),
    )
    badge = rect(50, 112, 13, 9, WHITE, 2) + rect(138, 112, 13, 9, WHITE, 2)
    talk = bubble(76, 58, 26, 18, (68, 74)) + bubble(124, 58, 26, 18, (132, 74))
    return scene(bunting, left, right, badge, talk, ground="floor", horizon=160)


def ice_idiomatic_related() -> str:
    seats = rect(0, 148, 200, 9, BROWN) + rect(4, 156, 8, 32, BROWN) + rect(188, 156, 8, 32, BROWN)
    looks = (
        (30, TEAL, PALE, INK, "short", -1, BLUE),
        (80, RED, DEEP, INK, "curly", 1, DARK),
        (130, YELLOW, FAIR, BROWN, "long", -1, NAVY),
        (180, GREEN, PALE, ORANGE, "short", 1, BROWN),
    )
    people = "".join(
        person(
            x,
            184,
            104,
            top=top,
            skin=skin,
            hair=hair,
            style=style,
            look=look,
            legs=legs,
            face="plain",
            arms=(((-15, -46), (-6, -42)), ((15, -46), (6, -42))),
            feet=(((-8, -30), (-7, -3)), ((8, -30), (7, -3))),
        )
        for x, top, skin, hair, style, look, legs in looks
    )
    return scene(clock(102, 40, 20), seats, people, ground="tiles", horizon=162)


def ice_literal_related() -> str:
    cube = rect(-13, -13, 26, 26, "#d8eefa", 4) + stroke("M-7 -6V6M-7 -6H2", WHITE, 3)
    cubes = "".join(
        group(cube, x=x, y=y, turn=t)
        for x, y, t in ((88, 92, 12), (114, 96, -18), (98, 122, 30), (84, 148, -8), (112, 150, 15))
    )
    straw = stroke("M112 150L134 30L152 24", RED, 7)
    lemon = (
        circle(64, 62, 17, YELLOW)
        + circle(64, 62, 13, "#fdf2b8")
        + stroke("M64 50V74M53 56L75 68M53 68L75 56", YELLOW, 2)
    )
    return scene(
        straw,
        glass(100, 172, 82, 112, 0.82, "#7cc0e8"),
        cubes,
        lemon,
        table(10, 172, 180, 40),
        ground="",
    )


def ice_literal() -> str:
    lake = oval(110, 160, 104, 34, "#cfe8f5")
    hole = polygon([(118, 158), (132, 148), (150, 152), (164, 162), (150, 174), (130, 174)], NAVY)
    cracks = stroke(
        "M118 158L92 152L80 160M132 148L126 136L138 132M164 162L188 158M150 174L160 186M130 174L112 182L100 176",
        BLUE,
        2.4,
    )
    floes = polygon([(130, 154), (142, 156), (136, 164)], WHITE) + polygon(
        [(146, 162), (156, 160), (150, 170)], WHITE
    )
    man = person(
        62,
        170,
        112,
        top=RED,
        legs=DARK,
        style="cap",
        hair=NAVY,
        face="plain",
        look=1,
        arms=(((10, -58), (32, -62)), ((22, -58), (36, -58))),
        feet=(((-12, -3),), ((10, -3),)),
    )
    pick = line(80, 118, 132, 92, BROWN, 6) + stroke("M118 72Q136 84 142 134", DARK, 7)
    trees = "".join(polygon([(x - 14, 134), (x + 14, 134), (x, 84)], FOREST) for x in (14, 40, 188))
    return scene(trees, lake, cracks, hole, floes, man, pick, ground="snow", horizon=130)


def ice_distractor() -> str:
    can = polygon([(40, 66), (92, 66), (98, 120), (34, 120)], TEAL) + stroke(
        "M40 76Q6 84 34 112", TEAL, 7
    )
    can += line(94, 108, 132, 70, TEAL, 9) + polygon(
        [(122, 66), (136, 80), (146, 62), (136, 54)], FOREST
    )
    water = "".join(
        drop(x, y, 0.7) for x, y in ((146, 84), (156, 94), (142, 102), (160, 112), (150, 122))
    )
    bed = "".join(
        flower(x, 182, h, c)
        for x, h, c in ((118, 34, RED), (136, 44, PINK), (154, 36, YELLOW), (172, 46, PURPLE))
    )
    return scene(
        group(can, turn=14, x=26, y=-20),
        water,
        bed,
        sun(172, 30, 13),
        rect(96, 178, 98, 22, BROWN, 8),
        ground="grass",
        horizon=150,
    )


# ---------------------------------------------------------------- cold feet


def feet_idiomatic() -> str:
    church = rect(104, 70, 78, 90, BLUSH) + polygon([(98, 72), (143, 34), (188, 72)], BROWN)
    church += stroke("M143 34V14M136 21H150", INK, 3) + shape(
        "M128 160V120A15 15 0 0 1 158 120V160Z", DARK
    )
    bride = person(
        143,
        172,
        74,
        top=WHITE,
        skirt=WHITE,
        style="long",
        hair=BROWN,
        face="surprised",
        look=-1,
        arms=(((-24, -72),), ((18, -44),)),
    )
    veil = shape("M131 106Q143 94 155 106L160 132H126Z", WHITE)
    groom = person(
        48,
        186,
        112,
        top=INK,
        legs=INK,
        tie=RED,
        face="worried",
        look=-1,
        turn=-10,
        arms=(((-22, -58), (-26, -74)), ((22, -54), (32, -64))),
        feet=(((-20, -28), (-24, -4)), ((16, -24), (36, -22))),
    )
    dash = stroke("M78 112H98M82 132H100M80 150H94", WHITE, 3)
    return scene(church, veil, bride, dash, groom, ground="grass", horizon=152)


def feet_idiomatic_related() -> str:
    board = (
        rect(0, 96, 112, 8, ORANGE, 3) + rect(12, 104, 10, 66, GREY) + rect(36, 104, 10, 66, GREY)
    )
    ladder = stroke("M22 116H36M22 130H36M22 144H36", GREY, 4)
    boy = person(
        86,
        97,
        84,
        top=FAIR,
        legs=FAIR,
        skin=FAIR,
        shoes=FAIR,
        hair=INK,
        face="worried",
        look=1,
        arms=(((-16, -50), (6, -58)), ((16, -50), (-6, -54))),
        feet=(((4, -22), (-4, -3)), ((-2, -22), (6, -3))),
    )
    shake = stroke("M60 40q-5 6 0 12t0 12M116 40q5 6 0 12t0 12", DARK, 2.5)
    shorts = rect(74, 60, 24, 20, RED, 5)
    return scene(
        board,
        ladder,
        boy,
        shorts,
        shake,
        waves(164, WHITE),
        waves(182, WHITE),
        ground="sea",
        horizon=150,
    )


def feet_literal_related() -> str:
    hearth = rect(36, 22, 128, 126, "#a5573f") + rect(26, 14, 148, 16, BROWN, 3)
    bricks = stroke(
        "M40 48H62M70 66H40M140 48H160M146 70H160M40 92H54M146 96H160M60 38V48M150 60V70",
        "#8a4432",
        2.5,
    )
    fire = shape("M60 148V86Q100 50 140 86V148Z", INK)
    flames = shape(
        "M74 146Q66 116 86 100Q86 114 94 116Q92 92 108 80Q108 104 120 112Q124 106 124 102Q136 122 126 146Z",
        ORANGE,
    )
    flames += shape(
        "M88 146Q84 130 96 122Q98 132 104 132Q106 118 112 114Q118 132 112 146Z", YELLOW
    ) + line(70, 146, 130, 146, BROWN, 8)
    slipper = (
        shape("M-22 8Q-26 -8 -8 -8H6Q26 -8 28 6Q28 12 20 12H-16Q-22 12 -22 8Z", BLUE)
        + oval(-8, -5, 11, 5, NAVY)
        + circle(17, -6, 5, WHITE)
    )
    return scene(
        hearth,
        bricks,
        fire,
        flames,
        group(slipper, x=64, y=176),
        group(slipper, x=128, y=180),
        ground="floor",
        horizon=148,
    )


def feet_literal() -> str:
    skin, shade = "#bcd3ea", "#7c9cc9"
    foot = shape(
        "M-16 -66L-17 -22Q-20 6 -33 36L-28 48L30 56Q36 44 30 30Q19 4 17 -22L15 -66Z", skin
    ) + stroke("M-33 36Q-20 6 -17 -22M30 30Q19 4 17 -22M-6 -8Q0 -4 6 -8", shade, 2)
    spots = ((-28, 44, 6), (-18, 51, 7), (-6, 56, 7.5), (8, 59, 8), (25, 56, 11))
    toes = "".join(
        circle(x, y, r, skin)
        + stroke(f"M{x - r} {y - 2}A{r} {r} 0 1 0 {x + r} {y - 2}", shade, 2)
        + oval(x, y + r * 0.4, r * 0.45, r * 0.4, "#e9f1fa")
        for x, y, r in spots
    )
    cuff = rect(-24, -84, 46, 34, NAVY, 4)
    leg = foot + toes + cuff
    flakes = "".join(
        snowflake(x, y, 7)
        for x, y in (
            (20, 26),
            (100, 24),
            (180, 30),
            (100, 70),
            (14, 62),
            (186, 66),
            (100, 178),
            (24, 180),
            (176, 180),
        )
    )
    mound = shape("M0 150Q30 130 62 138Q100 128 140 138Q172 130 200 150V200H0Z", "#f4f8fb")
    shiver = stroke("M18 96q-6 7 0 14t0 14M182 96q6 7 0 14t0 14M100 88q-6 7 0 14t0 14", BLUE, 3)
    return scene(
        mound,
        flakes,
        group(leg, x=54, y=104, s=1.1),
        group(leg, x=146, y=104, s=1.1, flip=True),
        shiver,
        sky="#8fb2d3",
    )


def feet_distractor() -> str:
    books = (
        rect(34, 142, 136, 24, RED, 4)
        + rect(42, 146, 124, 16, BLUSH)
        + rect(34, 142, 24, 24, "#b23c3a", 4)
    )
    books += (
        rect(26, 118, 124, 24, TEAL, 4)
        + rect(40, 122, 106, 16, BLUSH)
        + rect(26, 118, 22, 24, "#357d7f", 4)
    )
    lens = '<g fill="#e4f1f8" stroke="#2f3542" stroke-width="6"><circle cx="70" cy="92" r="23"/><circle cx="126" cy="92" r="23"/></g>'
    frame = stroke("M93 90Q98 82 103 90M47 88L34 66M149 88L164 66", INK, 6)
    return scene(
        books,
        lens,
        frame,
        stroke("M60 84L70 76M116 84L126 76", WHITE, 4),
        table(8, 166, 184, 50),
        ground="",
    )


# ---------------------------------------------------------------- tie the knot


def knot_idiomatic() -> str:
    arch = stroke("M32 190V80Q32 22 100 22Q168 22 168 80V190", FOREST, 10)
    blossom = "".join(
        circle(x, y, 6, c)
        for x, y, c in (
            (32, 150, PINK),
            (32, 110, WHITE),
            (36, 66, PINK),
            (58, 36, WHITE),
            (100, 22, PINK),
            (142, 36, WHITE),
            (164, 66, PINK),
            (168, 110, WHITE),
            (168, 150, PINK),
        )
    )
    groom = person(
        76,
        188,
        112,
        top=INK,
        legs=INK,
        tie=RED,
        hair=INK,
        skin=OLIVE,
        look=1,
        face="happy",
        arms=(((-18, -42),), ((18, -44),)),
    )
    veil = shape("M112 92Q128 72 144 92L152 146H110Z", WHITE)
    bride = person(
        128,
        188,
        108,
        top=WHITE,
        skirt=WHITE,
        hair=BROWN,
        style="bun",
        look=-1,
        face="happy",
        arms=(((-20, -46),), ((16, -46), (4, -44))),
    )
    posy = circle(132, 140, 6, RED) + circle(139, 144, 6, PINK) + circle(128, 146, 6, PINK)
    return scene(
        arch, blossom, veil, groom, bride, posy, heart(102, 54, 0.9), ground="grass", horizon=156
    )


def knot_idiomatic_related() -> str:
    lid = polygon([(46, 104), (154, 104), (144, 38), (56, 38)], NAVY) + polygon(
        [(56, 98), (144, 98), (136, 46), (64, 46)], BLUE
    )
    box = rect(42, 104, 116, 62, NAVY, 5) + oval(100, 110, 50, 9, BLUE)
    ring = '<circle cx="100" cy="90" r="25" fill="none" stroke="#f4c84f" stroke-width="7"/>'
    stone = polygon([(84, 52), (92, 42), (108, 42), (116, 52), (100, 70)], "#d8f0fb") + stroke(
        "M84 52H116M92 42L100 70L108 42", TEAL, 1.8
    )
    front = rect(42, 112, 116, 54, NAVY, 5)
    gleam = stroke("M70 34V24M130 34V24M100 32V20M64 62H56M136 62H144", YELLOW, 3)
    return scene(
        lid, box, ring, front, stone, gleam, heart(100, 138, 0.8, PINK), ground="floor", horizon=140
    )


def knot_literal_related() -> str:
    coil = "".join(
        f'<ellipse cx="100" cy="{y}" rx="{r}" ry="{r * 0.42:.0f}" fill="none" stroke="{c}" stroke-width="{w}"/>'
        for y, r in ((156, 66), (144, 63), (132, 60), (120, 56))
        for c, w in (("#7d5231", 14), ("#b98950", 10))
    )
    end = rope("M152 118Q196 120 190 176", 10)
    inside = oval(100, 118, 50, 18, "#6b4527")
    planks = stroke(
        "M0 146H200M0 172H200M40 120V146M130 120V146M80 172V200M160 172V200M20 146V172",
        "#a98257",
        2,
    )
    bollard = rect(92, 62, 16, 60, DARK, 3) + rect(82, 52, 36, 16, DARK, 7)
    return scene(
        waves(50, WHITE),
        waves(92, WHITE),
        planks,
        inside,
        bollard,
        coil,
        end,
        ground="floor",
        horizon=114,
        sky="#8fbfe0",
    )


def knot_literal() -> str:
    tail = rope("M96 134C120 118 140 112 200 112", 12)
    loop = rope("M100 56Q48 58 58 116Q66 152 96 134", 12)
    lead = rope("M0 112C60 112 80 118 104 134Q134 152 142 116Q152 58 100 56", 12)
    bridge = rope("M84 138Q90 138 96 134Q104 128 114 124", 12)

    def hand(x: float, flip: bool) -> str:
        parts = [rect(-52, -16, 34, 32, RED, 5), rect(-24, -14, 20, 28, PALE, 8)]
        parts += [rect(-10, y, 26, 9, PALE, 4.5) for y in (-16, -6, 4)] + [
            stroke("M-6 -6H12M-6 4H12", FAIR, 1.6)
        ]
        return group(*parts, x=x, y=112, flip=flip)

    return scene(
        tail, loop, lead, bridge, hand(32, False), hand(168, True), ground="tiles", horizon=160
    )


def knot_distractor() -> str:
    ball = circle(116, 156, 27, WHITE) + circle(116, 114, 20, WHITE) + circle(116, 84, 15, WHITE)
    ball += (
        polygon([(116, 84), (134, 88), (116, 90)], ORANGE)
        + circle(110, 80, 2, INK)
        + circle(121, 80, 2, INK)
    )
    ball += (
        rect(102, 62, 28, 6, INK, 2)
        + rect(107, 46, 18, 18, INK)
        + "".join(circle(116, y, 2.4, INK) for y in (108, 118, 144))
    )
    ball += stroke("M97 112L78 98M135 112L154 100", BROWN, 4) + stroke(
        "M104 96Q116 102 128 96", RED, 5
    )
    kids = person(
        36,
        184,
        80,
        top=RED,
        style="cap",
        hair=BLUE,
        face="happy",
        look=1,
        arms=(((-18, -44),), ((28, -66),)),
    )
    kids += person(
        74,
        194,
        70,
        top=TEAL,
        style="tails",
        hair=ORANGE,
        face="smile",
        look=1,
        arms=(((-18, -44),), ((26, -58),)),
    )
    kids += person(
        172,
        188,
        82,
        top=PURPLE,
        skin=DEEP,
        hair=YELLOW,
        style="cap",
        face="happy",
        look=-1,
        arms=(((-28, -66),), ((18, -44),)),
    )
    flakes = "".join(
        snowflake(x, y, 5) for x, y in ((30, 40), (70, 24), (150, 30), (182, 64), (52, 76))
    )
    return scene(flakes, ball, kids, ground="snow", horizon=146)


# ---------------------------------------------------------------- hit the sack


def sack_idiomatic() -> str:
    pane = window(28, 20, 54, 54, "#22345a", moon(54, 44, 13), stars((38, 32), (72, 30), (70, 62)))
    bed = (
        rect(14, 92, 10, 92, BROWN, 4)
        + rect(178, 122, 10, 62, BROWN, 4)
        + rect(20, 144, 162, 26, TAN)
    )
    pillow = rect(26, 118, 54, 26, WHITE, 12)
    sleeper = head(58, 116, 18, style="short", hair=INK, face="asleep", turn=-80)
    quilt = shape("M70 146Q74 108 110 108Q150 106 180 130V162H70Z", RED) + shape(
        "M70 146Q74 112 88 110L92 162H70Z", BLUSH
    )
    puffs = "".join(
        circle(x, y, r, LIGHT) for x, y, r in ((84, 88, 3.5), (94, 76, 5), (108, 60, 7))
    )
    return scene(
        pane, bed, pillow, sleeper, quilt, puffs, ground="floor", horizon=166, sky="#5b6d98"
    )


def sack_idiomatic_related() -> str:
    lamp = (
        polygon([(150, 74), (182, 74), (174, 50), (158, 50)], YELLOW)
        + line(166, 74, 166, 122, DARK, 4)
        + oval(166, 124, 14, 4, DARK)
    )
    man = person(
        84,
        184,
        128,
        top=TEAL,
        hair=BROWN,
        skin=FAIR,
        face="yawn",
        arms=(((-22, -46), (-6, -40)), ((26, -62), (13, -76))),
    )
    laptop = polygon([(66, 126), (118, 126), (112, 92), (60, 92)], DARK) + polygon(
        [(68, 123), (114, 123), (109, 95), (64, 95)], DARK
    )
    mug = (
        rect(132, 108, 18, 18, WHITE, 3)
        + stroke("M150 112q8 0 8 5t-8 5", WHITE, 3)
        + stroke("M137 102q-4 -5 0 -10M145 102q-4 -5 0 -10", LIGHT, 2.5)
    )
    return scene(
        lamp,
        man,
        table(10, 126, 180, 70),
        laptop,
        mug,
        clock(40, 42, 20),
        ground="floor",
        horizon=170,
    )


def sack_literal_related() -> str:
    body = shape("M52 84Q28 124 44 176H140Q158 124 134 84Z", TAN) + oval(93, 84, 43, 13, BROWN)
    fold = shape("M46 84Q93 110 140 84L138 98Q93 122 48 98Z", "#dcb183") + stroke(
        "M60 120Q66 146 62 168M124 120Q120 146 126 168", BROWN, 2
    )

    def potato(x: float, y: float, turn: float) -> str:
        eyes = circle(-4, -2, 1.4, BROWN) + circle(5, 3, 1.4, BROWN)
        return group(oval(0, 0, 15, 11, "#d3a04e"), eyes, x=x, y=y, turn=turn)

    inside = ((70, 76, 20), (94, 70, -10), (116, 76, 30), (82, 60, -25), (106, 58, 10))
    beside = ((160, 170, 10), (178, 182, -25), (146, 186, 0))
    heap, rest = ("".join(potato(*at) for at in some) for some in (inside, beside))
    wall = boards(0, 146, TAN) + stroke("M0 146H200", BROWN, 4)
    return scene(wall, body, heap, fold, rest, ground="floor", horizon=146)


def sack_literal() -> str:
    chain = line(146, 0, 146, 44, DARK, 4) + stroke("M146 44L130 58M146 44L162 58", DARK, 3)
    bag = group(
        rect(-24, 0, 48, 106, RED, 12),
        rect(-24, 16, 48, 8, "#b23c3a"),
        rect(-24, 80, 48, 8, "#b23c3a"),
        x=146,
        y=54,
        turn=-6,
    )
    boxer = person(
        62,
        188,
        128,
        top=BLUE,
        sleeves=OLIVE,
        legs=OLIVE,
        skin=OLIVE,
        hair=INK,
        face="angry",
        look=1,
        arms=(((-6, -52), (8, -62)), ((24, -66), (42, -68))),
        feet=(((-18, -3),), ((14, -3),)),
    )
    shorts = rect(46, 134, 32, 20, YELLOW, 5)
    gloves = circle(116, 101, 11, ORANGE) + circle(74, 110, 11, ORANGE)
    burst = stroke("M124 84L132 74M128 118L136 126M122 78L122 70", YELLOW, 4)
    return scene(chain, bag, boxer, shorts, gloves, burst, ground="tiles", horizon=164)


def sack_distractor() -> str:
    mesh = polygon([(86, 122), (114, 108), (114, 160), (86, 186)], "#f4f6f7")
    mesh += stroke(
        "M86 138L114 121M86 154L114 134M86 170L114 147M93 118V180M100 115V173M107 111V166",
        GREY,
        1.4,
    )
    mesh += (
        line(86, 122, 86, 188, DARK, 4)
        + line(114, 108, 114, 162, DARK, 4)
        + line(86, 122, 114, 108, WHITE, 4)
    )

    def racket(x: float, y: float, turn: float) -> str:
        frame = '<ellipse cx="0" cy="-24" rx="11" ry="14" fill="#fbf3d0" stroke="#87573a" stroke-width="3.5"/>'
        return group(line(0, 0, 0, -10, BROWN, 4), frame, x=x, y=y, turn=turn)

    left = person(
        42,
        182,
        96,
        top=WHITE,
        skirt=WHITE,
        style="tails",
        hair=BROWN,
        look=1,
        face="happy",
        arms=(((-22, -58),), ((24, -72),)),
        feet=(((-12, -3),), ((12, -3),)),
    )
    right = person(
        160,
        182,
        96,
        top=YELLOW,
        skirt=BLUE,
        style="bun",
        hair=INK,
        skin=DEEP,
        look=-1,
        arms=(((-24, -60),), ((22, -50),)),
        feet=(((-12, -3),), ((12, -3),)),
    )
    ball = circle(104, 72, 6, "#d8e04c") + stroke("M74 92Q88 76 98 73", WHITE, 2)
    return scene(
        mesh,
        left,
        racket(66, 113, 30),
        right,
        racket(136, 124, -40),
        ball,
        sun(24, 28, 12),
        ground="grass",
        horizon=146,
    )


# ---------------------------------------------------------------- kick the bucket


def bucket_idiomatic() -> str:
    stone = shape("M66 166V92A34 34 0 0 1 134 92V166Z", GREY) + stroke(
        "M100 84V122M86 96H114", DARK, 6
    )
    mound = shape("M44 180Q100 150 156 180Z", BROWN) + rect(56, 162, 88, 10, DARK, 3)
    blooms = "".join(
        flower(x, 186, h, c)
        for x, h, c in ((70, 20, WHITE), (84, 24, PINK), (118, 22, WHITE), (132, 20, PINK))
    )
    tree_ = stroke("M174 150V60M174 100L192 78M174 86L156 62M174 70L184 50", BROWN, 6)
    return scene(
        cloud(44, 36, 0.9, LIGHT), tree_, mound, stone, blooms, ground="grass", horizon=144
    )


def bucket_idiomatic_related() -> str:
    bed = (
        rect(10, 102, 8, 80, GREY, 3)
        + rect(152, 124, 8, 58, GREY, 3)
        + rect(14, 146, 142, 18, LIGHT)
    )
    patient = rect(20, 124, 46, 22, WHITE, 10) + head(
        46, 122, 17, hair=LIGHT, style="bald", face="sad", turn=-70
    )
    cover = shape("M62 148Q64 118 92 118Q128 116 154 134V160H62Z", SKY)
    drip = (
        line(90, 20, 90, 116, DARK, 3)
        + rect(80, 20, 20, 28, "#e4f1f8", 5)
        + rect(80, 34, 20, 14, SKY, 4)
        + stroke("M84 48Q70 80 78 120", BLUE, 2)
    )
    nurse = person(
        172,
        188,
        118,
        top=TEAL,
        legs=TEAL,
        style="bun",
        hair=BROWN,
        skin=OLIVE,
        face="worried",
        look=-1,
        arms=(((-22, -50), (-26, -44)), ((17, -42),)),
    )
    return scene(bed, drip, patient, cover, nurse, ground="tiles", horizon=164)


def bucket_literal_related() -> str:
    mop = (
        line(138, 100, 112, 158, BROWN, 5)
        + shape("M104 152L120 158L124 186Q106 192 88 184Z", WHITE)
        + stroke("M106 164L100 184M112 164V188M117 164L120 184", GREY, 2)
    )
    cleaner = person(
        160,
        188,
        124,
        top=TEAL,
        legs=NAVY,
        style="bun",
        hair=INK,
        skin=FAIR,
        look=-1,
        arms=(((-22, -56), (-20, -66)), ((6, -50), (-26, -52))),
    )
    pail = bucket(58, 184, 1.5, YELLOW)
    foam = "".join(
        circle(x, y, r, WHITE)
        for x, y, r in ((38, 122, 9), (48, 117, 11), (60, 115, 12), (72, 118, 10), (80, 122, 7))
    )
    suds = "".join(
        f'<circle cx="{x}" cy="{y}" r="{r}" fill="#fff" fill-opacity=".6" stroke="#4580c2" stroke-width="1.6"/>'
        for x, y, r in ((36, 84, 8), (62, 70, 6), (84, 88, 9), (24, 106, 5), (50, 44, 7))
    )
    return scene(
        oval(100, 188, 40, 7, SKY), cleaner, mop, pail, foam, suds, ground="tiles", horizon=140
    )


def bucket_literal() -> str:
    girl = person(
        62,
        186,
        122,
        top=PURPLE,
        legs=DARK,
        style="long",
        hair=INK,
        skin=FAIR,
        face="plain",
        look=1,
        arms=(((-26, -58),), ((20, -46),)),
        feet=(((-8, -3),), ((26, -30), (42, -16))),
        turn=-6,
    )
    pail = bucket(150, 160, 1.15, RED, turn=42)
    splash = "".join(
        drop(x, y, s, BLUE)
        for x, y, s in (
            (184, 92, 1),
            (190, 118, 0.8),
            (168, 84, 0.8),
            (186, 140, 1),
            (176, 108, 0.7),
        )
    )
    hit = stroke("M126 142L118 132M124 154L112 154M128 166L120 174", YELLOW, 4)
    return scene(girl, pail, splash, hit, oval(176, 184, 22, 5, SKY), ground="grass", horizon=158)


def bucket_distractor() -> str:
    girl = person(
        54,
        188,
        120,
        top=ORANGE,
        skirt=BLUE,
        style="tails",
        hair=BROWN,
        face="happy",
        look=1,
        arms=(((-20, -44),), ((18, -86), (28, -98))),
        feet=(((-12, -3),), ((12, -3),)),
    )
    plane = (
        polygon([(128, 62), (186, 34), (150, 78)], WHITE)
        + polygon([(128, 62), (186, 34), (140, 68)], LIGHT)
        + polygon([(140, 68), (186, 34), (144, 84)], GREY)
    )
    trail = stroke("M94 84Q108 74 120 68", WHITE, 3).replace("/>", ' stroke-dasharray="3 8"/>')
    meadow = tufts((96, 178), (128, 190), (14, 184), (180, 186), (108, 166)) + flower(
        146, 188, 20, PINK
    )
    return scene(
        cloud(40, 30, 0.8),
        tree(166, 162, 62, GREEN),
        meadow,
        girl,
        trail,
        plane,
        ground="grass",
        horizon=156,
    )


# ---------------------------------------------------------------- hot air


def air_idiomatic() -> str:
    flags = rect(14, 60, 4, 106, DARK) + shape("M18 62Q34 54 46 64V92Q34 84 18 92Z", BLUE)
    speaker = person(
        78,
        176,
        118,
        top=INK,
        tie=RED,
        skin=PALE,
        hair=GREY,
        face="shout",
        look=1,
        arms=(((-22, -56), (-28, -78)), ((22, -60), (26, -82))),
    )
    stand = polygon([(50, 112), (106, 112), (98, 178), (58, 178)], BROWN) + rect(
        46, 106, 64, 9, TAN, 3
    )
    mic = line(90, 106, 88, 92, DARK, 3) + circle(88, 90, 4, INK)
    talk = bubble(146, 42, 96, 60, (98, 78)) + stroke(
        "M112 30h8q6 0 6 6t6 6h10M150 28q8 -6 14 2t16 0M112 56q7 -7 14 0t14 0t14 0t14 0t12 0",
        GREY,
        3,
    )
    dozer = head(160, 158, 20, hair=BROWN, skin=FAIR, face="asleep", turn=24) + rect(
        132, 176, 54, 30, GREEN, 14
    )
    return scene(
        flags,
        speaker,
        stand,
        mic,
        talk,
        rect(132, 176, 54, 30, GREEN, 14),
        dozer,
        ground="floor",
        horizon=164,
    )


def air_idiomatic_related() -> str:
    dream = bubble(100, 36, 132, 58, (100, 82)) + fish(94, 36, 1.4, TEAL)
    boaster = person(
        100,
        176,
        98,
        top=ORANGE,
        style="cap",
        hair=FOREST,
        face="happy",
        arms=(((-26, -66), (-42, -68)), ((26, -66), (42, -68))),
    )
    pail = bucket(148, 188, 0.75, GREY) + fish(148, 154, 0.32, TEAL, turn=-80)
    crowd = head(26, 154, 15, hair=INK, skin=DEEP, style="back") + rect(6, 168, 42, 40, BLUE, 14)
    crowd += (
        rect(52, 184, 40, 30, PURPLE, 13)
        + head(72, 172, 14, hair=BROWN, style="back")
        + rect(158, 178, 42, 40, RED, 14)
        + head(180, 164, 15, hair="#b5562f", style="back")
    )
    return scene(dream, boaster, pail, crowd, ground="grass", horizon=144)


def air_literal_related() -> str:
    balloon = shape(
        "M100 16C142 16 158 50 154 72C150 98 122 116 114 128H86C78 116 50 98 46 72C42 50 58 16 100 16Z",
        RED,
    )
    stripes = shape(
        "M100 16C116 30 122 60 118 84C116 104 108 118 106 128H94C92 118 84 104 82 84C78 60 84 30 100 16Z",
        YELLOW,
    )
    basket = (
        stroke("M88 128L90 148M112 128L110 148", BROWN, 2.5)
        + rect(86, 148, 28, 20, BROWN, 4)
        + stroke("M86 155H114", TAN, 2)
    )
    flame = shape("M96 142Q94 134 100 128Q106 134 104 142Z", ORANGE)
    hills = shape("M0 180Q50 154 100 180Q150 156 200 176V200H0Z", GREEN)
    return scene(cloud(32, 118, 0.8), cloud(172, 104, 0.9), hills, balloon, stripes, basket, flame)


def air_literal() -> str:
    blown = "".join(
        stroke(f"M66 {y}Q40 {y - 10} 6 {y - e}", "#b5562f", 9)
        for y, e in ((58, 18), (70, 8), (82, 2), (94, -4), (106, -8))
    )
    woman = (
        rect(40, 136, 92, 80, TEAL, 30)
        + rect(76, 116, 20, 28, FAIR, 6)
        + head(86, 86, 38, hair="#b5562f", skin=FAIR, face="happy", look=1)
    )
    dryer = group(
        rect(-24, -16, 44, 32, PURPLE, 14),
        polygon([(-24, -11), (-40, -15), (-40, 15), (-24, 11)], INK),
        rect(0, 10, 15, 42, PURPLE, 6),
        circle(8, 0, 8, "#6a5090"),
        x=178,
        y=56,
        turn=-14,
    )
    hot = "".join(stroke(f"M132 {y}q-6 -5 -12 0t-10 0", RED, 3.5) for y in (52, 64, 76))
    hand = circle(188, 86, 10, FAIR) + stroke("M120 190Q176 170 188 98", TEAL, 17)
    return scene(blown, woman, dryer, hot, hand + circle(188, 92, 10, FAIR), ground="")


def air_distractor() -> str:
    def log(x: float, y: float) -> str:
        return (
            circle(x, y, 20, BROWN)
            + circle(x, y, 16, "#e0b887")
            + f'<g fill="none" stroke="#b98950" stroke-width="2"><circle cx="{x}" cy="{y}" r="11"/><circle cx="{x}" cy="{y}" r="6"/></g>'
        )

    pile = "".join(
        log(x, y) for x, y in ((40, 164), (80, 164), (120, 164), (60, 129), (100, 129), (80, 94))
    )
    axe = line(174, 182, 150, 112, TAN, 6) + shape(
        "M140 118L164 106Q160 92 144 94Q132 102 134 114Z", GREY
    )
    return scene(
        tree(164, 150, 100), tree(24, 142, 80, GREEN), pile, axe, ground="grass", horizon=140
    )


# ---------------------------------------------------------------- in the same boat


def boat_idiomatic() -> str:
    office = rect(84, 14, 34, 140, GREY) + rect(58, 30, 86, 124, GREY)
    panes = "".join(
        rect(x, y, 9, 11, "#e8eef3") for x in (66, 82, 98, 112, 127) for y in (38, 58, 78, 98)
    )

    def leaver(x: float, top: str, skin: str, hair: str, style: str, look: float) -> str:
        box = (
            rect(-20, -62, 40, 24, TAN, 2)
            + rect(-20, -62, 40, 5, BROWN)
            + rect(-12, -76, 5, 16, GREEN)
            + rect(4, -72, 9, 11, WHITE)
        )
        hands = circle(-20, -48, 4.8, skin) + circle(20, -48, 4.8, skin)
        return person(
            x,
            190,
            114,
            top=top,
            skin=skin,
            hair=hair,
            style=style,
            face="sad",
            look=look,
            arms=(((-21, -50),), ((21, -50),)),
            extra=box + hands,
        )

    return scene(
        office,
        panes,
        rect(92, 122, 18, 32, NAVY),
        leaver(54, BLUE, PALE, BROWN, "short", 1),
        leaver(146, PURPLE, DEEP, INK, "bun", -1),
        ground="street",
        horizon=154,
    )


def boat_idiomatic_related() -> str:
    bench = (
        rect(16, 146, 168, 9, BROWN, 3)
        + rect(30, 152, 8, 40, BROWN)
        + rect(162, 152, 8, 40, BROWN)
        + rect(16, 104, 168, 12, BROWN, 4)
    )
    weeper = person(
        84,
        190,
        118,
        top=BLUE,
        legs=DARK,
        hair=INK,
        skin=FAIR,
        face="sad",
        look=0,
        arms=(((-18, -54), (-8, -76)), ((18, -54), (10, -46))),
        feet=(((-8, -32), (-7, -3)), ((8, -32), (7, -3))),
    )
    friend = person(
        124,
        190,
        118,
        top=YELLOW,
        legs=TEAL,
        style="long",
        hair=BROWN,
        face="worried",
        look=-1,
        arms=(((-40, -64),), ((16, -46),)),
        feet=(((-8, -32), (-7, -3)), ((8, -32), (7, -3))),
    )
    tears = drop(78, 94, 0.5) + drop(90, 96, 0.5)
    return scene(
        tree(170, 156, 110, GREEN), bench, weeper, friend, tears, ground="grass", horizon=152
    )


def boat_literal_related() -> str:
    hull = shape("M48 140H158L140 168H64Z", RED) + rect(48, 136, 110, 7, WHITE, 3)
    sails = (
        line(100, 22, 100, 138, BROWN, 5)
        + polygon([(106, 28), (106, 128), (160, 128)], WHITE)
        + polygon([(94, 36), (94, 84), (66, 84)], BLUSH)
    )
    flag = polygon([(100, 22), (100, 10), (120, 16)], YELLOW)
    sailor = person(
        72,
        150,
        62,
        top=NAVY,
        style="cap",
        hair=WHITE,
        skin=FAIR,
        look=1,
        arms=(((-18, -44),), ((30, -60),)),
    )
    return scene(
        sun(32, 96, 14),
        gulls((22, 54), (158, 40)),
        sails,
        flag,
        sailor,
        hull,
        waves(176, WHITE),
        waves(192, WHITE),
        ground="sea",
        horizon=152,
    )


def boat_literal() -> str:
    hull = shape("M16 128Q100 150 184 128Q174 172 144 176H56Q26 172 16 128Z", BROWN) + stroke(
        "M22 142Q100 162 178 142", TAN, 3
    )
    one = person(
        66,
        172,
        104,
        top=GREEN,
        style="cap",
        hair=RED,
        look=1,
        face="smile",
        arms=(((-6, -48), (10, -46)), ((20, -50), (30, -48))),
    )
    two = person(
        138,
        172,
        104,
        top=PINK,
        style="long",
        hair=INK,
        skin=OLIVE,
        look=-1,
        face="happy",
        arms=(((-20, -50), (-12, -40)), ((18, -44),)),
    )
    oar = line(92, 118, 40, 186, TAN, 5) + group(oval(0, 0, 6, 16, TAN), x=36, y=188, turn=38)
    return scene(
        cloud(40, 34, 0.9),
        cloud(166, 26, 0.7),
        waves(150, WHITE),
        one,
        two,
        hull,
        oar,
        waves(190, WHITE),
        ground="sea",
        horizon=136,
    )


def boat_distractor() -> str:
    tent = polygon([(96, 150), (146, 60), (196, 150)], ORANGE) + polygon(
        [(130, 150), (146, 60), (162, 150)], BROWN
    )
    fire = (
        line(42, 176, 78, 166, BROWN, 7)
        + line(42, 166, 78, 176, BROWN, 7)
        + shape("M46 166Q42 144 56 128Q58 140 64 142Q66 134 66 130Q80 148 74 166Z", ORANGE)
        + shape("M54 166Q52 152 60 146Q68 154 66 166Z", YELLOW)
    )
    sitting = (((-14, -26), (-10, -6)), ((14, -26), (12, -6)))
    kids = person(
        20, 188, 82, top=BLUE, hair=INK, skin=DEEP, look=1, face="happy", feet=sitting
    ) + person(108, 192, 82, top=RED, style="tails", look=-1, feet=sitting)
    kids += person(
        158,
        194,
        82,
        top=GREEN,
        style="curly",
        hair=BROWN,
        skin=FAIR,
        look=-1,
        face="happy",
        feet=sitting,
    )
    return scene(
        moon(40, 36, 15),
        stars((20, 70), (80, 24), (110, 46), (176, 30), (70, 66)),
        tent,
        fire,
        kids,
        ground="grass",
        horizon=144,
        sky="#41557f",
    )


ENGLISH = {
    "spill-the-beans": "beans",
    "break-the-ice": "ice",
    "cold-feet": "feet",
    "tie-the-knot": "knot",
    "hit-the-sack": "sack",
    "kick-the-bucket": "bucket",
    "hot-air": "air",
    "in-the-same-boat": "boat",
}


def draw(slug: str, role: str) -> str:
    """The drawing of one role of one English phrase."""
    drawing: str = globals()[f"{ENGLISH[slug]}_{role}"]()
    return drawing
