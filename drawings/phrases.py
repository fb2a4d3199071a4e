"""The words of the sample benchmark: phrases, sentences, definitions and captions.

Everything here was written for trope and is given to the public domain (CC0-1.0). Captions say
what is seen and never which role a picture has.
"""

from __future__ import annotations

from dataclasses import dataclass

ROLES = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")


@dataclass(frozen=True)
class Phrase:
    """One phrase with its two sentences; captions are in the order of ROLES."""

    slug: str
    phrase: str
    language: str
    kind: str
    definitions: tuple[str, ...]
    idiomatic: str
    literal: str
    en: tuple[str, str, str, str, str]
    own: tuple[str, ...] = ()

    def captions(self, role: str) -> dict[str, str]:
        """The captions of one picture: English, and the phrase's own language if another."""
        at = ROLES.index(role)
        return {"en": self.en[at]} | ({self.language: self.own[at]} if self.own else {})


PHRASES = (
    Phrase(
        "spill-the-beans",
        "spill the beans",
        "en",
        "idiom",
        ("To tell something that was meant to stay secret.",),
        "We had planned the surprise party for weeks until my little sister spilled the beans.",
        "Carry the bowl with both hands, or you will spill the beans all over the kitchen.",
        (
            "A woman speaks behind her hand to a man who looks astonished. "
            "Her speech bubble shows an open padlock.",
            "A red diary is held shut by a strap and a padlock. A small key lies in front of it.",
            "An open tin and a white bowl, both full of red beans, stand on a table.",
            "A bowl tips over the edge of a table and beans fall on the floor. A boy is startled.",
            "Three musicians play on a stage, two with guitars and one with a drum.",
        ),
    ),
    Phrase(
        "break-the-ice",
        "break the ice",
        "en",
        "idiom",
        (
            "To say or do something that makes strangers feel at ease with each other.",
            "To make a first friendly contact.",
        ),
        "Nobody at the dinner knew anybody, so Ana told a silly story to break the ice.",
        "Every winter morning the farmer had to break the ice so that the cows could drink.",
        (
            "Two people with name badges shake hands and laugh under a row of little flags.",
            "Four people sit side by side on a bench under a clock. "
            "They stare ahead and do not talk.",
            "A tall glass of water with ice cubes, a slice of lemon and a red straw.",
            "A man with a pickaxe stands on a frozen lake. "
            "He has made a hole, with cracks all around it.",
            "A green watering can pours water over a bed of flowers in the sunshine.",
        ),
    ),
    Phrase(
        "cold-feet",
        "cold feet",
        "en",
        "compound",
        ("A sudden fear that stops someone from doing what was planned.",),
        "He was going to sell the house and sail round the world, but then he got cold feet.",
        "She put a hot-water bottle into the bed because she always had cold feet in January.",
        (
            "A groom in a dark suit runs away from a church. "
            "The bride stands at the door and watches him.",
            "A boy in swimming trunks stands trembling on a diving board high above the water.",
            "A pair of blue slippers in front of a brick fireplace with a bright fire.",
            "Two bare, bluish feet stand in the snow while snowflakes fall.",
            "A pair of round glasses lies on two thick books, a red one and a green one. "
            "The books are on a table.",
        ),
    ),
    Phrase(
        "tie-the-knot",
        "tie the knot",
        "en",
        "idiom",
        ("To get married.",),
        "After eleven years together, Tom and Leila finally tied the knot in her home village.",
        "Pull the rope through once more and tie the knot tightly, or the tent will blow away.",
        (
            "A bride and groom smile under an arch of flowers.",
            "A ring with a large sparkling diamond sits in an open blue box.",
            "A thick rope lies in a coil around a post on a wooden quay. The sea is behind it.",
            "Two hands hold both ends of a thick rope and pull a large knot tight.",
            "Three children in caps and pullovers build a tall snowman with a hat while it snows.",
        ),
    ),
    Phrase(
        "hit-the-sack",
        "hit the sack",
        "en",
        "idiom",
        ("To go to bed.",),
        "We drove all day and I can hardly keep my eyes open, so I am going to hit the sack.",
        "The trainer told the girl to hit the sack with her left fist and then step back.",
        (
            "A man sleeps in his bed under a red blanket. The moon shines through the window.",
            "A man at a desk yawns over his laptop. There are a mug, a lamp and a clock.",
            "A big brown sack is full of potatoes, and a few more lie beside it.",
            "A boxer punches a red sack that hangs on a chain.",
            "Two girls play tennis on the grass. The ball is flying over the net between them.",
        ),
    ),
    Phrase(
        "kick-the-bucket",
        "kick the bucket",
        "en",
        "idiom",
        ("To die.", "Of a machine: to stop working for good."),
        "The old miser kicked the bucket last spring and left all his money to a parrot.",
        "Mind where you walk in the dark stable: you could kick the bucket and lose the milk.",
        (
            "A gravestone with a cross stands in the grass under a grey cloud. "
            "Pink and white flowers lie in front of it.",
            "An old man lies ill in a hospital bed with a drip. A nurse looks at him with concern.",
            "A woman mops the floor beside a yellow bucket of foam. Soap bubbles float around.",
            "A woman swings her leg and a red bucket flies off, splashing water.",
            "A girl throws a paper plane into the air on a meadow with a tree.",
        ),
    ),
    Phrase(
        "hot-air",
        "hot air",
        "en",
        "compound",
        ("Grand words and promises with nothing behind them.",),
        "The minister promised ten new schools, but everyone knew that it was just hot air.",
        "A stream of hot air came from the vent and dried our wet gloves within minutes.",
        (
            "A politician shouts at a lectern with a bubble full of squiggles. "
            "A listener in front of him has fallen asleep.",
            "A man spreads his arms and tells three listeners of a huge fish. "
            "There is only a tiny one in his bucket.",
            "A red and yellow balloon with a basket floats over green hills.",
            "A laughing woman dries her long hair with a hairdryer that blows warm air at it.",
            "A pile of six logs in a forest with an axe beside it.",
        ),
    ),
    Phrase(
        "in-the-same-boat",
        "in the same boat",
        "en",
        "idiom",
        ("Having the same trouble as others.",),
        "Do not feel ashamed of your debts; half of the street is in the same boat.",
        "The twins crossed the lake in the same boat, while their cousins took the ferry.",
        (
            "A man and a woman walk out of an office building. "
            "Both look sad and carry a box with their things.",
            "A woman puts her arm round a weeping friend on a park bench.",
            "A sailor stands in a small red boat with white sails on a sunny day at sea.",
            "A man rows a wooden boat across the water with a woman sitting opposite him.",
            "Three children sit round a campfire at night, next to an orange tent under the moon.",
        ),
    ),
    Phrase(
        "pe-de-meia",
        "pé de meia",
        "pt",
        "compound",
        ("Dinheiro que se guarda aos poucos para o futuro.",),
        "Durante vinte anos, a costureira fez o seu pé de meia e abriu a própria loja.",
        "Só encontrei um pé de meia na gaveta; o outro deve ter ficado na máquina de lavar.",
        (
            "A coin drops into a pink piggy bank with coins piled on both sides.",
            "A woman with a red bag takes a banknote out of a cash machine in the street.",
            "A pair of red trainers stands on a blue mat. "
            "They have white laces, white soles and a yellow stripe.",
            "One striped sock hangs on a washing line.",
            "An open blue umbrella with a brown handle keeps off the heavy rain.",
        ),
        (
            "Uma moeda cai num cofrinho cor-de-rosa, com moedas empilhadas dos dois lados.",
            "Uma mulher com uma bolsa vermelha tira uma nota de um caixa eletrônico na rua.",
            "Um par de tênis vermelhos está sobre um tapete azul. "
            "Eles têm cadarços e solas brancas e uma listra amarela.",
            "Uma única meia listrada está pendurada num varal.",
            "Um guarda-chuva azul aberto, de cabo marrom, debaixo de uma chuva forte.",
        ),
    ),
    Phrase(
        "agua-com-acucar",
        "água com açúcar",
        "pt",
        "compound",
        (
            "Diz-se de história romântica, leve e sentimental demais.",
            "Que é ingênuo e sem profundidade.",
        ),
        "No domingo vimos um filme água com açúcar em que todos se casam no final.",
        "A avó mexeu bem a água com açúcar e encheu o bebedouro dos beija-flores.",
        (
            "A television shows a couple in love before a setting sun with hearts. "
            "A box of tissues is next to it.",
            "Five people in red seats watch a film about a rocket in a cinema.",
            "A blue bowl is filled with sugar cubes. A spoon leans against the wall next to it.",
            "A spoon pours sugar into a glass of water. A jar with a red lid stands beside it.",
            "A fried egg in a black pan.",
        ),
        (
            "Uma televisão mostra um casal apaixonado diante do pôr do sol, com corações. "
            "Ao lado há uma caixa de lenços.",
            "Cinco pessoas em poltronas vermelhas assistem no cinema a um filme com um foguete.",
            "Uma tigela azul cheia de cubos de açúcar. Uma colher está encostada na parede.",
            "Uma colher despeja açúcar num copo de água. Ao lado há um pote de tampa vermelha.",
            "Um ovo frito numa frigideira preta.",
        ),
    ),
    Phrase(
        "pisar-na-bola",
        "pisar na bola",
        "pt",
        "idiom",
        ("Cometer uma falha e decepcionar alguém.",),
        "Você pisou na bola quando esqueceu o aniversário da sua melhor amiga.",
        "O goleiro pisou na bola molhada, escorregou e caiu dentro do gol.",
        (
            "A woman with folded arms glares at a man who holds a drooping flower. "
            "Between them is a birthday cake.",
            "A blue vase has fallen from a shelf and lies broken in a puddle among the flowers.",
            "A football lies in front of the net of a goal.",
            "A footballer in a yellow shirt stands on the pitch with one foot on the ball.",
            "Three swimmers with caps race in the lanes of a pool.",
        ),
        (
            "Uma mulher de braços cruzados olha zangada para um homem com uma flor murcha. "
            "Entre eles há um bolo de aniversário.",
            "Um vaso azul caiu da prateleira e está quebrado numa poça, entre as flores.",
            "Uma bola de futebol está diante da rede de um gol.",
            "Um jogador de camisa amarela está no campo com um pé sobre a bola.",
            "Três nadadores de touca competem nas raias de uma piscina.",
        ),
    ),
    Phrase(
        "engolir-sapo",
        "engolir sapo",
        "pt",
        "idiom",
        ("Suportar calado uma ofensa ou uma coisa desagradável.",),
        "No primeiro emprego ela teve de engolir sapo todos os dias para não ser demitida.",
        "O menino ficou espantado ao ver a garça engolir sapo e peixe na beira do lago.",
        (
            "A man in a suit shouts at a young woman in an office. She looks down in silence.",
            "An angry woman with a red face crosses her arms, and steam comes out of her ears.",
            "A green frog with big eyes sits on a water lily leaf in a pond.",
            "A grey heron stands in the water and holds a frog in its beak. "
            "The frog's legs hang out.",
            "A brown dog stands on the grass between two small flowers and holds a big bone "
            "in its mouth.",
        ),
        (
            "Um homem de terno grita com uma jovem no escritório. Ela olha para baixo, calada.",
            "Uma mulher zangada, de rosto vermelho, cruza os braços e solta fumaça pelos ouvidos.",
            "Um sapo verde de olhos grandes está sentado numa folha de vitória-régia num lago.",
            "Uma garça cinzenta está na água com um sapo no bico. As pernas do sapo ficam de fora.",
            "Um cachorro marrom está na grama entre duas pequenas flores e segura um grande osso "
            "na boca.",
        ),
    ),
    Phrase(
        "sackgasse",
        "Sackgasse",
        "de",
        "compound",
        ("Lage, in der es nicht mehr weitergeht.",),
        "Nach drei Wochen steckten die Gespräche über die Löhne in einer Sackgasse.",
        "Der Möbelwagen bog falsch ab und musste rückwärts aus der Sackgasse fahren.",
        (
            "Two people at a table with papers turn away from each other with folded arms.",
            "A woman sits at a desk holding her head. Crumpled paper lies all around her.",
            "Three people walk along a street with colourful houses.",
            "A yellow car drives towards a brick wall where the road stops. "
            "A blue sign stands at the roadside.",
            "A red and white lighthouse stands on a rock in the sea. "
            "Its lamp shines to both sides in the evening.",
        ),
        (
            "Zwei Leute an einem Tisch mit Papieren wenden sich mit verschränkten Armen "
            "voneinander ab.",
            "Eine Frau sitzt am Schreibtisch und hält sich den Kopf. "
            "Überall liegt zerknülltes Papier.",
            "Drei Leute gehen eine Straße mit bunten Häusern entlang.",
            "Ein gelbes Auto fährt auf eine Mauer zu, vor der die Straße aufhört. "
            "Am Rand steht ein blaues Schild.",
            "Ein rot-weißer Leuchtturm steht auf einem Felsen im Meer. "
            "Seine Lampe scheint am Abend nach beiden Seiten.",
        ),
    ),
    Phrase(
        "zugpferd",
        "Zugpferd",
        "de",
        "compound",
        ("Person oder Sache, die viele Leute anzieht und andere mitreißt.",),
        "Die Sängerin ist das Zugpferd des Festivals: Ihretwegen sind alle Karten verkauft.",
        "Der Bauer spannte das Zugpferd vor den Wagen und brachte das Heu in die Scheune.",
        (
            "A singer stands on a stage in the spotlight before a cheering crowd.",
            "A red and white circus tent with a flag on top stands on a meadow. "
            "Strings of lamps hang over it.",
            "A girl strokes a brown horse with a light mane in a sunny meadow.",
            "A horse with a red collar is harnessed to a cart. It draws a load of hay along.",
            "An orange cat with stripes sleeps curled up on a purple cushion below a window.",
        ),
        (
            "Eine Sängerin steht im Scheinwerferlicht auf der Bühne vor einer jubelnden Menge.",
            "Ein rot-weißes Zirkuszelt mit einer Fahne steht auf einer Wiese. "
            "Darüber hängen Lichterketten.",
            "Ein Mädchen streichelt ein braunes Pferd mit heller Mähne auf einer sonnigen Weide.",
            "Ein Pferd mit rotem Halsriemen ist vor einen Karren gespannt. "
            "Es zieht eine Ladung Heu.",
            "Eine orange Katze mit Streifen schläft auf einem lila Kissen unter einem Fenster.",
        ),
    ),
    Phrase(
        "den-loeffel-abgeben",
        "den Löffel abgeben",
        "de",
        "idiom",
        ("Sterben (salopp).",),
        "Der alte Graf will noch einmal nach Venedig reisen, bevor er den Löffel abgibt.",
        "Nach dem Essen soll jedes Kind den Löffel abgeben, damit am Ende keiner fehlt.",
        (
            "A coffin with a wreath stands between two burning candles.",
            "An old woman with a walking stick sits on a bench while leaves fall from a tree.",
            "A bowl of hot soup and a spoon on a red tablecloth.",
            "A girl hands a very large spoon to a cook in a white hat. He stands behind a counter.",
            "A ladder leans against a tree full of apples. "
            "A basket of red apples stands in the grass beside the trunk.",
        ),
        (
            "Ein Sarg mit einem Kranz steht zwischen zwei brennenden Kerzen.",
            "Eine alte Frau mit Gehstock sitzt auf einer Bank, während Blätter vom Baum fallen.",
            "Ein Teller heiße Suppe und ein Löffel auf einer roten Tischdecke.",
            "Ein Mädchen reicht einem Koch mit weißer Mütze einen sehr großen Löffel. "
            "Er steht hinter der Theke.",
            "Eine Leiter lehnt an einem Baum voller Äpfel. "
            "Im Gras neben dem Stamm steht ein Korb mit roten Äpfeln.",
        ),
    ),
    Phrase(
        "auf-der-leitung-stehen",
        "auf der Leitung stehen",
        "de",
        "idiom",
        ("Etwas lange nicht begreifen.",),
        "Erklär mir den Witz bitte noch einmal, ich stehe heute auf der Leitung.",
        "Es kommt kein Wasser bei den Tomaten an, weil du auf der Leitung stehst.",
        (
            "A puzzled man scratches his head, with four question marks around him.",
            "A light bulb shines above an open book.",
            "A garden hose sprays water over a bed of flowers on a sunny day. "
            "It lies in a loop on the lawn.",
            "A man in a yellow cap stands on a garden hose. Only one drop comes out of its end.",
            "A boy and a girl play on a seesaw, he at the bottom and she at the top.",
        ),
        (
            "Ein ratloser Mann kratzt sich am Kopf, um ihn herum vier Fragezeichen.",
            "Eine Glühbirne leuchtet über einem offenen Buch.",
            "Ein Gartenschlauch spritzt an einem sonnigen Tag Wasser über ein Blumenbeet. "
            "Er liegt in einer Schlinge auf dem Rasen.",
            "Ein Mann mit gelber Kappe steht auf einem Gartenschlauch. "
            "Vorne kommt nur ein Tropfen heraus.",
            "Ein Junge und ein Mädchen spielen auf einer Wippe, er unten und sie oben.",
        ),
    ),
)
