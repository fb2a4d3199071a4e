"""One thin command for each verb. Everything but typer is imported inside the commands, so that
`trope --help` is instant. A `TropeError` becomes one sentence and exit code 2."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from trope.engine import Tally
    from trope.item import Benchmark
    from trope.runs import Run

app = typer.Typer(
    name="trope",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Does a model understand figurative language, and how sure may you be of it?",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="With --debug, an error shows where it comes from. Start with: trope demo",
)

BenchmarkName = Annotated[
    str, typer.Argument(metavar="BENCHMARK", help="Such as sample, admire-a/en/train, a folder.")
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, or part of its name.")]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="The folder the published files lie below [$TROPE_DATA]."
    ),
]
Gold = Annotated[
    Path | None,
    typer.Option("--gold", metavar="FILE", help="A targets file, for a split without its answers."),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a run.")]
OneJson = Annotated[bool, typer.Option("--json", help="One JSON object.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of every random draw.")]
RunNames = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Folders of runs, or parts of their names.")
]
RunsFolder = Annotated[Path, typer.Option("--runs", metavar="DIR", help="Where runs are kept.")]


# Typer brings its own click in newer versions: find the class by what it is called.
UsageError: type[Any] = next(
    c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException"
)


def _width() -> int:
    """The terminal's width, at least 80 and at most 120."""
    import shutil

    return max(80, min(120, shutil.get_terminal_size((80, 24)).columns))


def _say(text: str) -> None:
    """A remark, kept out of standard output; no control character reaches the terminal."""
    lines = _clean(text).split("\n")
    if sys.stderr and sys.stderr.isatty():  # in a log a sentence is one line
        import textwrap

        lines = [textwrap.fill(line, _width(), subsequent_indent="  ") for line in lines]
    print("\n".join(lines), file=sys.stderr)


def _clean(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def _notes(benchmark: Benchmark) -> None:
    for note in benchmark.notes:
        _say(f"note: {note}")


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the runs go.")] = Path(
        "demo-runs"
    ),
    report: Annotated[Path, typer.Option("--report", metavar="FILE", help="The page.")] = Path(
        "report.html"
    ),
) -> None:
    """A real result and a report, offline."""
    from trope.demo import demo as show_demo

    show_demo(out, report, width=_width(), say=_say)


@app.command()
def benchmarks() -> None:
    """The benchmarks there are, and what they need."""
    from trope.read import READERS

    for reader in READERS.values():
        _entry(reader.forms, f"{reader.about}{'; needs --data' if reader.needs_data else ''}")
    _entry("FOLDER", "a folder of your own: benchmark.json, items.jsonl, images/ (docs/FORMAT.md)")
    print("\nAny of them with ?captions=en keeps the captions of one language.")


@app.command()
def models() -> None:
    """The models there are, and what is installed."""
    from trope.score import SCORERS

    for family in SCORERS.values():
        state = "" if family.installed else f"; not installed: pip install 'trope[{family.extra}]'"
        _entry(family.form, f"{family.about} (sees {family.sees}{state})")
    _entry("FILE.py:CLASS", "a class of your own behind Encoder, Judge or Ranker")


def _entry(form: str, about: str) -> None:
    """A name, and below it what it is."""
    import textwrap

    print(form)
    print(textwrap.fill(about, _width(), initial_indent="    ", subsequent_indent="    "))


