"use strict";
(() => {
  const all = (what, from = document) => [...from.querySelectorAll(what)];
  const one = (what, from = document) => from.querySelector(what);
  const root = document.documentElement;
  const body = document.body;
  const many = body.classList.contains("many");
  body.classList.add("js");
  for (const part of all(".tools, .theme")) part.hidden = false;

  // Light and dark: as the system says, unless a person chose. A file's storage may be denied.
  const KEY = "wheel-orchestrator-theme";
  const show = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
    for (const radio of all(".theme input")) radio.checked = radio.value === (theme || "auto");
  };
  try { show(localStorage.getItem(KEY)); } catch { show(null); }
  one(".theme").addEventListener("change", ({ target }) => {
    const theme = target.value === "auto" ? null : target.value;
    show(theme);
    try { theme ? localStorage.setItem(KEY, theme) : localStorage.removeItem(KEY); } catch { /* chosen for now */ }
  });

  // Copying. Where the clipboard is denied to a page from disk, the old way is asked.
  const copied = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* below */ }
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "hidden";
    body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  };
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest(".copy");
    if (!button) return;
    const done = await copied(one("code", button.parentElement).textContent);
    button.focus();
    one("span", button).textContent = done ? "Copied" : "Select it";
    button.classList.toggle("done", done);
    say(done ? "The command is copied." : "The browser does not let this page copy: select the command.");
    setTimeout(() => { one("span", button).textContent = "Copy"; button.classList.remove("done"); }, 2000);
  });

  // Search and filters. Texts are read when first asked for.
  const search = one("#search");
  const status = one(".matches");
  const filters = all(".filter");
  const rows = all(".row").map((row) => ({ row, groups: all(".group", row).map((group) => ({
    group, open: group.open, checks: all(".check", group).map((check) => ({ check, state: check.dataset.state, open: check.open })),
  })) }));
  const text = (entry) => (entry.text ??= entry.check.textContent.toLowerCase().replace(/\s+/g, " "));
  const say = (words) => { status.textContent = words; };
  const chosen = () => filters.filter((f) => f.getAttribute("aria-pressed") === "true").map((f) => f.dataset.state);
  const FEW = 12; // so many checks that match are opened, since the word may stand in what is folded
  const MOST_MARKED = 200;
  let here = null; // the row that is shown; null is the overview
  let was = false;

  // Words that were searched stand out; where the browser cannot paint them without new elements, they do not.
  const mark = (entries, words) => {
    if (!CSS.highlights) return;
    const found = new Highlight();
    for (const { check } of entries) {
      const walker = document.createTreeWalker(check, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode;
        const inside = node.data.toLowerCase();
        for (const word of inside.length === node.data.length ? words : []) {
          for (let at = inside.indexOf(word); at >= 0; at = inside.indexOf(word, at + word.length)) {
            const range = new Range();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            found.add(range);
          }
        }
      }
    }
    CSS.highlights.set("found", found);
  };

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const states = chosen();
    const searching = words.length > 0 || states.length > 0;
    const totals = { fail: 0, waived: 0, "not-run": 0, pass: 0 };
    const matched = [];
    let hits = 0;
    let sum = 0;
    let hitRows = 0;
    for (const { row, groups } of rows) {
      const asked = !many || here === null || here === row;
      const name = row.dataset.row.toLowerCase();
      let inRow = 0;
      for (const { group, open, checks } of asked ? groups : []) {
        let inGroup = 0;
        for (const entry of checks) {
          const found = !words.length || words.every((word) => name.includes(word) || text(entry).includes(word));
          if (found) totals[entry.state] += 1;
          const match = found && (!states.length || states.includes(entry.state));
          sum += 1;
          inGroup += match;
          if (match) matched.push(entry);
          if (searching || was) {
            entry.check.classList.toggle("unmatched", searching && !match);
            entry.check.open = entry.open;
          }
        }
        if (searching || was) {
          group.classList.toggle("unmatched", searching && !inGroup);
          group.open = searching ? inGroup > 0 : open;
        }
        inRow += inGroup;
      }
      row.classList.toggle("shown", searching ? inRow > 0 : !many || here === row);
      row.classList.toggle("unmatched", searching && !inRow);
      hits += inRow;
      hitRows += inRow > 0;
    }
    if (words.length && hits <= FEW) for (const entry of matched) entry.check.open = true;
    mark(words.length ? matched.slice(0, MOST_MARKED) : [], words);
    was = searching;
    body.classList.toggle("searching", searching);
    body.classList.toggle("inside", here !== null);
    for (const filter of filters) {
      const count = totals[filter.dataset.state];
      one(".many", filter).textContent = count;
      filter.classList.toggle("zero", !count);
    }
    const inRows = many && here === null ? ` in ${hitRows} ${hitRows === 1 ? "row" : "rows"}` : "";
    say(searching ? `${hits} of ${sum} checks${inRows}` : `${sum} ${sum === 1 ? "check" : "checks"}`);
    one(".empty").hidden = !(searching && !hits);
    one("#clear").hidden = !searching;
  };
  const clear = () => {
    search.value = "";
    for (const filter of filters) filter.setAttribute("aria-pressed", "false");
    apply();
  };
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 80); });
  for (const filter of filters) filter.addEventListener("click", () => {
    filter.setAttribute("aria-pressed", String(filter.getAttribute("aria-pressed") !== "true"));
    apply();
  });
  one("#clear").addEventListener("click", () => { clear(); search.focus(); });
  one("#clear-too").addEventListener("click", () => { clear(); search.focus(); });
  one("#unfold").addEventListener("click", ({ currentTarget: button }) => {
    const unfold = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(unfold));
    button.textContent = unfold ? "Close all" : "Open all";
    for (const { row, groups } of rows) {
      if (many && !row.classList.contains("shown")) continue;
      for (const { group, open, checks } of groups) {
        group.open = unfold || (body.classList.contains("searching") ? true : open);
        for (const entry of checks) entry.check.open = unfold || entry.open;
      }
    }
  });

  // A log opens where it looks like an error first, or at its end.
  document.addEventListener("toggle", ({ target }) => {
    if (!target.open || !target.matches(".log")) return;
    const lines = one(".lines", target);
    const telling = one("mark", lines);
    lines.scrollTop = telling ? telling.offsetTop - lines.offsetTop - 60 : lines.scrollHeight;
  }, true);

  // Addresses: #row shows that row alone, #row/B1 a check in it, nothing or #overview all rows.
  const go = () => {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* no address of ours */ }
    const row = target?.closest(".row") ?? null;
    const moved = many && row !== here;
    if (many) here = row;
    if (moved || (row && body.classList.contains("searching"))) clear();
    else apply();
    if (!target) { if (moved) scrollTo(0, 0); return; }
    for (let up = target; up; up = up.parentElement) if (up.matches("details")) up.open = true;
    if (row && target === row) scrollTo(0, 0);
    else target.scrollIntoView();
    const stop = one(":scope > summary", target) ?? one("h1, h2, h3", target);
    if (stop && stop.matches("h2, h3")) stop.tabIndex = -1;
    stop?.focus({ preventScroll: true });
  };
  addEventListener("hashchange", go);

  // To the results of what is shown: its own address would leave the row.
  one(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    one("#content").focus();
    one("#content").scrollIntoView();
  });

  // Arrow keys walk the grid, which is one stop of the tabulator.
  for (const grid of all(".grid")) {
    const lines = all("tbody tr", grid).map((line) => all("td", line).map((cell) => all(".cell", cell)));
    const cells = lines.flat(2);
    const stop = (cell) => { for (const other of cells) other.tabIndex = other === cell ? 0 : -1; };
    stop(cells.find((cell) => cell.classList.contains("fail")) ?? cells[0]);
    grid.addEventListener("focusin", ({ target }) => { if (cells.includes(target)) stop(target); });
    grid.addEventListener("keydown", (event) => {
      const y = lines.findIndex((line) => line.some((cell) => cell.includes(event.target)));
      if (y < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      const x = lines[y].findIndex((cell) => cell.includes(event.target));
      const line = lines[y].map((cell) => cell[0]);
      const column = lines.map((cellsOf) => cellsOf[x]?.[0]);
      const next = {
        ArrowRight: () => line.slice(x + 1).find(Boolean),
        ArrowLeft: () => line.slice(0, x).findLast(Boolean),
        ArrowDown: () => column.slice(y + 1).find(Boolean),
        ArrowUp: () => column.slice(0, y).findLast(Boolean),
        Home: () => line.find(Boolean),
        End: () => line.findLast(Boolean),
      }[event.key];
      if (!next) return;
      event.preventDefault();
      next()?.focus();
    });
  }

  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select");
    if (event.key === "/" && !event.ctrlKey && !event.altKey && !event.metaKey && (!typing || typing.type === "radio")) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && event.target === search) {
      if (search.value || chosen().length) clear();
      else search.blur();
    }
  });

  // On paper nothing of what fails may stay folded.
  addEventListener("beforeprint", () => {
    for (const part of all(".row.shown .check:not(.pass)")) {
      part.open = true;
      part.closest(".group").open = true;
    }
  });

  go();
})();
