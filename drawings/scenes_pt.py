"""The pictures of the Portuguese phrases, composed from the kit: one function a picture."""

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
    boards,
    circle,
    clock,
    cloud,
    coin,
    flower,
    football,
    glass,
    group,
    head,
    heart,
    line,
    oval,
    person,
    polygon,
    rect,
    scene,
    shape,
    spoon,
    stars,
    stroke,
    table,
    tree,
    waves,
    window,
)

# ---------------------------------------------------------------- pé de meia


def meia_idiomatic() -> str:
    pig = (
        rect(62, 136, 14, 28, PINK, 4)
        + rect(114, 136, 14, 28, PINK, 4)
        + oval(94, 110, 54, 40, PINK)
    )
    pig += polygon([(116, 78), (140, 60), (140, 88)], "#cf7488") + oval(146, 112, 13, 16, "#cf7488")
    pig += circle(142, 112, 2.6, INK) + circle(150, 112, 2.6, INK) + circle(124, 98, 4, INK)
    pig += stroke("M40 104Q22 100 28 88Q36 84 34 96", PINK, 5) + rect(80, 70, 30, 5, INK, 2)
    piles = "".join(coin(172, y, 13) for y in (160, 150, 140)) + "".join(
        coin(28, y, 12) for y in (162, 153)
    )
    return scene(coin(95, 42, 16), pig, piles, table(4, 164, 192, 50))


def meia_idiomatic_related() -> str:
    machine = (
        rect(106, 34, 76, 150, NAVY, 6)
        + rect(118, 48, 52, 38, SKY, 3)
        + rect(118, 122, 52, 8, INK, 2)
    )
    keys = "".join(rect(x, y, 8, 6, LIGHT, 1) for x in (128, 140, 152) for y in (94, 103, 112))
    note = rect(126, 128, 36, 18, "#9fd0a3", 2) + circle(144, 137, 5, FOREST)
    woman = person(
        62,
        188,
        122,
        top=ORANGE,
        legs=DARK,
        style="long",
        hair=INK,
        skin=OLIVE,
        look=1,
        arms=(((-18, -42),), ((24, -54), (44, -58))),
    )
    bag = rect(30, 134, 24, 20, RED, 4) + stroke("M34 134Q42 108 52 108", RED, 3)
    return scene(machine, keys, note, woman, bag, ground="street", horizon=160)


def meia_literal_related() -> str:
    shoe = shape("M-40 0V-36Q-30 -30 -18 -38Q-6 -16 22 -14Q42 -12 42 2V8H-40Z", RED)
    sole = rect(-42, 6, 86, 9, WHITE, 4) + stroke(
        "M-12 -28L-2 -34M-6 -21L4 -28M2 -16L11 -23", WHITE, 3
    )
    trainer = (
        shoe
        + sole
        + shape("M-40 -4Q-26 -8 -24 8H-40Z", "#b23c3a")
        + stroke("M8 -2Q18 -8 32 -2", YELLOW, 3)
    )
    mat = rect(14, 158, 172, 20, TEAL, 5) + stroke("M24 168H176", "#cfe5e2", 3)
    wall = boards(0, 136, TAN, 25) + stroke("M0 136H200", BROWN, 4)
    return scene(
        wall,
        mat,
        group(trainer, x=82, y=116, s=1.25),
        group(trainer, x=118, y=150, s=1.35),
        ground="floor",
        horizon=136,
    )


def meia_literal() -> str:
    outline = "M78 44H124V104Q126 124 148 130Q166 136 164 152Q160 168 138 166Q96 160 82 138Q76 128 78 110Z"
    stripes = (
        rect(78, 62, 46, 12, YELLOW)
        + rect(78, 86, 46, 12, YELLOW)
        + shape("M78 118Q82 112 98 116L92 148Q76 136 78 118Z", YELLOW)
    )
    toe = shape("M146 129Q168 136 164 152Q160 168 138 166Z", YELLOW)
    pegs = (
        line(0, 40, 200, 34, DARK, 2.5) + rect(84, 28, 7, 26, TAN, 2) + rect(112, 27, 7, 26, TAN, 2)
    )
    return scene(
        cloud(36, 92, 0.8),
        cloud(170, 84, 0.7),
        shape(outline, PURPLE),
        stripes,
        toe,
        rect(74, 40, 54, 14, "#6a5090", 4),
        pegs,
        ground="grass",
        horizon=176,
    )