@app.command()
def run(
    benchmark: BenchmarkName,
    model: Annotated[
        list[str] | None,
        typer.Option("-m", "--model", metavar="MODEL", help="Such as wordllama; several times."),
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            "--prompt", metavar="PROMPT", help="A name, or a template with {phrase}; several times."
        ),
    ] = None,
    data: Data = None,
    gold: Gold = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="The first N items.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where runs are kept.")] = Path(
        "runs"
    ),
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute anew what is cached.")] = False,
    view: Annotated[
        str | None,
        typer.Option(
            metavar="VIEW", help="Of a sequence: strip (the default), or candidate, which is alone."
        ),
    ] = None,
    sense: Annotated[
        str | None,
        typer.Option(metavar="WAY", help="How a sense is named: judge, encoder, better, none."),
    ] = None,
    by_language: Annotated[
        bool, typer.Option("--by-language", help="Each language, and their macro average.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Ask models about a benchmark."""
    from trope.read import load
    from trope.report.table import run_object, runs_text
    from trope.verbs import run as run_verb

    asked = load(benchmark, data=data, gold=gold)
    _notes(asked)

    def told(made: Run, place: Path | None, tally: Tally) -> None:
        if as_json:
            print(json.dumps(run_object(made), ensure_ascii=False), flush=True)
        else:
            reused = f"{tally.computed} computed, {tally.known} known already"
            asked_any = tally.computed or tally.known
            _say(
                f"{made.label}: kept in {place}"
                + (f" ({reused})" if asked_any and not tally.remarks else "")
            )
        for remark in tally.remarks:
            _say(f"note: {remark}")

    runs = run_verb(
        asked,
        model or ["wordllama"],
        prompt,
        limit=limit,
        out=out,
        fresh=fresh,
        view=view,
        sense=sense,
        told=told,
    )
    if not as_json:
        print(runs_text(runs, width=_width(), by_language=by_language))


@app.command()
def show(name: RunName, runs: RunsFolder = Path("runs"), as_json: Json = False) -> None:
    """Everything about one run."""
    from trope.report.table import run_object, show_text

    found = _load(name, runs)
    if as_json:
        print(json.dumps({**run_object(found), "run": found.meta}, ensure_ascii=False))
    else:
        print(show_text(found, width=_width()))


@app.command()
def score(
    benchmark: BenchmarkName,
    file: Annotated[Path, typer.Argument(help="A submission (.tsv, .zip) or a table of scores.")],
    data: Data = None,
    gold: Gold = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Keep it as a run there.")
    ] = None,
    similarity: Annotated[
        str,
        typer.Option(
            "--similarity", metavar="MODEL", help="Says how near words come (metaclue-vqa)."
        ),
    ] = "wordllama",
    as_json: Json = False,
) -> None:
    """Score answers made elsewhere, a submission included."""
    from trope.measure.official import official
    from trope.read.systems import holds_systems
    from trope.report.table import number, run_object, show_text
    from trope.verbs import keep
    from trope.verbs import score as score_verb

    if benchmark.startswith(("metaclue-vqa", "metaclue-localisation")):
        _score_replies(benchmark, file, data=data, similarity=similarity, out=out, as_json=as_json)
        return
    if holds_systems(file):
        _score_systems(benchmark, file, data=data, gold=gold, out=out, as_json=as_json)
        return
    made = score_verb(benchmark, file, data=data, gold=gold)
    place = keep(made, out) if out is not None else None
    numbers = official(made)
    if as_json:
        print(json.dumps({**run_object(made), "official": numbers}, ensure_ascii=False))
        return
    print(show_text(made, width=_width()))
    if numbers:
        print("\nThe shared task's own numbers:")
    for name, value in numbers.items():
        print(f"  {name:<9} {number(value, 4)}")
    if place:
        _say(f"kept in {place}")


def _score_replies(
    benchmark: str,
    file: Path,
    *,
    data: Path | None,
    similarity: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Words and boxes are measured, but make no run."""
    from trope import atomic
    from trope.verbs import score_replies

    scored = score_replies(benchmark, file, data=data, similarity=similarity)
    text = json.dumps(scored.as_dict(), ensure_ascii=False)
    print(text if as_json else scored.text(width=_width()))
    if out is not None:
        place = out / f"{benchmark.partition('?')[0]}-{scored.record['answers'][:8]}.json"
        atomic.write(place, text + "\n")
        _say(f"kept in {place}")


def _score_systems(
    benchmark: str,
    file: Path,
    *,
    data: Path | None,
    gold: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """A file of many systems becomes a run for each."""
    from trope.report.table import run_object, runs_text
    from trope.verbs import keep, score_systems

    runs = score_systems(benchmark, file, data=data, gold=gold)
    for made in runs:
        if as_json:
            print(json.dumps(run_object(made), ensure_ascii=False))
        if out is not None:
            keep(made, out)
    if not as_json:
        print(runs_text(runs, width=_width()))
    if out is not None:
        _say(f"{len(runs)} runs kept below {out}")


@app.command()
def compare(
    names: RunNames,
    measure: Annotated[
        list[str] | None, typer.Option("--measure", metavar="NAME", help="Such as top1, ndcg.")
    ] = None,
    runs: RunsFolder = Path("runs"),
    seed: Seed = 0,
    as_json: OneJson = False,
) -> None:
    """Do these runs differ? Paired tests, and a verdict in words."""
    from trope.errors import InputError
    from trope.measure.compare import compare as compare_runs
    from trope.report.comparison import comparison_object, comparison_text

    listed = _load_all(names, runs)
    if len(listed) == 1:
        raise InputError(
            f"A comparison needs two runs or more; {' and '.join(names)} "
            f"{'mean' if len(names) > 1 else 'means'} one: {listed[0].label}."
        )
    found = compare_runs(listed, measures=measure or None, seed=seed)
    if as_json:
        print(json.dumps(comparison_object(found), ensure_ascii=False))
    else:
        print(comparison_text(found, width=_width()))


@app.command()
def leaderboard(
    benchmark: BenchmarkName,
    measure: Annotated[
        str, typer.Option("--measure", metavar="NAME", help="What to rank by.")
    ] = "top1",
    form: Annotated[
        str,
        typer.Option("--format", metavar="FORM", help="text, csv, latex, markdown, html, json."),
    ] = "text",
    predictions: Annotated[
        list[Path] | None,
        typer.Option("--predictions", metavar="FILE", help="Answers made elsewhere; several."),
    ] = None,
    data: Data = None,
    gold: Gold = None,
    runs: RunsFolder = Path("runs"),
    seed: Seed = 0,
) -> None:
    """All runs on a benchmark in order, with rank intervals."""
    from trope.report.leaderboard import leaderboard as rank
    from trope.verbs import runs_on

    found, notes = runs_on(benchmark, runs, predictions or [], data=data, gold=gold)
    for note in notes:
        _say(f"note: {note}")
    board = rank(found, measure=measure, seed=seed)
    print(board.text(width=_width()) if form == "text" else board.render(form))


@app.command()
def audit(
    benchmark: BenchmarkName,
    names: Annotated[list[str] | None, typer.Argument(metavar="[RUN]...")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("-m", "--model", metavar="MODEL", help="Asked again: order, priors; several."),
    ] = None,
    prompt: Annotated[str | None, typer.Option("--prompt", metavar="PROMPT")] = None,
    train: Annotated[
        str | None, typer.Option("--train", metavar="BENCHMARK", help="Look for leakage from it.")
    ] = None,
    text_only: Annotated[bool, typer.Option("--no-pictures", help="Open no picture.")] = False,
    ocr: Annotated[bool, typer.Option("--ocr", help="Read text in pictures (slow).")] = False,
    data: Data = None,
    gold: Gold = None,
    runs: RunsFolder = Path("runs"),
    seed: Seed = 0,
    as_json: OneJson = False,
) -> None:
    """What a model could score without understanding."""
    from trope.verbs import audit as audit_verb

    found = audit_verb(
        benchmark,
        _load_all(names or [], runs),
        models=model or [],
        prompt=prompt,
        train=train,
        pictures=not text_only,
        ocr=ocr,
        data=data,
        gold=gold,
        seed=seed,
    )
    if as_json:
        print(json.dumps(found.as_dict(), ensure_ascii=False))
    else:
        print(found.text(width=_width()))


@app.command()
def report(
    names: RunNames,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE")] = Path("report.html"),
    plots: Annotated[
        Path | None, typer.Option("--plots", metavar="DIR", help="The figures as files, too.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="RUN", help="Compare with this one.")
    ] = None,
    data: Data = None,
    runs: RunsFolder = Path("runs"),
) -> None:
    """One page with everything: numbers, pictures, prompts, doubts."""
    from trope.report.page import write_report

    found = _load_all(names, runs)
    asked = _asked(found[0].benchmark, data)
    if asked is None:
        _say(f"note: without --data the report has no pictures of {found[0].benchmark}.")
    write_report(found, out, benchmark=asked, baseline=baseline, plots=plots)
    print(_clean(str(out)))


@app.command()
def submit(
    name: RunName,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="The folder to write to.")
    ],
    data: Data = None,
    runs: RunsFolder = Path("runs"),
    fill: Annotated[
        bool, typer.Option("--fill", help="Write items without an answer in listed order.")
    ] = False,
) -> None:
    """Write the files the shared task's server takes."""
    from trope.read import load
    from trope.report.shared_task import write_submission

    found = _load(name, runs)
    given = data is not None or bool(os.environ.get("TROPE_DATA"))
    benchmark = load(found.benchmark, data=data) if given else None
    paths, notes = write_submission(found, out, benchmark=benchmark, fill=fill)
    for note in notes:
        _say(f"note: {note}")
    for path in paths:
        print(path)


@app.command()
def pictures(
    benchmark: BenchmarkName,
    data: Data = None,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, max=32, help="Hosts asked at a time.")
    ] = 4,
    max_mb: Annotated[
        float, typer.Option("--max-mb", metavar="MB", min=0.001, help="The most for one picture.")
    ] = 20,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0.1, help="Seconds for one picture.")
    ] = 30,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Ask private and loopback addresses too.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Ask dead links once more.")] = False,
) -> None:
    """Fetch the pictures a benchmark publishes as web addresses."""
    from trope.engine.progress import bar
    from trope.read.fetch import Limits, gather

    limits = Limits(
        workers=workers, most_bytes=int(max_mb * 2**20), timeout=timeout, private=allow_private
    )
    found = gather(benchmark, data=data, limits=limits, again=again, progress=bar)
    for entry in found.lost:
        print(f"{entry.failed}\t{entry.url}")
    for note in found.notes:
        _say(f"note: {note}")
    _say(
        f"{found.new} pictures fetched, {found.there} were here, {len(found.lost)} lost; "
        f"kept in {found.folder}"
    )


