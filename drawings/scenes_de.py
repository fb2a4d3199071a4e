"""The pictures of the German phrases, composed from the kit: one function a picture."""

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
    GROUNDS,
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
    circle,
    cloud,
    drop,
    flower,
    group,
    gulls,
    head,
    house,
    leaves,
    line,
    oval,
    person,
    polygon,
    question,
    rect,
    scene,
    shape,
    spoon,
    stroke,
    sun,
    table,
    tree,
    tufts,
    waves,
    window,
)

# ---------------------------------------------------------------- Sackgasse


def gasse_idiomatic() -> str:
    folded = (((-20, -54), (6, -52)), ((20, -54), (-6, -56)))
    left = person(
        44, 188, 122, top=BLUE, tie=RED, hair=INK, skin=OLIVE, face="angry", look=-1, arms=folded
    )
    right = person(
        156, 188, 122, top=DARK, style="bun", hair=BROWN, face="angry", look=1, arms=folded
    )
    papers = group(rect(-14, -9, 28, 18, WHITE), x=84, y=132, turn=-8) + group(
        rect(-14, -9, 28, 18, LIGHT), x=118, y=132, turn=10
    )
    lamp = line(100, 0, 100, 30, DARK, 3) + polygon(
        [(78, 46), (122, 46), (110, 28), (90, 28)], YELLOW
    )
    return scene(
        lamp, left, right, papers, table(54, 138, 92, 50, BROWN), ground="floor", horizon=164
    )


def gasse_idiomatic_related() -> str:
    def ball(x: float, y: float, r: float = 9) -> str:
        return circle(x, y, r, WHITE) + stroke(
            f"M{x - 5} {y}l4 -4l2 5l5 -3M{x - 4} {y + 5}l7 -2", GREY, 1.8
        )

    woman = person(
        100,
        182,
        130,
        top=GREEN,
        style="long",
        hair="#b5562f",
        face="sad",
        arms=(((-26, -44), (-13, -80)), ((26, -44), (13, -80))),
    )
    heap = "".join(
        ball(x, y)
        for x, y in (
            (28, 118),
            (46, 120),
            (37, 105),
            (152, 120),
            (170, 119),
            (161, 105),
            (20, 186),
            (150, 190),
            (176, 182),
            (48, 192),
        )
    )
    sheet = rect(74, 120, 52, 8, WHITE) + line(134, 124, 148, 96, ORANGE, 4)
    return scene(woman, table(8, 128, 184, 60, TAN), sheet, heap, ground="floor", horizon=160)


def gasse_literal_related() -> str:
    row = (
        house(0, 122, 44, 56, YELLOW, BROWN)
        + house(50, 122, 44, 66, BLUSH, RED)
        + house(104, 122, 44, 54, TEAL, DARK)
        + house(156, 122, 44, 64, PINK, NAVY)
    )
    way = rect(0, 122, 200, 20, LIGHT) + stroke(
        "M6 176H30M54 176H78M102 176H126M150 176H174", WHITE, 4
    )
    folk = person(26, 150, 58, top=RED, style="long", look=1, face="smile") + person(
        70, 148, 58, top=NAVY, hair=INK, skin=DEEP, look=-1
    )
    folk += person(140, 150, 58, top=PURPLE, hair=GREY, look=1)
    return scene(row, way, folk, ground="street", horizon=140)