def meia_distractor() -> str:
    dome = shape(
        "M22 104A78 78 0 0 1 178 104Q165 92 152 104Q139 92 126 104Q113 92 100 104Q87 92 74 104Q61 92 48 104Q35 92 22 104Z",
        BLUE,
    )
    slices = shape("M100 26Q70 50 74 104Q87 92 100 104Q113 92 126 104Q130 50 100 26Z", SKY)
    stick = stroke("M100 98V164Q100 180 86 180Q74 180 74 168", BROWN, 6) + line(
        100, 26, 100, 16, BROWN, 6
    )
    rain = stroke(
        "M20 20L14 34M54 14L48 28M150 14L144 28M184 26L178 40M26 130L20 144M160 128L154 142M180 154L174 168M44 160L38 174M62 130L56 144M136 152L130 166M10 76L4 90M194 84L188 98M84 6L78 16M120 4L114 14",
        BLUE,
        3,
    )
    return scene(rain, stick, dome, slices)


# ---------------------------------------------------------------- água com açúcar


def agua_idiomatic() -> str:
    screen = (
        rect(20, 22, 160, 112, INK, 8)
        + rect(28, 30, 144, 96, "#f2a98f")
        + shape("M62 108A38 38 0 0 1 138 108Z", YELLOW)
        + rect(28, 108, 144, 18, "#c96f6a")
    )
    lovers = person(
        88, 122, 60, top=NAVY, hair=INK, face="happy", look=1, arms=(((-14, -44),), ((20, -56),))
    ) + person(
        112,
        122,
        56,
        top=RED,
        skirt=RED,
        style="long",
        face="happy",
        look=-1,
        arms=(((-20, -58),), ((14, -44),)),
    )
    hearts = heart(100, 46, 0.7) + heart(58, 58, 0.5, PINK) + heart(142, 58, 0.5, PINK)
    stand = (
        rect(90, 134, 20, 16, INK)
        + rect(30, 150, 140, 34, BROWN, 4)
        + stroke("M34 166H166", TAN, 2)
    )
    tissues = rect(136, 172, 40, 22, SKY, 3) + shape(
        "M148 172Q150 156 156 164Q162 154 164 172Z", WHITE
    )
    return scene(screen, lovers, hearts, stand, tissues, ground="floor", horizon=164)


def agua_idiomatic_related() -> str:
    screen = rect(24, 14, 152, 90, WHITE, 4) + rect(28, 18, 144, 82, "#24345c")
    rocket = group(
        shape("M0 -32Q13 -16 11 14H-11Q-13 -16 0 -32Z", LIGHT),
        circle(0, -8, 5, BLUE),
        polygon([(-11, 2), (-22, 18), (-11, 14)], RED),
        polygon([(11, 2), (22, 18), (11, 14)], RED),
        shape("M-7 14Q0 36 7 14Z", ORANGE),
        x=100,
        y=56,
        turn=30,
    )
    rows = "".join(
        rect(x - 19, 150, 38, 60, "#a83b3b", 9) + head(x, 142, 14, hair=h, style="back")
        for x, h in ((22, INK), (61, BROWN), (100, "#b5562f"), (139, INK), (178, YELLOW))
    )
    popcorn = polygon([(72, 164), (92, 164), (88, 190), (76, 190)], WHITE) + "".join(
        circle(x, 162, 5, "#fbeab0") for x in (74, 82, 90)
    )
    sparks = stars((44, 34), (60, 78), (146, 34), (156, 82), (130, 66))
    return scene(screen, sparks, rocket, rows, popcorn, sky="#6a5a72")


def agua_literal_related() -> str:
    cube = rect(-11, -11, 22, 22, WHITE, 3) + stroke("M-11 11H11V-9", LIGHT, 3)
    cubes = "".join(
        group(cube, x=x, y=y, turn=t)
        for x, y, t in ((72, 96, 8), (98, 92, -14), (124, 97, 20), (86, 76, -20), (112, 74, 12))
    )
    bowl = (
        shape("M46 102H152Q150 158 99 158Q48 158 46 102Z", BLUE)
        + rect(78, 156, 44, 10, BLUE, 4)
        + stroke("M58 118Q100 130 140 118", SKY, 4)
    )
    one = group(cube, x=170, y=156, turn=6)
    return scene(
        cubes, bowl, one, group(spoon(0, 0, 0.9), x=28, y=150, turn=8), table(4, 166, 192, 50)
    )