@app.command()
def reproduce(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="Such as admire-1; none lists them.")
    ] = "",
    runs: RunsFolder = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a cell.")] = False,
) -> None:
    """Put a published table beside our runs."""
    from trope.papers import get
    from trope.papers.reproduce import cell_object, listing, table_text
    from trope.papers.reproduce import reproduce as reproduced
    from trope.runs import runs_below

    if not table:
        print(listing())
        return
    published = get(table)
    cells = reproduced(published, runs_below(runs))
    if as_json:
        for cell in cells:
            print(json.dumps(cell_object(cell), ensure_ascii=False))
    else:
        print(table_text(published, cells, width=_width()))


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A benchmark of your own.")],
) -> int:
    """List everything that is wrong with a benchmark folder."""
    from trope.read.check import check_folder

    found = check_folder(folder)
    print(found)
    return 2 if found.problems else 0


@app.command()
def card(
    benchmark: BenchmarkName,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="The folder to write to.")
    ],
    data: Data = None,
) -> None:
    """Write a dataset card and Croissant metadata for a benchmark."""
    from trope.read import load
    from trope.report.card import write_card

    for path in write_card(load(benchmark, data=data), out):
        print(path)


Writer = Annotated[
    str, typer.Option("-m", "--model", metavar="MODEL", help="A model that writes, such as api:..")
]