def gasse_literal() -> str:
    wall = rect(0, 44, 200, 72, "#b0593f")
    joints = "".join(stroke(f"M0 {y}H200", "#d99a7c", 2) for y in range(56, 116, 12))
    joints += stroke(
        "".join(
            f"M{x + (row % 2) * 12} {44 + row * 12}v12"
            for row in range(6)
            for x in range(10, 200, 26)
        ),
        "#d99a7c",
        2,
    )
    road = polygon([(64, 116), (136, 116), (200, 200), (0, 200)], DARK) + stroke(
        "M100 124V134M100 148V162M100 180V200", WHITE, 4
    )
    sign = (
        line(168, 62, 168, 168, LIGHT, 5)
        + rect(144, 22, 48, 52, BLUE, 5)
        + rect(164, 38, 8, 32, WHITE)
        + rect(153, 29, 30, 10, RED)
    )
    car = (
        rect(70, 130, 60, 28, YELLOW, 6)
        + polygon([(78, 132), (84, 112), (116, 112), (122, 132)], YELLOW)
        + polygon([(84, 130), (88, 116), (112, 116), (116, 130)], SKY)
    )
    car += (
        rect(76, 156, 12, 10, INK, 3)
        + rect(112, 156, 12, 10, INK, 3)
        + circle(77, 144, 4, RED)
        + circle(123, 144, 4, RED)
        + rect(90, 146, 20, 7, WHITE, 2)
    )
    return scene(wall, joints, road, car, sign, ground="grass", horizon=116)


def gasse_distractor() -> str:
    tower = polygon([(82, 160), (128, 160), (119, 62), (91, 62)], WHITE)
    tower += polygon([(84.5, 132), (125.5, 132), (123, 108), (87, 108)], RED) + polygon(
        [(89, 86), (121, 86), (119, 62), (91, 62)], RED
    )
    lamp = (
        rect(92, 40, 26, 22, YELLOW)
        + polygon([(86, 40), (124, 40), (105, 20)], DARK)
        + rect(86, 60, 38, 5, DARK)
    )
    beam = polygon([(118, 50), (200, 24), (200, 72)], "#fbe9a6") + polygon(
        [(92, 50), (0, 24), (0, 72)], "#fbe9a6"
    )
    rock = shape("M44 176Q56 152 104 152Q152 154 166 176Z", DARK)
    return scene(
        beam,
        rock,
        tower,
        rect(100, 144, 11, 16, BROWN, 4),
        lamp,
        waves(176, WHITE),
        waves(192, WHITE),
        ground="sea",
        horizon=150,
        sky="#7187b0",
    )


# ---------------------------------------------------------------- Zugpferd


def pferd_idiomatic() -> str:
    beams = polygon([(30, 0), (50, 0), (124, 130), (70, 130)], "#f7dd8e") + polygon(
        [(150, 0), (170, 0), (130, 130), (76, 130)], "#f7dd8e"
    )
    stage = rect(0, 128, 200, 30, "#5a3b33") + rect(0, 128, 200, 6, TAN)
    star = person(
        100,
        132,
        100,
        top=RED,
        skirt=RED,
        style="long",
        hair=YELLOW,
        face="happy",
        arms=(((-24, -84), (-30, -96)), ((18, -62), (8, -74))),
    )
    mic = line(109, 62, 106, 55, INK, 4) + circle(105, 54, 4, INK)
    looks = (
        (14, 178, INK),
        (46, 172, BROWN),
        (78, 180, "#b5562f"),
        (110, 174, INK),
        (144, 180, YELLOW),
        (178, 174, BROWN),
    )
    crowd = "".join(
        head(x, y, 13, hair=h, style="back") + rect(x - 16, y + 12, 32, 30, c, 10)
        for (x, y, h), c in zip(looks, (BLUE, GREEN, PURPLE, TEAL, ORANGE, PINK), strict=True)
    )
    arms = stroke("M30 186V160M62 186V158M94 186V160M128 186V158M162 188V160", PALE, 6)
    return scene(beams, stage, star, mic, arms, crowd, sky="#4b4470")


def pferd_idiomatic_related() -> str:
    top = (
        polygon([(100, 26), (176, 96), (24, 96)], RED)
        + polygon([(100, 26), (78, 96), (50, 96)], WHITE)
        + polygon([(100, 26), (122, 96), (150, 96)], WHITE)
    )
    edge = "".join(
        circle(x, 98, 10, c)
        for x, c in (
            (32, YELLOW),
            (54, RED),
            (76, YELLOW),
            (98, RED),
            (120, YELLOW),
            (142, RED),
            (164, YELLOW),
        )
    )
    walls = "".join(rect(28 + 24 * k, 96, 24, 74, (WHITE, RED)[k % 2]) for k in range(6))
    door = polygon([(76, 170), (100, 110), (124, 170)], INK)
    flag = line(100, 26, 100, 6, DARK, 3) + polygon([(100, 6), (124, 12), (100, 18)], BLUE)
    lamps = stroke("M0 40Q50 60 100 26Q150 60 200 40", DARK, 2) + "".join(
        circle(x, y, 4, YELLOW)
        for x, y in ((16, 46), (44, 50), (70, 44), (130, 44), (156, 50), (184, 46))
    )
    return scene(lamps, flag, walls, door, top, edge, ground="grass", horizon=156)


