// The gallery and the sortable tables. The page is built from text nodes only: whatever a
// caption holds, it stays a caption.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const STEP = 24;
  const MOST_TILES = 12;

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== ""));
    return node;
  }
  const words = (name) => name.replaceAll("_", " ");
  const spoken = (tag, text, lang, attributes) => make(tag, { dir: "auto", lang, ...attributes }, text);

  // What each run did with each item, worked out once.
  const runs = data.order.map((place) => data.runs[place]);
  const labelled = data.items.some((item) => item.gold) || runs.some((run) => run.right);

  function firsts(places) {
    const found = [];
    for (let slot = 0; slot < places.length; slot++) if (places[slot] === 0) found.push(slot);
    return found;
  }
  function judged(item, places, right) {
    if (!places) return "missing";
    if (right !== undefined && right !== null) return right ? "right" : "wrong";
    if (!item.gold) return "answered";
    const first = firsts(places);
    const hits = first.filter((slot) => item.gold[slot] === 0).length;
    return hits === first.length ? "right" : hits === 0 ? "wrong" : "tied";
  }
  data.items.forEach((item, i) => {
    item.number = i;
    item.places = runs.map((run) => run.places[i]);
    item.verdicts = runs.map((run) => judged(item, run.places[i], run.right && run.right[i]));
    item.judged = item.verdicts.some((verdict) => verdict === "right" || verdict === "wrong" || verdict === "tied");
    item.firstRoles = item.places.map((places) =>
      places ? new Set(firsts(places).map((slot) => data.roles[item.roles[slot]])) : new Set());
    const given = runs.map((run, r) => (item.places[r] ? `${firsts(item.places[r])} ${run.right ? run.right[i] : ""}` : ""));
    item.split = new Set(given.filter(Boolean)).size > 1;
    item.right = item.verdicts.filter((verdict) => verdict === "right").length;
  });
  function haystack(item) {
    if (item.hay === undefined) {
      const captions = item.cards.map((card) => data.cards[card]).map((c) => (c[1] < 0 ? c[2] : data.texts[c[1]]));
      item.hay = [item.id, item.phrase, item.sentence || "", ...(item.defs || []), ...captions]
        .join("\n").toLowerCase();
    }
    return item.hay;
  }

  // One candidate, as a tile.
  function tile(item, slot, place, tied, whole) {
    const [thumb, text, id, lang] = data.cards[item.cards[slot]];
    const caption = text < 0 ? "" : data.texts[text];
    const role = data.roles[item.roles[slot]] || "";
    const gold = item.gold && item.gold[slot] === 0;
    const picture = thumb < 0
      ? spoken("div", caption || id, caption ? lang : null, { class: "blank" })
      : make("img", {
          src: data.prefix + data.thumbs[thumb], alt: caption || words(role) || id,
          title: caption || null, lang, decoding: "async",
        });
    const under = make("figcaption", {},
      place === null ? null : make("span", { class: "place" }, `${place + 1}${tied ? "=" : ""}`),
      gold ? make("span", { class: "gold" }, "★ ", make("span", { class: "hide" }, "right: ")) : null,
      make("span", { class: "role" }, words(role) || id));
    const shown = whole && caption && thumb >= 0 ? spoken("p", caption, lang, { class: "caption" }) : null;
    return make("li", { class: gold ? "tile is-gold" : "tile" }, make("figure", {}, picture, under), shown);
  }
  function strip(item, places, whole) {
    const order = [...item.cards.keys()];
    if (places) order.sort((a, b) => places[a] - places[b] || a - b);
    const count = (place) => places.filter((other) => other === place).length;
    const tiles = order.slice(0, MOST_TILES).map((slot) =>
      tile(item, slot, places ? places[slot] : null, places ? count(places[slot]) > 1 : false, whole));
    if (order.length > MOST_TILES) {
      tiles.push(make("li", { class: "tile muted" }, `and ${order.length - MOST_TILES} more`));
    }
    return make("ol", { class: whole ? "strip large" : "strip" }, ...tiles);
  }

  // One item: a line that opens.
  function tally(item, chosen) {
    const said = { right: "✓ right", wrong: "✗ wrong", tied: "≈ tied first", missing: "– missing", answered: "answered" };
    if (chosen >= 0) return said[item.verdicts[chosen]];
    const gone = item.verdicts.filter((verdict) => verdict === "missing").length;
    const lost = gone ? `, ${gone} missing` : "";
    if (runs.length === 1) return said[item.verdicts[0]];
    if (!item.judged) return gone === runs.length ? "no answer" : (item.split ? "runs disagree" : "runs agree") + lost;
    return `${item.right} of ${runs.length} right${lost}`;
  }
  function heading(item, chosen) {
    const tags = [item.sense ? words(item.sense) : "", item.lang, item.kind || ""].filter(Boolean).join(" · ");
    const phrase = spoken("span", item.phrase, item.lang, { class: "phrase" });
    return make("button", { type: "button", class: "open", "aria-expanded": "false", "aria-controls": `item-${item.number}` },
      phrase, " ", make("span", { class: "muted" }, tags), " ", make("span", { class: "tally" }, tally(item, chosen)));
  }
  function row(item) {
    const chosen = chosenRun();
    const places = chosen >= 0 ? item.places[chosen] : item.gold;
    const body = make("div", { id: `item-${item.number}`, class: "body" });
    const line = make("li", { class: "item", "data-item": item.number }, make("h3", {}, heading(item, chosen)),
      item.sentence ? spoken("p", item.sentence, item.lang, { class: "sentence" }) : null, body);
    closed(item, body, places, chosen);
    return line;
  }
  function orderedBy(places, chosen) {
    if (chosen >= 0) return places ? `as ${runs[chosen].label} ordered them` : `${runs[chosen].label} gave no answer`;
    return places ? "in the gold’s order" : "in the benchmark’s order";
  }
  function closed(item, body, places, chosen) {
    const list = strip(item, places || null, false);
    list.setAttribute("aria-label", `Candidates ${orderedBy(places, chosen)}`);
    body.replaceChildren(list);
  }
  function opened(item, body, places, chosen) {
    const parts = [];
    if (item.defs) {
      parts.push(make("p", { class: "defs" }, make("span", { class: "muted" }, "Means: "),
        spoken("span", item.defs.join(" · "), item.lang)));
    }
    if (item.before) {
      const before = { ...item, cards: item.before, gold: null, roles: [] };
      parts.push(make("h4", {}, "Shown before"), strip(before, null, true));
    }
    parts.push(make("h4", {}, `Candidates, ${orderedBy(places, chosen)}`), strip(item, places || null, true));
    parts.push(make("h4", {}, runs.length > 1 ? "The order each run gave" : "The order the run gave"));
    parts.push(make("ul", { class: "orders" }, ...runs.map((run, i) => answer(item, run, i))));
    parts.push(make("p", { class: "muted id" }, item.id));
    body.replaceChildren(...parts);
  }
  function answer(item, run, i) {
    const verdict = item.verdicts[i];
    const label = { right: "✓ right", tied: "≈ tied first", missing: "no answer", answered: "" }[verdict];
    const first = [...item.firstRoles[i]].map(words).join(", ");
    const told = verdict === "wrong" ? (first ? `✗ ${first} first` : "✗ wrong") : label;
    const said = run.said && run.said[i] ? ` · said ${words(run.said[i])}` : "";
    return make("li", { class: `answer ${verdict}` },
      make("p", {}, spoken("span", run.label, null, { class: "run" }), " ", make("span", { class: "tally" }, told + said)),
      item.places[i] ? strip(item, item.places[i], false) : null);
  }

  // Filters.
  const fields = { text: byId("f-text"), run: byId("f-run"), sense: byId("f-sense"), lang: byId("f-lang"),
    role: byId("f-role"), answer: byId("f-answer"), split: byId("f-split") };
  const chosenRun = () => (fields.run.value === "" ? -1 : Number(fields.run.value));

  function options(select, values, label) {
    for (const [value, text] of values) select.append(make("option", { value, dir: "auto" }, text));
    select.closest("label").hidden = values.length < label;
  }
  const distinct = (values) => [...new Set(values.filter(Boolean))].sort();
  options(fields.run, runs.map((run, i) => [String(i), run.label]), 2);
  options(fields.sense, distinct(data.items.map((item) => item.sense)).map((s) => [s, words(s)]), 2);
  options(fields.lang, distinct(data.items.map((item) => item.lang)).map((l) => [l, l]), 2);
  options(fields.role, data.roles.filter(Boolean).map((r) => [r, words(r)]), 1);
  fields.split.closest("label").hidden = runs.length < 2;
  if (!labelled) {
    for (const option of [...fields.answer.options]) if (["right", "wrong", "tied"].includes(option.value)) option.remove();
  }

  function wanted() {
    const needles = fields.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { sense, lang, role, answer: verdict } = fields;
    const chosen = chosenRun();
    const some = chosen >= 0 ? [chosen] : [...runs.keys()];
    return data.items.filter((item) =>
      (!sense.value || item.sense === sense.value) &&
      (!lang.value || item.lang === lang.value) &&
      (!fields.split.checked || item.split) &&
      ((!role.value && !verdict.value) || some.some((i) =>
        (!verdict.value || item.verdicts[i] === verdict.value) &&
        (!role.value || item.firstRoles[i].has(role.value)))) &&
      needles.every((needle) => haystack(item).includes(needle)));
  }

  const list = byId("list");
  const more = byId("more");
  let found = [];
  let step = STEP;
  function extend() {
    const from = list.children.length;
    list.append(...found.slice(from, from + step).map(row));
    step *= 2;
    told();
  }
  function told() {
    const shown = list.children.length;
    const total = data.items.length;
    const match = found.length === total ? `${total} items` : `${found.length} of ${total} items match`;
    byId("count").textContent = shown < found.length ? `${match}; the first ${shown} are shown` : match;
    more.hidden = shown >= found.length;
    more.textContent = `Show ${Math.min(step, found.length - shown)} more`;
  }
  function refresh() {
    found = wanted();
    step = STEP;
    list.replaceChildren();
    extend();
  }
  let waiting = 0;
  function soon() {
    clearTimeout(waiting);
    waiting = setTimeout(refresh, 120);
  }
  byId("filters").addEventListener("input", (event) => (event.target === fields.text ? soon() : refresh()));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", () => setTimeout(refresh, 0));
  more.addEventListener("click", () => {
    const next = list.children.length;
    extend();
    focusOn(next);
  });

  list.addEventListener("click", (event) => {
    const line = event.target.closest("li.item");
    if (!line || event.target.closest(".is-open .body") || String(getSelection())) return;
    toggle(line);
  });
  function toggle(line) {
    const item = data.items[Number(line.dataset.item)];
    const chosen = chosenRun();
    const places = chosen >= 0 ? item.places[chosen] : item.gold;
    const open = line.classList.toggle("is-open");
    line.querySelector(".open").setAttribute("aria-expanded", String(open));
    (open ? opened : closed)(item, line.querySelector(".body"), places, chosen);
  }

  // Keys.
  function focusOn(place) {
    if (place < 0) return;
    if (place >= list.children.length && !more.hidden) extend();
    const line = list.children[Math.min(place, list.children.length - 1)];
    if (!line) return;
    line.querySelector(".open").focus({ preventScroll: true });
    line.scrollIntoView({ block: "nearest" });
  }
  function current() {
    const line = document.activeElement && document.activeElement.closest("li.item");
    return line ? [...list.children].indexOf(line) : -1;
  }
  const help = byId("help");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const typing = event.target.closest("input, select, textarea");
    if (typing) {
      if (event.key === "Escape" && typing === fields.text) typing.blur();
      return;
    }
    const place = current();
    const inList = place >= 0;
    if (event.key === "j" || (inList && event.key === "ArrowDown")) focusOn(place + 1);
    else if (event.key === "k" || (inList && event.key === "ArrowUp")) focusOn(Math.max(place - 1, 0));
    else if (event.key === "/") fields.text.focus();
    else if (event.key === "?") help.showModal();
    else return;
    event.preventDefault();
  });

  // Tables that sort.
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = head.querySelector("button");
      if (button) button.addEventListener("click", () => sort(table, heads, column));
    });
  }
  function sort(table, heads, column) {
    const body = table.tBodies[0];
    const value = (line) => line.cells[column].dataset.v;
    const numeric = [...body.rows].every((line) => value(line) !== "" && !Number.isNaN(Number(value(line))));
    const before = heads[column].getAttribute("aria-sort");
    const down = before ? before === "ascending" : numeric && column > 0;
    const compare = numeric
      ? (a, b) => Number(value(a)) - Number(value(b))
      : (a, b) => value(a).localeCompare(value(b));
    body.append(...[...body.rows].sort((a, b) => (down ? compare(b, a) : compare(a, b))));
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  refresh();
})();