@app.command()
def caption(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="A benchmark, or a folder of pictures.")
    ],
    model: Writer,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="A new folder.")],
    data: Data = None,
    prompt: Annotated[
        str | None, typer.Option("--prompt", metavar="TEXT", help="What the model is asked.")
    ] = None,
    language: Annotated[
        str, typer.Option("--language", metavar="LANG", help="The captions' language.")
    ] = "en",
    absent: Annotated[
        bool, typer.Option("--absent", help="Only pictures without a caption in LANG.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="The first N items.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask anew for what is cached.")] = False,
) -> None:
    """Caption pictures with a model that writes."""
    from trope.caption import CAPTION, Written
    from trope.caption import caption as caption_verb

    made: Written = caption_verb(
        what,
        model,
        out,
        data=data,
        prompt=prompt or CAPTION,
        language=language,
        absent=absent,
        limit=limit,
        fresh=fresh,
    )
    _told(made.remarks, repr(made))


@app.command()
def examples(
    benchmark: BenchmarkName,
    model: Writer,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="A .json file.")],
    kind: Annotated[
        str, typer.Option("--kind", metavar="KIND", help="examples or descriptors.")
    ] = "examples",
    data: Data = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="The first N items.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask anew for what is cached.")] = False,
) -> None:
    """Have a model write example captions for each phrase."""
    from trope.caption import examples as examples_verb

    made = examples_verb(benchmark, model, out, kind=kind, data=data, limit=limit, fresh=fresh)
    _told(made.remarks, repr(made))