def agua_literal() -> str:
    grains = "".join(
        circle(x, y, 2, WHITE)
        for x, y in (
            (92, 58),
            (88, 66),
            (95, 72),
            (90, 80),
            (86, 88),
            (94, 92),
            (89, 100),
            (97, 104),
        )
    )
    heap = shape("M72 166Q84 150 98 158Q110 150 122 166Z", WHITE)
    full = group(
        line(0, 0, 78, -26, DARK, 7),
        line(0, 0, 78, -26, LIGHT, 4),
        oval(-8, 2, 18, 9, DARK),
        oval(-8, -2, 15, 6, WHITE),
        x=104,
        y=50,
        turn=-8,
    )
    pot = (
        rect(148, 124, 40, 44, WHITE, 6)
        + rect(144, 116, 48, 10, RED, 4)
        + rect(154, 138, 28, 16, PINK, 3)
    )
    return scene(
        glass(96, 168, 76, 92, 0.72, "#8ccbec"), heap, grains, full, pot, table(4, 168, 192, 50)
    )


def agua_distractor() -> str:
    pan = rect(130, 92, 70, 14, BROWN, 6) + circle(84, 104, 70, INK) + circle(84, 104, 60, DARK)
    egg = (
        shape(
            "M44 104Q38 72 70 74Q86 58 106 76Q136 82 126 110Q130 138 100 134Q80 150 62 134Q40 130 44 104Z",
            WHITE,
        )
        + circle(84, 104, 20, YELLOW)
        + oval(78, 97, 6, 4, "#fbe9a6")
    )
    return scene(
        pan, egg, stroke("M60 26q-6 -7 0 -14M84 22q-6 -7 0 -14M108 26q-6 -7 0 -14", WHITE, 3)
    )


# ---------------------------------------------------------------- pisar na bola


def bola_idiomatic() -> str:
    cake = (
        rect(84, 116, 38, 18, BLUSH, 3)
        + rect(84, 112, 38, 8, PINK, 3)
        + "".join(
            rect(x, 100, 3, 12, BLUE) + circle(x + 1.5, 98, 2.4, ORANGE) for x in (92, 102, 112)
        )
    )
    woman = person(
        50,
        188,
        118,
        top=PURPLE,
        skirt=PURPLE,
        style="long",
        hair=INK,
        face="angry",
        look=1,
        skin=FAIR,
        arms=(((-18, -54), (8, -52)), ((18, -54), (-8, -56))),
    )
    man = person(
        158,
        188,
        118,
        top=GREEN,
        hair=BROWN,
        face="worried",
        look=-1,
        arms=(((-24, -52), (-30, -62)), ((22, -56), (16, -82))),
    )
    wilted = stroke("M123 115Q122 92 114 92Q106 94 106 102", FOREST, 3) + circle(106, 104, 5, RED)
    return scene(
        clock(104, 36, 21),
        table(74, 134, 56, 54, TAN),
        cake,
        woman,
        man,
        group(wilted, x=2, y=-14),
        ground="floor",
        horizon=162,
    )


def bola_idiomatic_related() -> str:
    left = shape("M36 172Q26 138 52 118L66 128L62 142L78 152L72 172Z", BLUE) + stroke(
        "M40 150Q52 146 62 150", WHITE, 3
    )
    right = shape("M100 172L96 154L110 146L106 130L126 124Q146 142 136 172Z", BLUE) + stroke(
        "M112 156Q124 150 138 154", WHITE, 3
    )
    bits = (
        polygon([(82, 176), (92, 164), (98, 178)], BLUE)
        + polygon([(148, 180), (160, 172), (162, 184)], BLUE)
        + polygon([(20, 182), (30, 176), (32, 188)], BLUE)
    )
    blooms = (
        group(flower(0, 0, 50, RED), x=70, y=186, turn=78)
        + group(flower(0, 0, 46, YELLOW), x=60, y=160, turn=62)
        + group(flower(0, 0, 46, PINK), x=110, y=192, turn=84)
    )
    shelf = (
        rect(0, 70, 120, 9, BROWN)
        + polygon([(14, 79), (24, 79), (14, 96)], BROWN)
        + polygon([(96, 79), (106, 79), (106, 96)], BROWN)
    )
    wall = (
        boards(0, 132, "#c9a9a0", 25)
        + stroke("M0 132H200", BROWN, 4)
        + rect(146, 24, 36, 44, BROWN)
        + rect(151, 29, 26, 34, SKY)
    )
    return scene(
        wall,
        shelf,
        oval(92, 180, 80, 12, SKY),
        left,
        right,
        bits,
        blooms,
        ground="floor",
        horizon=132,
    )


