// SPDX-License-Identifier: MIT
//
// The table of the dispatches in the HTML report: sorting, searching, pages, and all readings of one dispatch.
//
// The data is in the page, packed as docs/formats/report.md describes. What the table needs is unpacked at once, a column
// of readings when somebody looks at it. Numbers read as those of report/numbers.py. Every text of the run becomes a
// text node, never markup. Without this script the page shows the first lines of the table.
"use strict";

(() => {
  const ABSENT = "-";
  const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
  const EXACT = 2 ** 53; // whole numbers up to here are exact
  const [DECIMALS, SIGNIFICANT, LEAST] = [5, 5, 1e-4];
  const LABELLED = 2; // percent of a timeline that a pass needs for its number
  const NAME = 160; // characters of a kernel's name in a row

  // Numbers as people read them -------------------------------------------------------------------------------------

  const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const digits = (number, count) =>
    number.toFixed(Math.max(0, count - String(Math.abs(Math.trunc(number))).length));

  // With commas, or with an exponent as Python writes it.
  const fixed = (number, decimals) => number.toFixed(decimals).replace(/^-?\d+/, (whole) =>
    whole.replace(/\B(?=(\d{3})+$)/g, ","));
  const exponential = (number, decimals) => number.toExponential(decimals).replace(/e([+-])(\d)$/, "e$10$2");

  function value(number) {
    if (number === undefined) return ABSENT;
    if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
    if (Number.isInteger(number) && Math.abs(number) <= EXACT) return grouped.format(number);
    const [mantissa, exponent] = number.toExponential().split("e");
    const count = mantissa.replace(/\D/g, "").length;
    const [first, decimals] = [Number(exponent), count - 1 - Number(exponent)];
    const plain = Math.abs(number) >= LEAST && Math.abs(number) <= EXACT;
    if (count <= SIGNIFICANT + 1 || (plain && decimals <= DECIMALS))
      return plain ? fixed(number, decimals) : exponential(number, count - 1);
    const text = plain ? fixed(number, Math.max(0, SIGNIFICANT - 1 - first)) : exponential(number, SIGNIFICANT - 1);
    return `~${text}`;
  }

  // As `value`; of a column that lost digits, which makes short numbers of long ones, always with the sign.
  function perhapsCoarse(number, coarse) {
    const text = value(number);
    return coarse && Number.isFinite(number) && number !== 0 && !text.startsWith("~") ? `~${text}` : text;
  }

  function duration(ns) {
    if (ns === undefined) return ABSENT;
    for (const [size, unit] of TIMES) if (Math.abs(ns) >= size) return `${digits(ns / size, 4)} ${unit}`;
    return `${ns.toFixed(0)} ns`;
  }

  function extent(low, high) {
    for (const [size, unit] of TIMES)
      if (Math.abs(high) >= size) {
        const [from, to] = [digits(low / size, 3), digits(high / size, 3)];
        return from === to ? `${to} ${unit}` : `${from}-${to} ${unit}`;
      }
    return low === high ? `${high} ns` : `${low}-${high} ns`;
  }

  function cut(text, most) {
    if (text.length <= most) return text;
    const head = Math.floor(most * 0.75);
    return `${text.slice(0, head)}…${text.slice(head - most)}`;
  }

  // The page --------------------------------------------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";

  function element(name, attributes = {}, ...children) {
    const made = name === "svg" || name === "rect" || name === "text" || name === "title" || name === "g"
      ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, text] of Object.entries(attributes)) if (text !== undefined) made.setAttribute(key, text);
    made.append(...children);
    return made;
  }

  const code = (name, most = NAME) => element("code", {}, cut(name, most));

  // Packed columns --------------------------------------------------------------------------------------------------

  function bytesOf(id) {
    const text = atob(document.getElementById(id).textContent);
    const found = new Uint8Array(text.length);
    for (let i = 0; i < found.length; i++) found[i] = text.charCodeAt(i);
    return found;
  }

  async function inflated(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // The numbers of a column: differences in planes of bytes (i), with an exponent of 10 each (d), or doubles (f). What
  // was left out (x) has none.
  function numbersOf(raw, [mode, count, planes, scale]) {
    const found = new Float64Array(count);
    if (mode === "x") return found.fill(NaN);
    if (mode === "f") {
      const doubles = new Uint8Array(found.buffer);
      for (let k = 0; k < 8; k++) for (let i = 0; i < count; i++) doubles[8 * i + k] = raw[k * count + i];
      return found;
    }
    const first = mode === "d" ? count : 0;
    for (let k = planes - 1; k >= 0; k--) {
      const start = first + k * count;
      for (let i = 0; i < count; i++) found[i] = found[i] * 256 + raw[start + i];
    }
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const folded = found[i];
      sum += folded % 2 ? -(folded + 1) / 2 : folded / 2;
      found[i] = mode === "d" ? sum : sum / 2 ** scale;
    }
    if (mode === "d") for (let i = 0; i < count; i++) found[i] = decimal(found[i], raw[i] - 128);
    return found;
  }

  // The double nearest to a decimal number. Powers of 10 are exact up to the 22nd, and one operation rounds once.
  function decimal(mantissa, exponent) {
    if (exponent === 127) return mantissa / 0;
    if (Math.abs(exponent) > 22) return Number(`${mantissa}e${exponent}`);
    return exponent < 0 ? mantissa / 10 ** -exponent : mantissa * 10 ** exponent;
  }

  // Dispatches of a process -----------------------------------------------------------------------------------------

  class Dispatches {
    static async read(prefix) {
      const bytes = await inflated(bytesOf(`${prefix}head`));
      const length = new DataView(bytes.buffer).getUint32(0, true);
      const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
      const columns = bytes.subarray(4 + length);
      return new Dispatches(prefix, head, (one) => numbersOf(columns.subarray(one[4], one[4] + one[5]), one));
    }

    // `numbers` gives those of a column that is unpacked with the head.
    constructor(prefix, head, numbers) {
      this.prefix = prefix;
      this.count = head.rows;
      this.places = head.places;
      this.counters = head.counters.map(([name, unit, nature]) => ({ name, unit, nature }));
      this.classes = head.classes.map(([shape, kernel, gpu, outcome, reason, planned, timed, size]) =>
        ({ shape: head.shapes[shape], kernel, gpu, outcome, reason, planned, timed, size }));
      this.classOf = numbers(head.columns.class);
      this.id = numbers(head.columns.id);
      this.start = numbers(head.columns.start);
      this.place = numbers(head.columns.place);
      this.#order(head);
      for (const shape of head.shapes) this.#times(shape, numbers);
      this.#measure();
      this.columns = new Map();
    }

    // Where each row is in the columns of its shape: these are in order of class, then of launch.
    #order(head) {
      const next = [];
      const filled = new Map(head.shapes.map((shape) => [shape, 0]));
      for (const one of this.classes) {
        next.push(filled.get(one.shape));
        filled.set(one.shape, filled.get(one.shape) + one.size);
      }
      this.at = Uint32Array.from(this.classOf, (number) => next[number]++);
    }

    #times(shape, numbers) {
      shape.parts = shape.parts.map(([label, group, status, inLoop, gap, length]) =>
        ({ label, group, status, inLoop, gap: gap && numbers(gap), length: length && numbers(length) }));
      shape.canonical = new Map(shape.slots.filter((s) => s[2]).map((s) => [s[0], s]));
    }

    // What rows are sorted by and show: time of the dispatch, of its passes, of its window; undefined is NaN.
    #measure() {
      this.time = new Float64Array(this.count).fill(NaN);
      this.low = new Float64Array(this.count).fill(NaN);
      this.high = new Float64Array(this.count).fill(NaN);
      this.window = new Float64Array(this.count).fill(NaN);
      for (let row = 0; row < this.count; row++) {
        const { shape, timed } = this.classes[this.classOf[row]];
        const at = this.at[row];
        let [passes, low, high, looped, length, usable, begun] = [0, Infinity, 0, 0, 0, true, false];
        for (const part of shape.parts) {
          if (!part.length) continue;
          const ns = part.length[at];
          if (part.inLoop && ns > 0) [passes, low, high] = [passes + 1, Math.min(low, ns), Math.max(high, ns)];
          if (!part.inLoop && part.group >= 0) continue;
          length += ns + (looped ? part.gap[at] : 0);
          looped++;
          begun ||= part.inLoop;
          usable &&= ns >= 0;
        }
        if (timed >= 0) this.time[row] = shape.parts[timed].length[at];
        if (passes > 1) [this.low[row], this.high[row]] = [low, high];
        if (begun && looped > 1 && usable && length > 0) this.window[row] = length;
      }
    }

    class(row) {
      return this.classes[this.classOf[row]];
    }

    // The executions of a dispatch: label, start since the first launch, length; without times these are undefined.
    executions(row) {
      let end = this.start[row];
      return this.class(row).shape.parts.map((part) => {
        if (!part.length) return { ...part, start: undefined, length: undefined };
        const [start, length] = [end + part.gap[this.at[row]], part.length[this.at[row]]];
        end = start + length;
        return { ...part, start, length };
      });
    }

    // The numbers of a slot of a shape; unpacked once.
    async #slot(slot) {
      this.values ??= bytesOf(`${this.prefix}values`);
      if (!this.columns.has(slot)) this.columns.set(slot, this.#unpacked(slot[3]));
      return this.columns.get(slot);
    }

    async #unpacked(column) {
      const [mode, , , , at, length] = column;
      return numbersOf(mode === "x" ? null : await inflated(this.values.subarray(at, at + length)), column);
    }

    // The canonical values of a counter of all rows, NaN where there is none, and whether any lost digits.
    async canonical(counter) {
      const found = new Float64Array(this.count).fill(NaN);
      const of = new Map();
      for (const { shape } of this.classes) {
        const slot = shape.canonical.get(counter);
        if (slot && !of.has(shape)) of.set(shape, await this.#slot(slot));
      }
      for (let row = 0; row < this.count; row++) {
        const column = of.get(this.class(row).shape);
        if (column) found[row] = column[this.at[row]];
      }
      const coarse = [...of.keys()].some((shape) => shape.canonical.get(counter)[3][0] === "d");
      return { values: found, coarse };
    }

    // Of each counter that was read: canonical value with its execution, and the other readings.
    async readings(row) {
      const { shape } = this.class(row);
      const columns = await Promise.all(shape.slots.map((slot) => this.#slot(slot)));
      const found = new Map();
      shape.slots.forEach(([counter, part, canonical, column], n) => {
        if (!found.has(counter)) found.set(counter, { ...this.counters[counter], others: [] });
        const one = { label: shape.parts[part].label, value: columns[n][this.at[row]], missing: column[0] === "x",
          coarse: column[0] === "d" };
        if (canonical) found.get(counter).canonical = one;
        else found.get(counter).others.push(one);
      });
      return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    }
  }

  // The table -------------------------------------------------------------------------------------------------------

  const several = (one) => one.outcome === "replayed" || one.outcome === "incomplete";
  const passesOf = (one) => one.shape.parts.filter((part) => part.group >= 0).length;
  const outcomeOf = (one) => (one.reason ? `${one.outcome} (${one.reason})` : one.outcome);
  const known = (number) => (Number.isNaN(number) ? undefined : number);

  // Heading, cell of a row, and what it is sorted by: a number, or a text of its class.
  const COLUMNS = [
    ["Dispatch", (d, row) => String(d.id[row]), { of: (d) => d.id }],
    ["GPU", (d, row) => String(d.class(row).gpu), { text: (one) => one.gpu }],
    ["Kernel", (d, row) => code(d.class(row).kernel), { text: (one) => one.kernel }],
    ["Outcome", (d, row) => cut(outcomeOf(d.class(row)), NAME), { text: outcomeOf }],
    ["Passes", (d, row) => {
      const one = d.class(row);
      return several(one) ? `${passesOf(one)} of ${one.planned}` : ABSENT;
    }, { text: passesOf }],
    ["Counters", (d, row) => String(d.class(row).shape.canonical.size), { text: (one) => one.shape.canonical.size }],
    ["Time", (d, row) => duration(known(d.time[row])), { of: (d) => d.time }],
    ["Time of", (d, row) => {
      const one = d.class(row);
      return one.timed < 0 ? ABSENT : one.shape.parts[one.timed].label;
    }, { text: (one) => one.shape.parts[one.timed]?.label ?? "" }],
    ["Over passes", (d, row) => (Number.isNaN(d.low[row]) ? ABSENT : extent(d.low[row], d.high[row])),
      { of: (d) => d.low.map((low, row) => (d.high[row] - low) / d.high[row]) }],
    ["All passes", (d, row) => duration(known(d.window[row])), { of: (d) => d.window }],
  ];

  class Table {
    constructor(root, data) {
      this.root = root;
      this.data = data;
      this.prefix = root.dataset.prefix;
      this.size = Number(root.dataset.page);
      this.page = 0;
      this.sorted = { column: 0, descending: false };
      this.extra = null; // the counter that has a column of its own, with its values
      this.kernel = null; // the only kernel that is shown, where one was chosen
      this.head = root.querySelector("thead tr");
      this.body = root.querySelector("tbody");
      this.texts = data.classes.map((one) => `${one.kernel} ${outcomeOf(one)} gpu ${one.gpu}`.toLowerCase());
      this.every = Uint32Array.from({ length: data.count }, (_, row) => row);
      this.order = this.every;
      this.#makeHead();
      this.#makeControls();
      this.#makePager();
      this.body.addEventListener("click", (event) => this.#clicked(event));
      this.body.addEventListener("keydown", (event) => this.#moved(event));
      this.filter();
    }

    #makeHead() {
      this.headings = [...this.head.children];
      this.headings.forEach((cell, column) => {
        const button = element("button", { type: "button" }, cell.textContent);
        button.addEventListener("click", () => this.sort(column));
        cell.replaceChildren(button);
      });
    }

    #makeControls() {
      const controls = this.root.querySelector(".controls");
      this.search = element("input", {
        type: "search", autocomplete: "off", spellcheck: "false", placeholder: "kernel, outcome, reason, #dispatch",
        "aria-keyshortcuts": "/",
      });
      this.search.addEventListener("input", () => this.filter());
      this.select = element("select", {}, element("option", { value: "" }, "none"));
      this.data.counters.forEach(({ name }, n) => this.select.append(element("option", { value: n }, name)));
      this.select.addEventListener("change", () => this.#show(this.select.value));
      this.told = element("output", { role: "status" });
      this.all = element("button", { type: "button", hidden: "" });
      this.all.addEventListener("click", () => this.only(null));
      controls.replaceChildren(
        element("label", {}, "Search (press /)", this.search),
        element("label", {}, "Column for a counter", this.select),
        this.told, this.all);
      controls.hidden = false;
    }

    #makePager() {
      const pager = this.root.querySelector(".pager");
      const button = (text, label, to) => {
        const made = element("button", { type: "button", "aria-label": label }, text);
        made.addEventListener("click", () => this.turn(to()));
        return made;
      };
      this.first = button("First", "First page", () => 0);
      this.previous = button("Previous", "Previous page", () => this.page - 1);
      this.next = button("Next", "Next page", () => this.page + 1);
      this.last = button("Last", "Last page", () => this.pages - 1);
      this.place = element("span", {});
      pager.replaceChildren(this.first, this.previous, this.place, this.next, this.last);
      this.pager = pager;
    }

    // Only the rows of this kernel on this GPU, or all.
    only(kernel) {
      this.kernel = kernel;
      this.all.hidden = kernel === null;
      this.all.textContent = kernel === null ? "" : `All kernels (now: ${cut(kernel.name, 40)}, GPU ${kernel.gpu})`;
      this.filter();
    }

    // Every word of the search must be in kernel, outcome or GPU; #17 is the number of a dispatch.
    filter() {
      const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const ids = words.filter((word) => /^#\d+$/.test(word)).map((word) => Number(word.slice(1)));
      const rest = words.filter((word) => !/^#\d+$/.test(word));
      const { data } = this;
      const fits = Uint8Array.from(this.texts, (text, n) => rest.every((word) => text.includes(word)) &&
        (this.kernel === null || (data.classes[n].kernel === this.kernel.name && data.classes[n].gpu === this.kernel.gpu)));
      const all = fits.every(Boolean) && ids.length === 0;
      this.shown = all ? this.order
        : this.order.filter((row) => fits[data.classOf[row]] && ids.every((id) => data.id[row] === id));
      this.turn(0);
    }

    sort(column) {
      const again = this.sorted.column === column;
      this.sorted = { column, descending: again ? !this.sorted.descending : column > 5 };
      this.#arrange();
    }

    // Rows in order of the column; equal ones, and those without a value at the end, in order of launch.
    #arrange() {
      const { column, descending } = this.sorted;
      const keys = this.#keys(column);
      const sign = descending ? -1 : 1;
      this.order = this.every.slice().sort((a, b) => {
        const [left, right] = [keys[a], keys[b]];
        if (left === right) return a - b;
        if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) - Number.isNaN(right) || a - b;
        return (left < right ? -1 : 1) * sign;
      });
      this.filter();
    }

    #keys(column) {
      if (column === COLUMNS.length) return this.extra.values;
      const { of, text } = COLUMNS[column][2];
      if (of) return of(this.data);
      const texts = this.data.classes.map(text);
      const places = [...new Set(texts)].sort((a, b) => (a < b ? -1 : 1));
      const ranks = texts.map((one) => places.indexOf(one));
      return Float64Array.from(this.data.classOf, (number) => ranks[number]);
    }

    // A column with the canonical values of a counter, or none.
    async #show(chosen) {
      if (this.extra) this.headings.pop().remove();
      this.extra = null;
      if (chosen !== "") {
        const { name, unit } = this.data.counters[chosen];
        this.extra = { name, unit, ...await this.data.canonical(Number(chosen)) };
        const button = element("button", { type: "button" }, unit ? `${name} (${unit})` : name);
        button.addEventListener("click", () => this.sort(COLUMNS.length));
        this.headings.push(element("th", { scope: "col" }, button));
        this.head.append(this.headings.at(-1));
      } else if (this.sorted.column === COLUMNS.length) {
        this.sorted = { column: 0, descending: false };
        this.#arrange();
      }
      this.draw();
    }

    get pages() {
      return Math.max(1, Math.ceil(this.shown.length / this.size));
    }

    turn(page) {
      this.page = Math.min(Math.max(0, page), this.pages - 1);
      this.draw();
    }

    draw() {
      const { page, pages, size, shown, data } = this;
      const rows = [...shown.slice(page * size, (page + 1) * size)];
      this.body.replaceChildren(...rows.map((row) => this.#row(row)));
      if (rows.length === 0)
        this.body.append(element("tr", {}, element("td", { class: "text dim", colspan: this.headings.length },
          "No dispatch matches.")));
      this.headings.forEach((cell, column) => {
        const direction = this.sorted.descending ? "descending" : "ascending";
        if (column === this.sorted.column) cell.setAttribute("aria-sort", direction);
        else cell.removeAttribute("aria-sort");
      });
      const all = shown.length === data.count;
      this.told.textContent = `${grouped.format(shown.length)}${all ? "" : ` of ${grouped.format(data.count)}`} dispatches`;
      this.place.textContent = `Page ${grouped.format(page + 1)} of ${grouped.format(pages)}`;
      this.pager.hidden = pages === 1;
      this.first.disabled = this.previous.disabled = page === 0;
      this.next.disabled = this.last.disabled = page === pages - 1;
    }

    #row(row) {
      const cells = COLUMNS.map(([heading, cell], column) => {
        const content = cell(this.data, row);
        const kind = this.headings[column].className;
        if (column > 0) return element("td", kind ? { class: kind } : {}, content);
        const id = `${this.prefix}dispatch-${this.data.id[row]}`;
        return element("td", { id }, element("button", { type: "button", "aria-expanded": "false",
          "aria-label": `${heading} ${content}, show its counters` }, content));
      });
      if (this.extra) cells.push(element("td", {}, perhapsCoarse(known(this.extra.values[row]), this.extra.coarse)));
      return element("tr", { "data-row": row }, ...cells);
    }

    #clicked(event) {
      const row = event.target.closest("tr[data-row]");
      if (row && !document.getSelection().toString()) this.open(row);
    }

    // Up and down go from row to row.
    #moved(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || event.target.tagName !== "BUTTON") return;
      const buttons = [...this.body.querySelectorAll("tr[data-row] > td > button")];
      const target = buttons[buttons.indexOf(event.target) + step];
      if (!target) return;
      event.preventDefault();
      target.focus();
    }

    // Unfolds what is known of a dispatch, or folds it.
    async open(row) {
      const button = row.querySelector("button");
      const opened = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!opened));
      row.classList.toggle("open", !opened);
      if (opened) {
        if (row.nextElementSibling?.className === "details") row.nextElementSibling.remove();
        return;
      }
      const cell = element("td", { colspan: this.headings.length });
      row.after(element("tr", { class: "details" }, cell));
      const number = Number(row.dataset.row);
      cell.append(...this.#details(number));
      const readings = await this.data.readings(number);
      if (readings.length) cell.append(this.#readings(readings));
    }

    // Where a dispatch is, opened, on whatever page it is.
    async reveal(id) {
      const row = this.data.id.indexOf(id);
      if (row < 0) return false;
      this.search.value = "";
      this.only(null);
      this.turn(Math.floor(this.shown.indexOf(row) / this.size));
      const line = this.body.querySelector(`tr[data-row="${row}"]`);
      await this.open(line);
      line.scrollIntoView({ block: "start" });
      line.querySelector("button").focus({ preventScroll: true });
      return true;
    }

    // What a dispatch was, and its executions to scale.
    #details(row) {
      const { data } = this;
      const one = data.class(row);
      const executions = data.executions(row);
      const dims = (of) => of.join(" × ");
      const [grid, workgroup, queue, stream, thread] = data.places[data.place[row]];
      const facts = [
        grid && `grid ${dims(grid)} work-items`, workgroup && `work-group ${dims(workgroup)}`,
        queue !== null && `queue ${queue}`, stream !== null && `stream ${stream}`, thread !== null && `thread ${thread}`,
        data.start[row] >= 0 && `${duration(data.start[row])} after the first launch`,
      ].filter(Boolean);
      const link = element("a", { href: `#${this.prefix}dispatch-${data.id[row]}` }, "link to this dispatch");
      return [
        element("p", {}, code(one.kernel, 4000)),
        element("p", { class: "dim" }, `${facts.join(", ")}; `, link),
        this.#timeline(executions),
        element("p", { class: "dim" }, executions.map((e) =>
          `${e.label}${e.group >= 0 && e.label !== `pass ${e.group}` ? ` (group ${e.group})` : ""}: ${duration(e.length)}` +
          `${e.status === "OK" ? "" : `, ${e.status.toLowerCase()}`}`).join(", ") || "no execution was recorded"),
      ];
    }

    #timeline(executions) {
      const timed = executions.filter((e) => e.length !== undefined);
      const [start, end] = [timed[0]?.start, timed.at(-1) && timed.at(-1).start + timed.at(-1).length];
      if (timed.length < 2 || !(end > start)) return "";
      const percent = (ns) => (100 * ns) / (end - start);
      const label = timed.map((e) => `${e.label} ${duration(e.length)}`).join(", ");
      return element("svg", { class: "line", role: "img", "aria-label": label }, ...timed.map((e) => {
        const kind = e.group < 0 ? "extra" : e.label === "pass 0" ? "first" : "pass";
        const [x, width] = [percent(e.start - start), percent(e.length)];
        const mark = e.group < 0 ? e.label[0] : e.label.split(" ").at(-1);
        const text = element("text", { class: `on-${kind}`, x: `${x + width / 2}%`, y: "50%" }, mark);
        const rect = element("rect", { class: kind, x: `${x}%`, width: `${Math.max(0, width)}%`, height: "100%" },
          element("title", {}, `${e.label}: ${duration(e.length)}`));
        return element("g", {}, rect, ...(width >= LABELLED ? [text] : []));
      }));
    }

    #readings(readings) {
      const said = (one) => (one.missing ? "not on this page" : perhapsCoarse(one.value, one.coarse));
      const others = ({ others: of }) => of.map((one) => `${one.label}: ${said(one)}`).join(", ");
      // What is of time or of the caches differs by nature.
      const differ = ({ nature, canonical, others: of }) => nature === "work" &&
        new Set([canonical, ...of].filter((one) => one && !one.missing).map((one) => one.value)).size > 1;
      const heads = [["Counter", "text"], ["Unit", "text"], ["Value", ""], ["Read in", "text"], ["Other passes", "text"]];
      const rows = readings.map((one) => element("tr", {},
        element("td", { class: "text" }, code(one.name)),
        element("td", { class: "text" }, one.unit),
        element("td", {}, one.canonical ? said(one.canonical) : ABSENT),
        element("td", { class: "text" }, one.canonical ? one.canonical.label : "to compare passes only"),
        element("td", { class: differ(one) ? "text warn" : "text dim" }, others(one))));
      return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Counters" },
        element("table", {},
          element("thead", {}, element("tr", {}, ...heads.map(([name, kind]) =>
            element("th", kind ? { scope: "col", class: kind } : { scope: "col" }, name)))),
          element("tbody", {}, ...rows)));
    }
  }

  // All of it -------------------------------------------------------------------------------------------------------

  // A button that changes between bright and dark; the page follows the system until it is used.
  function themeButton() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const root = document.documentElement;
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
    const button = element("button", { type: "button", class: "theme" });
    const name = () => { button.textContent = isDark() ? "Bright" : "Dark"; };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      name();
    });
    dark.addEventListener("change", name);
    name();
    document.querySelector("main").prepend(button);
  }

  // The tables of the page by the prefix of their process. One inside of what is folded is made when it is unfolded.
  class Tables {
    #made = new Map();

    get(prefix) {
      const root = document.getElementById(`${prefix}table`);
      if (root && !this.#made.has(prefix))
        this.#made.set(prefix, Dispatches.read(prefix).then((data) => new Table(root, data)));
      return this.#made.get(prefix);
    }

    async prepare() {
      for (const root of document.querySelectorAll(".dispatches")) {
        const folded = root.closest("details:not([open])");
        if (folded) folded.addEventListener("toggle", () => this.get(root.dataset.prefix), { once: true });
        else await this.get(root.dataset.prefix);
      }
    }
  }

  // Goes where the address says, also into what is folded or on another page of a table.
  async function follow(tables) {
    const target = decodeURIComponent(location.hash.slice(1));
    const [, prefix, id] = /^(.*)dispatch-(\d+)$/.exec(target) ?? [];
    const table = id && await tables.get(prefix);
    if (table) {
      unfold(table.root);
      await table.reveal(Number(id));
      return;
    }
    const found = target && document.getElementById(target);
    if (!found) return;
    unfold(found);
    const process = found.tagName === "H1" && found.closest("article").querySelector("details.process");
    if (process) process.open = true; // a link to a process unfolds its report
    found.scrollIntoView();
  }

  function unfold(inside) {
    for (let up = inside; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  }

  async function showKernel(tables, { prefix, kernel, gpu }) {
    const table = await tables.get(prefix);
    table.only({ name: kernel, gpu: Number(gpu) });
    table.root.scrollIntoView();
    table.search.focus({ preventScroll: true });
  }

  // `/` goes to the search of the first table that is not folded.
  async function slash(tables, event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key !== "/" || event.ctrlKey || event.metaKey || typing) return;
    const root = [...document.querySelectorAll(".dispatches")].find((one) => !one.closest("details:not([open])"));
    if (!root) return;
    event.preventDefault();
    (await tables.get(root.dataset.prefix)).search.focus();
  }

  async function main() {
    themeButton();
    if (typeof DecompressionStream === "undefined") {
      for (const controls of document.querySelectorAll(".controls"))
        controls.replaceWith(element("p", { class: "warning" },
          "This browser cannot unpack the table (it has no DecompressionStream): these are its first lines."));
      return;
    }
    const tables = new Tables();
    for (const link of document.querySelectorAll("a.show")) {
      link.hidden = false;
      link.addEventListener("click", (event) => {
        event.preventDefault();
        showKernel(tables, link.dataset);
      });
    }
    document.addEventListener("keydown", (event) => slash(tables, event));
    addEventListener("hashchange", () => follow(tables));
    await tables.prepare();
    await follow(tables);
    document.documentElement.dataset.ready = "true";
  }

  main();
})();
