"""The report in a real browser: it filters, opens, obeys keys, and logs no error."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BROWSER, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1200,900",
)


def _neighbour() -> ModuleType:
    """The runs that the page's tests make."""
    spec = importlib.util.spec_from_file_location(
        "report_page_tests", Path(__file__).with_name("test_page.py")
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


page = _neighbour()


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    absent = [str(path) for path in (BROWSER, DRIVER) if not path.exists()]
    if absent:
        say = f"{' and '.join(absent)} absent; install Debian's chromium and chromium-driver"
        pytest.fail(say) if os.environ.get("TROPE_CI") else pytest.skip(say)
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty items, three runs; words are hostile, one run has gaps and one ties."""
    root = tmp_path_factory.mktemp("report")
    made = page.make_benchmark(root, items=40, text=f"{page.HOSTILE} {page.RTL}")

    def gaps(table: Any) -> Any:
        score = -table.gain
        score[:3] = np.nan
        return score

    runs = [
        page.make_run(made, page.perfect, f"good {page.HOSTILE}"),
        page.make_run(made, gaps, "gaps " + "long" * 40),
        page.make_run(made, lambda table: np.minimum(table.gain, 4), "tied"),
    ]
    path: Path = root / "report.html"
    page.write_report(runs, path, benchmark=made)
    return path


@pytest.fixture
def opened(driver: Any, report: Path) -> Iterator[Any]:
    """The report, freshly opened; afterwards the browser has nothing to complain of."""
    media(driver)
    driver.get_log("browser")
    driver.get(report.as_uri())
    yield driver
    assert driver.get_log("browser") == []


def media(driver: Any, scheme: str = "light", width: int = 1200) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wish = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wish})


def choose(driver: Any, field: str, value: str) -> None:
    script = (
        "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
        "f.dispatchEvent(new Event('input', {bubbles: true}));"
    )
    driver.execute_script(script, field, value)


def count(driver: Any) -> str:
    return str(driver.find_element("id", "count").text)


def press(driver: Any, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    ActionChains(driver).send_keys(*keys).perform()


def focused(driver: Any) -> int:
    """The number of the item whose line has the focus."""
    script = "const l = document.activeElement.closest('li.item'); return l ? +l.dataset.item : -1"
    return int(driver.execute_script(script))


def test_items_are_drawn_a_part_at_a_time(opened: Any) -> None:
    assert count(opened) == "40 items; the first 24 are shown"
    opened.find_element("id", "more").click()
    assert count(opened) == "40 items"
    assert len(opened.find_elements("css selector", "#list > .item")) == 40
    assert not opened.find_element("id", "more").is_displayed()


def test_filters_narrow_and_clear(opened: Any) -> None:
    choose(opened, "f-sense", "literal")
    assert count(opened) == "20 of 40 items match"
    choose(opened, "f-lang", "ar")
    assert count(opened) == "1 of 40 items match"
    opened.find_element("css selector", "#filters [type=reset]").click()
    opened.execute_async_script("setTimeout(arguments[0], 50)")
    assert count(opened) == "40 items; the first 24 are shown"


@pytest.mark.parametrize(
    ("run", "field", "value", "matches"),
    [
        ("0", "f-answer", "right", "40 items"),
        ("0", "f-answer", "wrong", "0 of 40"),
        ("1", "f-answer", "tied", "40 items"),
        ("2", "f-answer", "missing", "3 of 40"),
        ("2", "f-role", "distractor", "37 of 40"),
        ("0", "f-role", "literal", "20 of 40"),
        ("", "f-role", "idiomatic_related", "20 of 40"),
    ],
)
def test_filters_by_run_answer_and_role(
    opened: Any, run: str, field: str, value: str, matches: str
) -> None:
    choose(opened, "f-run", run)
    choose(opened, field, value)
    assert count(opened).startswith(matches)


def test_search_and_disagreement(opened: Any) -> None:
    opened.find_element("id", "f-split").click()
    assert count(opened).startswith("40 items")
    opened.find_element("id", "f-text").send_keys("item-14 SENTENCE")
    opened.execute_async_script("setTimeout(arguments[0], 300)")
    assert count(opened) == "1 of 40 items match"


def test_an_item_opens_and_shows_every_order(opened: Any) -> None:
    line = opened.find_element("css selector", "#list > .item")
    button = line.find_element("css selector", "button.open")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    answers = line.find_elements("css selector", ".answer")
    assert [answer.get_attribute("class") for answer in answers] == [
        "answer right",
        "answer tied",
        "answer missing",
    ]
    assert "1=" in answers[1].text and "no answer" in answers[2].text
    assert "★" in answers[0].text
    captions = line.find_elements("css selector", ".caption")
    assert captions[0].text.startswith("caption 0 0 </script><img src=x onerror=alert(1)>")
    assert "meaning 0" in line.text
    pictures = line.find_elements("css selector", "img")
    assert all(picture.get_attribute("alt").startswith("caption 0") for picture in pictures)
    assert opened.execute_script("return arguments[0].decode().then(() => true)", pictures[0])
    button.click()
    assert not line.find_elements("css selector", ".answer")


def test_keys(opened: Any) -> None:
    from selenium.webdriver import Keys

    press(opened, "j", "j")
    assert focused(opened) == 1
    press(opened, "k")
    assert focused(opened) == 0
    press(opened, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    assert focused(opened) == 1
    press(opened, Keys.ENTER)
    assert len(opened.find_elements("css selector", ".is-open")) == 1
    press(opened, Keys.SPACE)
    assert not opened.find_elements("css selector", ".is-open")
    press(opened, *(["j"] * 30))
    assert focused(opened) == 31
    press(opened, "/", "j")
    assert opened.find_element("id", "f-text").get_attribute("value") == "j"
    press(opened, Keys.ESCAPE, "?")
    assert opened.find_element("id", "help").is_displayed()
    press(opened, Keys.ESCAPE)
    assert not opened.find_element("id", "help").is_displayed()


def test_the_leaderboard_sorts(opened: Any) -> None:
    def first() -> str:
        return str(opened.find_element("css selector", ".sortable tbody th").text)

    assert first().startswith("good")
    button = opened.find_elements("css selector", ".sortable thead button")[-1]
    button.click()
    assert first().startswith("gaps")
    assert button.find_element("xpath", "..").get_attribute("aria-sort") == "descending"
    button.click()
    assert not first().startswith("gaps")


def luminance(colour: str) -> float:
    values = [float(v) / 255 for v in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    r, g, b = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_in_light_and_dark(opened: Any, scheme: str) -> None:
    media(opened, scheme)
    paper = opened.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (luminance(paper) < 0.2) == (scheme == "dark")
    field = opened.execute_script(
        "return getComputedStyle(document.querySelector('#filters')).backgroundColor"
    )
    for what in (
        "body",
        ".muted",
        "a",
        ".gold",
        ".sentence",
        "thead th",
        "#count",
        "#filters label",
    ):
        ink = opened.execute_script(
            "return getComputedStyle(document.querySelector(arguments[0])).color", what
        )
        for ground in (paper, field):
            lighter, darker = sorted((luminance(ink), luminance(ground)), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, what


@pytest.mark.parametrize("width", [360, 768, 1200])
def test_the_page_never_scrolls_sideways(opened: Any, width: int) -> None:
    media(opened, width=width)
    opened.find_element("css selector", "#list button.open").click()
    for details in opened.find_elements("css selector", "details > summary"):
        opened.execute_script("arguments[0].click()", details)
    assert opened.execute_script("return document.documentElement.scrollWidth") <= width
    assert opened.execute_script("return document.body.scrollWidth") <= width


def test_phrases_carry_their_language_and_direction(opened: Any) -> None:
    opened.find_element("id", "more").click()
    phrase = opened.find_elements("css selector", ".phrase")[-1]
    assert phrase.get_attribute("lang") == "ar"
    assert phrase.get_attribute("dir") == "auto"


@pytest.mark.parametrize("kind", ["no gold", "no benchmark", "one run"])
def test_lesser_reports_open_too(driver: Any, tmp_path: Path, kind: str) -> None:
    made = page.make_benchmark(items=4, gold=kind != "no gold")
    runs = [page.make_run(made, page.noise(1), "a"), page.make_run(made, page.noise(2), "b")]
    path = tmp_path / "report.html"
    chosen = runs[:1] if kind == "one run" else runs
    page.write_report(chosen, path, benchmark=None if kind == "no benchmark" else made)
    driver.get_log("browser")
    driver.get(path.as_uri())
    assert count(driver) == "4 items"
    press(driver, "j", " ")
    assert len(driver.find_elements("css selector", ".answer")) == len(chosen)
    assert driver.get_log("browser") == []