def horse(x: float, y: float, s: float = 1, *, coat: str = BROWN, mane: str = INK) -> str:
    """A horse that looks right and stands at (x, y)."""
    legs = "".join(
        rect(at, -44, 9, 44, coat, 3) + rect(at, -6, 9, 6, INK) for at in (-36, -24, 16, 28)
    )
    body = oval(-2, -54, 42, 21, coat) + stroke("M-40 -62Q-54 -52 -50 -28", mane, 7)
    neck = stroke("M28 -58L46 -92", coat, 20) + group(
        oval(0, 0, 19, 10, coat), x=58, y=-92, turn=28
    )
    ear = polygon([(42, -100), (45, -114), (51, -100)], coat)
    return group(
        legs,
        body,
        neck,
        stroke("M16 -70L36 -104", mane, 7),
        ear,
        circle(56, -95, 2.4, INK),
        circle(71, -85, 1.6, INK),
        x=x,
        y=y,
        s=s,
    )


def pferd_literal_related() -> str:
    fence = (
        "".join(rect(x, 100, 7, 50, TAN, 2) for x in (6, 54, 102, 150, 190))
        + rect(0, 108, 200, 6, TAN)
        + rect(0, 128, 200, 6, TAN)
    )
    girl = person(
        24,
        188,
        92,
        top=RED,
        style="tails",
        hair=BROWN,
        face="happy",
        look=1,
        arms=(((-17, -42),), ((26, -92),)),
    )
    return scene(
        sun(34, 34, 15),
        cloud(140, 36, 0.9),
        fence,
        group(horse(0, 0, 1.08, coat=OLIVE, mane=BLUSH), x=122, y=184, flip=True),
        girl,
        tufts((60, 194), (150, 192)),
        ground="grass",
        horizon=134,
    )


def pferd_literal() -> str:
    cart = (
        rect(8, 112, 76, 28, TAN, 3)
        + stroke("M8 124H84", BROWN, 2)
        + line(80, 136, 160, 118, BROWN, 5)
    )
    hay = shape("M10 112Q8 84 30 84Q44 66 60 82Q84 84 82 112Z", YELLOW) + stroke(
        "M22 104L30 92M40 104L44 84M58 102L64 90", ORANGE, 2.5
    )
    wheel = (
        circle(46, 154, 28, BROWN)
        + circle(46, 154, 22, GROUNDS["grass"])
        + stroke("M46 130V178M22 154H70M29 137L63 171M63 137L29 171", BROWN, 3.5)
        + circle(46, 154, 6, BROWN)
    )
    collar = stroke("M140 100Q154 114 148 138", RED, 6)
    return scene(
        cloud(36, 34, 0.8),
        horse(130, 182, 0.88),
        cart,
        hay,
        wheel,
        collar,
        ground="grass",
        horizon=146,
    )