def bola_literal_related() -> str:
    net = "".join(line(x, 40, x, 150, "#f7f9fa", 1.6) for x in range(32, 176, 16)) + "".join(
        line(24, y, 176, y, "#f7f9fa", 1.6) for y in range(54, 150, 16)
    )
    posts = stroke("M22 166V36H178V166", WHITE, 8)
    return scene(
        tree(12, 120, 50, GREEN),
        tree(188, 122, 54),
        rect(22, 36, 156, 118, "#88a8b0"),
        net,
        posts,
        football(112, 146, 26),
        oval(112, 174, 24, 4, FOREST),
        ground="grass",
        horizon=150,
    )


def bola_literal() -> str:
    player = person(
        84,
        186,
        136,
        top=YELLOW,
        legs=BLUE,
        hair=INK,
        skin=DEEP,
        look=1,
        face="smile",
        arms=(((-20, -54), (-12, -42)), ((20, -54), (12, -42))),
        feet=(((-6, -3),), ((24, -40), (26, -22))),
        sleeves=YELLOW,
    )
    lines = stroke("M0 160H200", WHITE, 3)
    return scene(
        cloud(40, 34, 0.8),
        cloud(162, 46, 0.9),
        lines,
        player,
        football(121, 174, 17),
        ground="grass",
        horizon=150,
    )


def bola_distractor() -> str:
    lanes = "".join(
        stroke(f"M0 {y}H200", RED, 4).replace("/>", ' stroke-dasharray="8 10"/>')
        for y in (104, 146)
    )

    def swimmer(x: float, y: float, cap: str, skin: str) -> str:
        arm = stroke(f"M{x - 12} {y + 6}Q{x + 8} {y - 34} {x + 36} {y + 2}", skin, 9)
        foam = "".join(circle(x + dx, y + 12, 5, WHITE) for dx in (-48, -38, -26, 24, 36))
        return (
            arm
            + head(x, y, 13, hair=cap, skin=skin, style="cap", look=1)
            + rect(x - 44, y + 8, 62, 10, "#5f9fce", 4)
            + foam
        )

    pool = rect(0, 60, 200, 140, GROUNDS["sea"]) + rect(0, 54, 200, 8, WHITE)
    return scene(
        pool,
        lanes,
        swimmer(78, 84, RED, PALE),
        swimmer(124, 124, YELLOW, OLIVE),
        swimmer(60, 170, INK, FAIR),
        waves(190, WHITE),
    )


# ---------------------------------------------------------------- engolir sapo


def sapo_idiomatic() -> str:
    boss = person(
        62,
        188,
        126,
        top=INK,
        tie=RED,
        hair=GREY,
        face="shout",
        look=1,
        arms=(((-20, -56), (-16, -42)), ((24, -62), (40, -70))),
        skin="#f0a58c",
    )
    roar = stroke("M88 56L104 50M90 66H108M88 76L104 82", RED, 4)
    quiet = person(
        154,
        188,
        108,
        top=TEAL,
        style="bun",
        hair=BROWN,
        face="sad",
        look=-1,
        arms=(((-12, -44), (-2, -40)), ((12, -44), (2, -40))),
    )
    papers = rect(14, 168, 30, 6, WHITE) + rect(12, 174, 32, 6, LIGHT)
    return scene(window(124, 16, 52, 40), boss, roar, quiet, papers, ground="floor", horizon=166)


def sapo_idiomatic_related() -> str:
    woman = rect(46, 142, 108, 80, PURPLE, 32) + rect(88, 122, 24, 30, "#ea9a83", 6)
    face_on = head(100, 90, 40, skin="#ea9a83", hair=INK, style="bun", face="angry")
    steam = (
        cloud(36, 62, 0.75) + cloud(166, 62, 0.75) + stroke("M62 84L50 74M138 84L150 74", WHITE, 5)
    )
    crossed = stroke("M52 176Q100 196 140 176", "#6a5090", 16) + stroke(
        "M148 176Q104 192 66 172", "#9a7dc0", 15
    )
    return scene(
        steam,
        woman,
        face_on,
        crossed,
        circle(60, 170, 9, "#ea9a83"),
        circle(146, 174, 9, "#ea9a83"),
    )


