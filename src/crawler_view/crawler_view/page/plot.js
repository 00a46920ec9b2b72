// curves over the latest seconds of the run, with a choice of the quantity and of its curves, and a cursor
const MIN_SPAN_S = 10, MAX_RUN_S = 1e7, COLOURS = 6, DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 4]];
const nice = (range, count) => { const raw = range / count, p = 10 ** Math.floor(Math.log10(raw)); return [1, 2, 5, 10].map((k) => k * p).find((s) => s >= raw); };
const make = (tag, more = {}, ...children) => { const element = Object.assign(document.createElement(tag), more); element.append(...children); return element; };
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// the frames that all plots show, and the time of their cursor; times count from the first frame where they are of the calendar
export class History {
  constructor(maxFrames) { Object.assign(this, { maxFrames, frames: [], cursor: null, start: 0, first: 0 }); }

  clear() { this.frames = []; this.cursor = null; }

  push(frame) {
    if (!this.frames.length) Object.assign(this, { first: frame.t, start: frame.t > MAX_RUN_S ? frame.t : 0 });
    this.frames.push(frame);
    if (this.frames.length > this.maxFrames) this.frames.shift();
  }

  // the frame at the cursor, or the latest
  get current() {
    if (this.cursor === null) return this.frames.at(-1);
    return this.frames.reduce((best, frame) => Math.abs(frame.t - this.start - this.cursor) < Math.abs(best.t - this.start - this.cursor) ? frame : best, this.frames[0]);
  }
}

export class Plot {
  // quantities: name -> {unit, digits, jump, curves: (frame) => [[name, value], ...]}; a curve is interrupted where it jumps by more than `jump`
  constructor(place, history, quantities, chosen) {
    Object.assign(this, { history, quantities, chosen, hidden: new Set(), items: new Map(), canvas: make("canvas", { tabIndex: 0 }), list: make("ul") });
    this.canvas.setAttribute("role", "img");
    const select = make("select", { ariaLabel: "quantity of this plot" }, ...Object.keys(quantities).map((name) => new Option(`${name}, ${quantities[name].unit}`, name, false, name === chosen)));
    select.addEventListener("change", () => { this.chosen = select.value; this.#names([]); this.draw(); });
    place.append(make("figure", {}, make("figcaption", {}, select), this.canvas, this.list));
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => { if (this.span) this.#move(this.span.begin + (event.offsetX - this.span.left) / this.span.scale); });
    canvas.addEventListener("pointerleave", () => { history.cursor = null; });
    canvas.addEventListener("blur", () => { history.cursor = null; });
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!way || !this.span) return;
      event.preventDefault();
      this.#move((history.cursor ?? this.span.end) + way * (this.span.end - this.span.begin) / 50);
    });
  }

  #move(time) { this.history.cursor = Math.max(this.span.begin, Math.min(this.span.end, time)); this.draw(); }

  #style(i) { return { strokeStyle: colour(`curve${i % COLOURS}`), dash: DASHES[Math.floor(i / COLOURS) % DASHES.length] }; }