def pferd_distractor() -> str:
    cushion = (
        rect(14, 130, 172, 46, PURPLE, 22)
        + circle(20, 153, 6, YELLOW)
        + circle(180, 153, 6, YELLOW)
    )
    cat = oval(104, 116, 62, 34, ORANGE) + stroke(
        "M160 128Q166 152 120 148Q92 146 80 142", ORANGE, 13
    )
    stripes = stroke(
        "M112 84Q116 96 112 106M130 88Q134 98 130 108M146 98Q148 106 144 114", BROWN, 4
    )
    skull = (
        circle(58, 116, 27, ORANGE)
        + polygon([(36, 104), (36, 78), (54, 92)], ORANGE)
        + polygon([(64, 91), (82, 80), (80, 106)], ORANGE)
    )
    looks = (
        stroke("M42 114Q48 119 53 114M63 114Q69 119 74 114", INK, 2.4)
        + polygon([(55, 121), (61, 121), (58, 125)], PINK)
        + stroke(
            "M58 126Q54 131 50 128M58 126Q62 131 66 128M34 122L18 118M34 127L19 130M82 122L98 118M82 127L97 130",
            INK,
            1.6,
        )
    )
    return scene(
        window(122, 16, 54, 44), cushion, cat, stripes, skull, looks, ground="floor", horizon=150
    )


# ---------------------------------------------------------------- den Löffel abgeben


def spoon_idiomatic() -> str:
    coffin = polygon(
        [(24, 110), (48, 92), (152, 92), (176, 110), (164, 146), (36, 146)], BROWN
    ) + stroke("M28 112H172", "#6f4630", 3)
    handles = rect(58, 122, 24, 5, YELLOW, 2) + rect(118, 122, 24, 5, YELLOW, 2)
    trestle = (
        rect(40, 146, 120, 10, DARK, 3)
        + line(56, 156, 48, 184, DARK, 6)
        + line(144, 156, 152, 184, DARK, 6)
    )
    wreath = "".join(
        circle(x, y, 8, c)
        for x, y, c in ((80, 88, FOREST), (92, 80, GREEN), (108, 80, FOREST), (120, 88, GREEN))
    ) + "".join(
        circle(x, y, 5, c) for x, y, c in ((86, 82, WHITE), (100, 76, PINK), (114, 82, WHITE))
    )
    candles = "".join(
        rect(x, 84, 9, 100, WHITE, 2)
        + shape(f"M{x + 4.5} 62Q{x + 11} 74 {x + 4.5} 82Q{x - 2} 74 {x + 4.5} 62Z", ORANGE)
        for x in (6, 185)
    )
    cross = stroke("M100 14V62M84 30H116", DARK, 6)
    return scene(cross, candles, trestle, coffin, handles, wreath, ground="tiles", horizon=166)


def spoon_idiomatic_related() -> str:
    bench = (
        rect(20, 142, 120, 9, BROWN, 3)
        + rect(20, 100, 120, 11, BROWN, 4)
        + rect(30, 150, 7, 40, BROWN)
        + rect(122, 150, 7, 40, BROWN)
    )
    lady = person(
        74,
        190,
        116,
        top=PURPLE,
        skirt=DARK,
        style="bun",
        hair=LIGHT,
        face="plain",
        look=1,
        arms=(((-16, -46), (-2, -40)), ((22, -52), (32, -50))),
        feet=(((-8, -24), (-6, -3)), ((8, -24), (8, -3))),
    )
    cane = stroke("M112 188V132Q112 124 104 126", BROWN, 4)
    falling = leaves(
        (40, 60),
        (110, 70),
        (128, 110),
        (90, 40),
        (180, 178),
        (150, 186),
        (24, 178),
        (60, 90),
        (186, 140),
        (140, 150),
    )
    return scene(
        tree(164, 170, 140, ORANGE), bench, lady, cane, falling, ground="grass", horizon=150
    )


def spoon_literal_related() -> str:
    bowl = (
        shape("M30 104H150Q148 158 90 158Q32 158 30 104Z", WHITE)
        + oval(90, 104, 60, 16, WHITE)
        + oval(90, 105, 52, 12, ORANGE)
        + stroke("M36 124Q90 146 144 124", BLUE, 4)
    )
    bits = circle(72, 104, 4, FOREST) + circle(96, 108, 4, FOREST) + circle(112, 102, 4, YELLOW)
    steam = stroke(
        "M66 82q-8 -9 0 -18t0 -18M90 78q-8 -9 0 -18t0 -18M114 82q-8 -9 0 -18t0 -18", GREY, 3.5
    )
    return scene(
        steam,
        bowl,
        bits,
        spoon(172, 146, 1.1),
        rect(0, 162, 200, 38, RED),
        stroke("M0 174H200M0 190H200", BLUSH, 3),
    )