def frog(x: float, y: float, s: float = 1) -> str:
    """A frog that sits at (x, y)."""
    legs = (
        oval(-28, -12, 17, 14, FOREST)
        + oval(28, -12, 17, 14, FOREST)
        + oval(-24, 0, 15, 5, GREEN)
        + oval(24, 0, 15, 5, GREEN)
    )
    body = oval(0, -22, 30, 24, GREEN) + oval(0, -14, 19, 14, "#c9e2a5")
    eyes = (
        circle(-14, -46, 10, GREEN)
        + circle(14, -46, 10, GREEN)
        + circle(-14, -47, 6, WHITE)
        + circle(14, -47, 6, WHITE)
        + circle(-13, -46, 3, INK)
        + circle(13, -46, 3, INK)
    )
    return group(legs, body, eyes, stroke("M-16 -29Q0 -18 16 -29", INK, 2.6), x=x, y=y, s=s)


def sapo_literal_related() -> str:
    pad = oval(100, 160, 78, 22, FOREST) + polygon(
        [(100, 160), (150, 190), (168, 178)], GROUNDS["sea"]
    )
    bloom = "".join(
        group(oval(0, -12, 6, 13, PINK), x=36, y=134, turn=t) for t in (-60, -30, 0, 30, 60)
    ) + circle(36, 132, 5, YELLOW)
    reeds = (
        stroke("M178 116V40M190 120V58M166 118V66", FOREST, 4)
        + rect(173, 26, 10, 30, BROWN, 5)
        + rect(185, 46, 10, 26, BROWN, 5)
    )
    return scene(
        reeds, pad, frog(100, 156, 1.5), bloom, waves(188, WHITE), ground="sea", horizon=112
    )


def sapo_literal() -> str:
    legs = stroke("M82 132V184M100 134V184M74 186H90M92 186H110", ORANGE, 4)
    body = (
        shape("M36 128Q60 84 116 96Q132 108 118 128Q96 150 58 140Z", LIGHT)
        + shape("M30 134Q64 96 104 110Q92 138 52 136Z", GREY)
        + stroke("M50 128Q70 112 92 116", DARK, 2.5)
    )
    neck = (
        stroke("M112 108Q140 92 122 68Q112 50 126 44", LIGHT, 13)
        + circle(128, 42, 13, LIGHT)
        + shape("M118 34Q96 24 84 32Q104 34 118 42Z", INK)
    )
    beak = polygon([(138, 34), (188, 28), (140, 43)], ORANGE) + polygon(
        [(138, 46), (184, 58), (136, 52)], ORANGE
    )
    prey = group(
        oval(0, 0, 15, 10, GREEN),
        circle(-8, -9, 4.5, GREEN),
        circle(-8, -9, 2, INK),
        stroke("M10 4Q24 4 22 18L30 26M4 8Q10 20 4 28L10 36", GREEN, 5),
        x=160,
        y=43,
    )
    reeds = stroke("M14 160V92M26 164V110M186 162V112", FOREST, 4)
    return scene(
        reeds,
        waves(170, WHITE),
        legs,
        body,
        neck,
        prey,
        beak,
        circle(131, 39, 2.6, INK),
        waves(190, WHITE),
        ground="sea",
        horizon=154,
    )


def sapo_distractor() -> str:
    dog = (
        rect(40, 116, 14, 56, BROWN, 6)
        + rect(58, 122, 13, 50, "#6f4630", 6)
        + rect(104, 116, 14, 56, BROWN, 6)
        + rect(88, 122, 13, 50, "#6f4630", 6)
    )
    dog += rect(36, 84, 90, 48, BROWN, 22) + stroke("M42 94Q22 82 24 60", BROWN, 9)
    skull = (
        circle(128, 76, 27, BROWN)
        + rect(134, 76, 42, 22, BROWN, 11)
        + oval(174, 80, 6, 5, INK)
        + circle(138, 68, 3.6, INK)
        + oval(112, 80, 10, 21, "#6f4630")
    )
    bone = rect(138, 96, 48, 9, WHITE, 4) + "".join(
        circle(x, y, 6.5, WHITE) for x, y in ((138, 95), (138, 106), (186, 95), (186, 106))
    )
    return scene(
        dog,
        skull,
        bone,
        flower(184, 188, 18, YELLOW),
        flower(16, 190, 18, WHITE),
        ground="grass",
        horizon=150,
    )


PORTUGUESE = {
    "pe-de-meia": "meia",
    "agua-com-acucar": "agua",
    "pisar-na-bola": "bola",
    "engolir-sapo": "sapo",
}


def draw(slug: str, role: str) -> str:
    """The drawing of one role of one Portuguese phrase."""
    drawing: str = globals()[f"{PORTUGUESE[slug]}_{role}"]()
    return drawing