  // one labelled box for each curve: it shows or hides it, and has its value
  #names(names) {
    if (names.join() === [...this.items.keys()].join()) return;
    this.items = new Map(names.map((name, i) => {
      const box = make("input", { type: "checkbox", checked: !this.hidden.has(name) }), value = make("output"), sample = make("canvas", { width: 48, height: 16 });
      box.addEventListener("change", () => { this.hidden[box.checked ? "delete" : "add"](name); this.draw(); });
      return [name, { value, sample, i, item: make("li", {}, make("label", {}, box, sample, name, value)) }];
    }));
    this.list.replaceChildren(...[...this.items.values()].map(({ item }) => item));
    this.#samples();
  }

  recolour() { this.#samples(); this.draw(); }

  #samples() {
    for (const { sample, i } of this.items.values()) {
      const c = sample.getContext("2d"), { strokeStyle, dash } = this.#style(i);
      c.clearRect(0, 0, 48, 16);
      Object.assign(c, { strokeStyle, lineWidth: 4 });
      c.setLineDash(dash.map((v) => 1.5 * v));
      c.beginPath(); c.moveTo(0, 8); c.lineTo(48, 8); c.stroke();
    }
  }

  draw() {
    const { canvas, history } = this, { unit, digits, jump = Infinity, curves } = this.quantities[this.chosen], latest = history.frames.at(-1);
    if (latest) this.#names(curves(latest).map(([name]) => name));
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, c = canvas.getContext("2d");
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.font = "11px system-ui, sans-serif";
    this.span = null;
    if (history.frames.length < 2) return;
    const at = history.current, format = (v) => v === null || v === undefined ? "–" : v.toFixed(digits);
    for (const [name, value] of curves(at)) { const text = format(value), item = this.items.get(name); if (item && item.value.textContent !== text) item.value.textContent = text; }
    canvas.ariaLabel = `${this.chosen}, ${unit}, at ${(at.t - history.start).toFixed(2)} s: ${curves(at).filter(([name]) => !this.hidden.has(name)).slice(0, 8).map(([name, value]) => `${name} ${format(value)}`).join(", ")}`;
    const first = history.frames[0].t - history.start, end = latest.t - history.start, begin = Math.max(first, end - Math.max(MIN_SPAN_S, (end - first) / 4));
    const shown = history.frames.filter((frame) => frame.t - history.start >= begin).map((frame) => [frame.t - history.start, curves(frame).filter(([name]) => !this.hidden.has(name))]);
    const all = shown.flatMap(([, values]) => values.map(([, v]) => v)).filter((v) => v !== null && v !== undefined);
    if (!all.length || end <= begin) return;
    let low = Math.min(...all), high = Math.max(...all);
    const grow = Math.max(0.06 * (high - low), 10 ** -digits * 5 - (high - low));
    low -= grow; high += grow;
    const left = 48, bottom = height - 16, top = 6, scale = (width - left - 4) / (end - begin), x = (t) => left + scale * (t - begin), y = (v) => bottom - (bottom - top) * (v - low) / (high - low);
    this.span = { begin, end, left, scale };
    this.#axes(c, { begin, end, low, high, left, bottom, width, x, y });
    const paths = new Map();
    for (const [t, values] of shown) for (const [name, v] of values) {
      const path = paths.get(name) ?? paths.set(name, { line: new Path2D(), before: null }).get(name);
      if (v !== null && v !== undefined) path.line[path.before !== null && Math.abs(v - path.before) < jump ? "lineTo" : "moveTo"](x(t), y(v));
      path.before = v ?? null;
    }
    for (const [name, { line }] of paths) {
      const { strokeStyle, dash } = this.#style(this.items.get(name)?.i ?? 0);
      Object.assign(c, { strokeStyle, lineWidth: paths.size > COLOURS ? 1.2 : 1.8 });
      c.setLineDash(dash);
      c.stroke(line);
    }
    c.setLineDash([]);
    if (history.cursor !== null) { c.strokeStyle = colour("ink"); c.lineWidth = 1; c.beginPath(); c.moveTo(x(history.cursor), top); c.lineTo(x(history.cursor), bottom); c.stroke(); }
  }

  #axes(c, { begin, end, low, high, left, bottom, width, x, y }) {
    Object.assign(c, { strokeStyle: colour("line"), fillStyle: colour("soft"), lineWidth: 1, textAlign: "right", textBaseline: "middle" });
    const v = nice(high - low, 4), s = nice(end - begin, 6), digits = Math.max(0, -Math.floor(Math.log10(v)));
    for (let at = Math.ceil(low / v) * v; at <= high; at += v) {
      c.beginPath(); c.moveTo(left, y(at)); c.lineTo(width - 4, y(at)); c.stroke();
      c.fillText((Math.abs(at) < v / 2 ? 0 : at).toFixed(digits), left - 6, y(at));
    }
    Object.assign(c, { textAlign: "center", textBaseline: "top" });
    for (let at = Math.ceil(begin / s) * s; at <= end; at += s) if (x(at) < width - 40) c.fillText(at.toFixed(Math.max(0, -Math.floor(Math.log10(s)))), x(at), bottom + 3);
    c.fillText("s", width - 10, bottom + 3);
  }
}