def spoon_literal() -> str:
    counter = rect(112, 124, 88, 76, TAN) + rect(106, 118, 94, 9, BROWN, 3)
    cook = person(
        156,
        190,
        122,
        top=WHITE,
        hair=INK,
        skin=OLIVE,
        look=-1,
        face="smile",
        arms=(((-24, -58), (-36, -60)), ((17, -44),)),
    )
    hat = (
        rect(142, 58, 28, 18, WHITE, 3)
        + circle(144, 56, 9, WHITE)
        + circle(156, 51, 11, WHITE)
        + circle(168, 56, 9, WHITE)
    )
    child = person(
        50,
        188,
        92,
        top=RED,
        style="tails",
        hair=BROWN,
        face="smile",
        look=1,
        arms=(((-18, -42),), ((24, -66), (38, -72))),
    )
    held = spoon(98, 110, 1.05, turn=30)
    return scene(
        cook,
        hat,
        counter,
        child,
        held,
        circle(112, 117, 6, OLIVE),
        circle(86, 122, 5, PALE),
        ground="tiles",
        horizon=166,
    )


def spoon_distractor() -> str:
    crown = (
        circle(68, 60, 34, GREEN)
        + circle(126, 62, 36, GREEN)
        + circle(98, 40, 34, GREEN)
        + oval(98, 80, 44, 22, GREEN)
    )
    fruit = "".join(
        circle(x, y, 7, RED)
        for x, y in (
            (58, 54),
            (84, 34),
            (112, 56),
            (138, 48),
            (76, 80),
            (124, 86),
            (148, 74),
            (100, 76),
        )
    )
    ladder = (
        line(34, 186, 66, 66, TAN, 5)
        + line(60, 190, 90, 72, TAN, 5)
        + stroke(
            "M39 168L65 172M44 150L70 154M49 132L74 136M54 114L79 118M58 96L84 100M62 80L88 84",
            TAN,
            4,
        )
    )
    basket = (
        shape("M120 162H176L168 190H128Z", BROWN)
        + stroke("M124 172H172", TAN, 3)
        + "".join(circle(x, 160, 8, RED) for x in (132, 148, 164))
    )
    return scene(
        tufts((16, 174), (112, 182), (180, 172), (24, 196), (90, 196)),
        gulls((10, 40), (168, 24)),
        rect(88, 90, 20, 90, BROWN),
        crown,
        fruit,
        ladder,
        basket,
        ground="grass",
        horizon=152,
    )


# ---------------------------------------------------------------- auf der Leitung stehen


def hose_idiomatic() -> str:
    man = person(
        100,
        196,
        150,
        top=ORANGE,
        hair=BROWN,
        skin=FAIR,
        face="worried",
        arms=(((-22, -48), (-10, -40)), ((30, -70), (16, -96))),
    )
    marks = (
        question(36, 60, 1.5)
        + question(162, 44, 1.5, BLUE)
        + question(44, 120, 1.1, PURPLE)
        + question(164, 112, 1.1, RED)
    )
    return scene(marks, man, ground="floor", horizon=172)


def hose_idiomatic_related() -> str:
    bulb = (
        circle(100, 58, 32, YELLOW)
        + polygon([(82, 78), (118, 78), (112, 98), (88, 98)], YELLOW)
        + rect(87, 96, 26, 14, GREY, 4)
        + stroke("M90 66L96 56L104 66L110 56", ORANGE, 3)
    )
    rays = stroke(
        "M100 16V6M58 58H46M142 58H154M70 28L62 20M130 28L138 20M70 88L60 96M130 88L140 96",
        ORANGE,
        4,
    )
    book = shape("M100 134Q62 116 20 128V180Q62 168 100 186Z", WHITE) + shape(
        "M100 134Q138 116 180 128V180Q138 168 100 186Z", "#f2efe6"
    )
    text = stroke(
        "M34 140Q62 134 88 144M34 152Q62 146 88 156M34 164Q62 158 88 168M112 144Q138 134 166 140M112 156Q138 146 166 152M112 168Q138 158 166 164",
        GREY,
        2.6,
    )
    return scene(
        bulb,
        rays,
        shape(
            "M100 190Q60 174 14 186V132H20V180Q62 168 100 186Q138 168 180 180V132H186V186Q140 174 100 190Z",
            RED,
        ),
        book,
        text,
        ground="floor",
        horizon=150,
    )


