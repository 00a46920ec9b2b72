// the parameters that can be set during a run, each with its limits, unit, and what became of the last change

const WIDE_RATIO = 20; // a slider over a wider range is not linear
const SETTLE_MS = 150, TOUCHED_MS = 1000, REFUSED_MS = 8000; // from the last key to the change; while the page's value stands; of a reason
const make = (tag, more = {}) => Object.assign(document.createElement(tag), more);

export class Sliders {
  constructor(place, set) {
    Object.assign(this, { place, set, rows: new Map(), disabled: false });
  }

  // changes only the values where the parameters are the same, so that a slider in use stays
  show(parameters) {
    const names = parameters.map((p) => `${p.node}.${p.name}:${p.allowed}`).join();
    if (names !== this.names) {
      this.names = names;
      this.rows.clear();
      this.place.replaceChildren();
      let node = "";
      for (const parameter of parameters) {
        if (parameter.node !== node) {
          node = parameter.node;
          this.place.append(make("h2", { textContent: node }));
        }
        this.#row(parameter);
      }
    }
    for (const p of parameters) {
      const row = this.rows.get(`${p.node}.${p.name}`);
      row.value = p.value;
      if (Date.now() > row.touched + TOUCHED_MS) row.showValue(p.value);
    }
  }

  // what became of a change: a refused value goes back at once, with its reason
  answer({ node, name, done, text }) {
    const row = this.rows.get(`${node}.${name}`);
    if (!row) return;
    if (!done) { row.touched = 0; row.showValue(row.value, true); }
    this.#note(row, done ? "" : text, !done);
    row.refused = done ? 0 : Date.now();
    row.waits = done && node === "gait";
  }

  // `wait` is the time until the gait's changes take effect (s), 0 once they have; null: not known
  pending(wait) {
    for (const row of this.rows.values()) {
      if (row.refused && Date.now() > row.refused + REFUSED_MS) { row.refused = 0; this.#note(row, ""); }
      if (!row.waits) continue;
      if (wait === 0) row.waits = false;
      this.#note(row, wait === 0 ? "" : wait === null ? "waits for phase 0" : `takes effect in ${wait.toFixed(1)} s`);
    }
  }

  #note(row, text, bad = false) {
    if (row.note.textContent !== text) row.note.textContent = text;
    row.note.className = bad ? "note bad" : "note";
  }

  #row(p) {
    const row = make("div", { className: "parameter", title: p.doc }), id = `${p.node}.${p.name}`;
    const label = make("label"), state = { row, value: p.value, touched: 0, refused: 0, waits: false, note: make("small", { className: "note", role: "status" }) };
    label.append(make("span", { textContent: p.name + (p.unit ? `, ${p.unit}` : "") }));
    row.append(label);
    const send = (value) => { state.touched = Date.now(); this.set(p.node, p.name, value); };
    if (p.kind === "bool") {
      const box = make("input", { type: "checkbox", id });
      box.addEventListener("change", () => send(box.checked));
      label.append(box);
      state.showValue = (value) => { box.checked = value; };
    } else if (p.choices.length) {
      const select = make("select", { id });
      select.append(...p.choices.map((choice) => new Option(choice, choice)));
      select.addEventListener("change", () => send(select.value));
      label.append(select);
      state.showValue = (value) => { select.value = value; };
    } else if (p.kind === "str") {
      const text = make("input", { type: "text", id });
      text.addEventListener("change", () => send(text.value));
      label.append(text);
      state.showValue = (value, force) => { if (force || document.activeElement !== text) text.value = value; };
    } else state.showValue = this.#number(p, row, label, id, send, state);
    row.append(state.note, make("small", { textContent: p.doc }));
    this.place.append(row);
    this.rows.set(id, state);
    for (const input of row.querySelectorAll("input, select")) input.disabled = this.disabled;
  }

  #number(p, row, label, id, send, state) {
    const whole = p.kind === "int" && p.allowed.length > 0 && Number.isInteger(p.low ?? 0.5);
    const number = make("input", { type: "number", step: whole ? 1 : "any", id });
    if (p.low !== null) number.min = p.low;
    if (p.high !== null) number.max = p.high;
    let timer = 0;
    const settle = (value) => { clearTimeout(timer); state.touched = Date.now(); timer = setTimeout(() => send(value), SETTLE_MS); };
    number.addEventListener("change", () => { if (number.value !== "") settle(Number(number.value)); });
    label.append(number);
    let slider = null;
    // the usual range, wider where the value is beyond it
    const [low, high] = p.usual ? [Math.min(p.usual[0], p.value), Math.max(p.usual[1], p.value)] : [p.low, p.high];
    const log = low > 0 && high / low >= WIDE_RATIO && !whole;
    const toSlider = (v) => log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
    const toValue = (s) => Number((log ? low * (high / low) ** s : low + s * (high - low)).toPrecision(3));
    const words = (v) => `${v} ${p.unit}`.trim();
    if (low !== null && high !== null && high > low) {
      slider = make("input", { type: "range", min: 0, max: 1, step: whole ? 1 / (high - low) : 0.005, ariaLabel: p.name + (p.unit ? `, ${p.unit}` : "") });
      const value = () => { const v = Math.max(low, Math.min(high, toValue(Number(slider.value)))); return whole ? Math.round(v) : v; };
      slider.addEventListener("input", () => { number.value = value(); slider.ariaValueText = words(value()); state.touched = Date.now(); });
      slider.addEventListener("change", () => settle(value()));
      const limits = make("div", { className: "limits" });
      limits.append(...[low, high].map((v) => make("small", { textContent: v })));
      if (p.usual) limits.title = `usual; allowed is ${p.allowed}`;
      row.append(slider, limits);
    } else row.append(make("small", { textContent: `${p.allowed}: ` }));
    return (value, force) => {
      if (force || document.activeElement !== number) number.value = Number(Number(value).toPrecision(6));
      if (slider) { slider.value = toSlider(value); slider.ariaValueText = words(value); }
    };
  }

  disable(disabled) {
    if (disabled === this.disabled) return;
    this.disabled = disabled;
    for (const { row } of this.rows.values()) for (const input of row.querySelectorAll("input, select")) input.disabled = disabled;
  }
}
