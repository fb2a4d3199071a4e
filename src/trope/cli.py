"""One thin command for each verb. Everything but typer is imported inside the commands, so that
`trope --help` is instant. A `TropeError` becomes one sentence and exit code 2."""

from __future__ import annotations

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
    """A remark, kept out of standard output."""
    print(text, file=sys.stderr)


def _notes(benchmark: Benchmark) -> None:
    for note in benchmark.notes:
        _say(f"note: {note}")


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the runs go.")] = Path(
        "runs/demo"
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
        print(reader.forms)
        print(f"    {reader.about}{'; needs --data' if reader.needs_data else ''}")
    print("FOLDER\n    a folder of your own: benchmark.json, items.jsonl, images/")
    print("\nAny of them with ?captions=en keeps the captions of one language.")


@app.command()
def models() -> None:
    """The models there are, and what is installed."""
    from trope.score import SCORERS

    for family in SCORERS.values():
        state = "" if family.installed else f"; not installed: pip install 'trope[{family.extra}]'"
        print(f"{family.form}\n    {family.about} (sees {family.sees}{state})")
    print("FILE.py:CLASS\n    a class of your own behind Encoder, Judge or Ranker")


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
            _say(f"{made.label}: kept in {place}" + (f" ({reused})" if made.prompt else ""))

    runs = run_verb(
        asked, model or ["wordllama"], prompt, limit=limit, out=out, fresh=fresh, told=told
    )
    if not as_json:
        print(runs_text(runs, width=_width()))


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
    as_json: Json = False,
) -> None:
    """Score answers made elsewhere, a submission included."""
    from trope.measure.official import official
    from trope.report.table import number, run_object, show_text
    from trope.verbs import keep
    from trope.verbs import score as score_verb

    made = score_verb(benchmark, file, data=data, gold=gold)
    place = keep(made, out) if out is not None else None
    numbers = official(made.table, made.meta["benchmark"]["task"])
    if as_json:
        print(json.dumps({**run_object(made), "official": numbers}, ensure_ascii=False))
        return
    print(show_text(made, width=_width()))
    print("\nThe shared task's own numbers:")
    for name, value in numbers.items():
        print(f"  {name:<9} {number(value, 4)}")
    if place:
        _say(f"kept in {place}")


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


def _load(name: str, below: Path) -> Run:
    from trope.runs import Run, find_run

    return Run.load(find_run(name, below))


# -- errors --------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> NoReturn:
    """The command line. `--debug` may stand anywhere."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    sys.exit(_run(words, debug=debug))


def _run(words: list[str], *, debug: bool) -> int:
    from trope.errors import TropeError

    for stream in (sys.stdout, sys.stderr):  # an odd locale must not stop a Turkish phrase
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        result: Any = app(args=words, standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except TropeError as error:
        return _end(f"trope: {error}", 2, debug=debug)
    except UsageError as error:
        return _end(f"trope: {error.format_message()} See trope --help.", 2, debug=debug)
    except (KeyboardInterrupt, typer.Abort):
        return _end("\ntrope: stopped; the same command goes on where it was.", 130, debug=debug)
    except BrokenPipeError:  # the reader of our output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f" {error.filename}" if error.filename else ""
        return _end(f"trope: {error.strerror or error}{place}; check the path.", 2, debug=debug)
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
    print(sentence, file=sys.stderr)
    return code