def hose_literal_related() -> str:
    hose = stroke(
        "M0 176Q40 196 60 172Q76 150 56 142Q36 140 44 160Q56 184 92 150L112 112", FOREST, 9
    )
    nozzle = line(110, 116, 122, 92, INK, 12) + line(120, 96, 127, 82, ORANGE, 15)
    spray = (
        stroke("M130 72Q150 36 178 60M132 76Q152 56 172 84M128 68Q142 22 180 34", BLUE, 4)
        + drop(180, 76, 0.7)
        + drop(186, 52, 0.7)
        + drop(174, 100, 0.7)
        + drop(190, 100, 0.7)
    )
    bed = "".join(
        flower(x, 178, h, c)
        for x, h, c in ((144, 40, RED), (160, 50, YELLOW), (176, 42, PINK), (190, 48, PURPLE))
    )
    return scene(
        sun(36, 38, 15),
        spray,
        bed,
        rect(128, 174, 72, 18, BROWN, 7),
        hose,
        nozzle,
        ground="grass",
        horizon=134,
    )


def hose_literal() -> str:
    hose = stroke(
        "M0 184Q30 170 60 184Q84 192 104 184Q136 172 158 180Q180 184 178 150L172 116", FOREST, 9
    )
    nozzle = line(172, 118, 166, 96, INK, 12) + line(167, 98, 163, 84, ORANGE, 15)
    man = person(
        84,
        184,
        134,
        top=BLUE,
        legs=BROWN,
        style="cap",
        hair=YELLOW,
        skin=PALE,
        face="plain",
        look=1,
        arms=(((-18, -44),), ((20, -52), (10, -42))),
        shoes=RED,
    )
    tap = rect(0, 150, 8, 50, GREY)
    return scene(
        house(4, 140, 44, 44),
        hose,
        man,
        nozzle,
        drop(156, 74, 0.9),
        tap,
        ground="grass",
        horizon=140,
    )


def hose_distractor() -> str:
    beam = line(16, 150, 184, 110, ORANGE, 9) + polygon([(100, 130), (80, 182), (120, 182)], DARK)
    sit = (((-12, -24), (-14, -8)), ((12, -24), (14, -8)))
    low = person(
        34,
        170,
        84,
        top=TEAL,
        hair=INK,
        skin=DEEP,
        style="curly",
        look=1,
        face="happy",
        feet=sit,
        arms=(((-8, -50), (8, -46)), ((16, -52), (22, -46))),
    )
    high = person(
        164,
        130,
        84,
        top=PINK,
        style="tails",
        hair=YELLOW,
        look=-1,
        face="happy",
        feet=sit,
        arms=(((-16, -52), (-22, -46)), ((8, -50), (-8, -46))),
    )
    handles = line(54, 140, 52, 126, DARK, 4) + line(144, 118, 142, 104, DARK, 4)
    return scene(
        cloud(60, 34, 0.9),
        gulls((118, 30), (96, 60)),
        tree(12, 150, 60, GREEN),
        tufts((130, 190), (160, 178), (20, 194), (60, 190)),
        low,
        high,
        beam,
        handles,
        ground="grass",
        horizon=150,
    )


GERMAN = {
    "sackgasse": "gasse",
    "zugpferd": "pferd",
    "den-loeffel-abgeben": "spoon",
    "auf-der-leitung-stehen": "hose",
}


def draw(slug: str, role: str) -> str:
    """The drawing of one role of one German phrase."""
    drawing: str = globals()[f"{GERMAN[slug]}_{role}"]()
    return drawing