def _told(remarks: list[str], result: str) -> None:
    for remark in remarks:
        _say(f"note: {remark}")
    print(result)


def _load(name: str, below: Path) -> Run:
    from trope.runs import Run, find_run

    return Run.load(find_run(name, below))


def _load_all(names: list[str], below: Path) -> list[Run]:
    from trope.runs import Run, find_runs

    places = dict.fromkeys(place for name in names for place in find_runs(name, below))
    return [Run.load(place) for place in places]


def _asked(name: str, data: Path | None) -> Benchmark | None:
    """The benchmark of a run, where its files can be had: the sample, or with --data."""
    from trope.errors import TropeError
    from trope.read import load

    try:
        own = data is not None and (data / "benchmark.json").is_file()
        return load(data if own and data else name, data=data)
    except TropeError:
        if data is not None:
            raise
        return None


# -- errors --------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> NoReturn:
    """The command line. `--debug` may stand anywhere."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    sys.exit(_run(words, debug=debug))


def _run(words: list[str], *, debug: bool) -> int:
    from trope.errors import TropeError, shown

    for stream in (sys.stdout, sys.stderr):  # an odd locale must not stop a Turkish phrase
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        result: Any = app(args=words or ["--help"], standalone_mode=False)
        if sys.stdout:
            sys.stdout.flush()
        if result == 130:  # how newer typers say Ctrl-C
            raise KeyboardInterrupt
        return result if isinstance(result, int) else 0
    except TropeError as error:
        return _end(f"trope: {error}", 2, debug=debug)
    except UsageError as error:
        said = error.format_message().rstrip(".")
        return _end(f"trope: {said}. See trope --help.", 2, debug=debug)
    except (KeyboardInterrupt, typer.Abort):
        return _end("\ntrope: stopped; the same command goes on where it was.", 130, debug=debug)
    except BrokenPipeError:  # the reader of our output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f": {shown(error.filename, most=200)}" if error.filename else ""
        remedy = "free some space" if error.errno == errno.ENOSPC else "check the path"
        return _end(f"trope: {error.strerror or error}{place}; {remedy}.", 2, debug=debug)
    except MemoryError:
        return _end("trope: not enough memory; try --limit.", 2, debug=debug)
    except Exception as error:
        text = str(error).split("\n")[0][:200]
        return _end(
            f"trope: unexpected {type(error).__name__}: {text}; --debug shows where.",
            1,
            debug=debug,
        )


def _end(sentence: str, code: int, *, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exc()
    _say(sentence)
    return code
