// the parameters that can be set during a run, each with its limits and unit

const WIDE_RATIO = 20; // a slider over a wider range is not linear

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
          this.place.append(Object.assign(document.createElement("h2"), { textContent: node }));
        }
        this.#row(parameter);
      }
    }
    for (const p of parameters) this.rows.get(`${p.node}.${p.name}`).showValue(p.value);
  }

  #row(p) {
    const row = Object.assign(document.createElement("div"), { className: "parameter", title: p.doc });
    const label = document.createElement("label"), name = Object.assign(document.createElement("span"), { textContent: p.name + (p.unit ? `, ${p.unit}` : "") });
    label.append(name);
    row.append(label);
    const send = (value) => this.set(p.node, p.name, value);
    const id = `${p.node}.${p.name}`;
    let showValue;
    if (p.kind === "bool") {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", id });
      box.addEventListener("change", () => send(box.checked));
      label.append(box);
      showValue = (value) => { box.checked = value; };
    } else if (p.choices.length) {
      const select = Object.assign(document.createElement("select"), { id });
      select.append(...p.choices.map((choice) => new Option(choice, choice)));
      select.addEventListener("change", () => send(select.value));
      label.append(select);
      showValue = (value) => { select.value = value; };
    } else if (p.kind === "str") {
      const text = Object.assign(document.createElement("input"), { type: "text", id });
      text.addEventListener("change", () => send(text.value));
      label.append(text);
      showValue = (value) => { if (document.activeElement !== text) text.value = value; };
    } else showValue = this.#number(p, row, label, id, send);
    row.append(Object.assign(document.createElement("small"), { textContent: p.doc }));
    this.place.append(row);
    this.rows.set(id, { showValue, row });
    for (const input of row.querySelectorAll("input, select")) input.disabled = this.disabled;
  }

  #number(p, row, label, id, send) {
    const whole = p.kind === "int" && p.allowed.length > 0 && Number.isInteger(p.low ?? 0.5);
    const number = Object.assign(document.createElement("input"), { type: "number", step: "any", id });
    if (p.low !== null) number.min = p.low;
    if (p.high !== null) number.max = p.high;
    number.addEventListener("change", () => { if (number.value !== "") send(Number(number.value)); });
    label.append(number);
    let slider = null;
    const log = p.low > 0 && p.high / p.low >= WIDE_RATIO && !whole;
    const power = p.low === 0 && p.high >= WIDE_RATIO * Math.abs(p.value || p.high) ? 3 : 1; // small values are used more often
    const toSlider = (v) => log ? Math.log(v / p.low) / Math.log(p.high / p.low) : ((v - p.low) / (p.high - p.low)) ** (1 / power);
    const toValue = (s) => Number((log ? p.low * (p.high / p.low) ** s : p.low + s ** power * (p.high - p.low)).toPrecision(3));
    if (p.low !== null && p.high !== null && p.high > p.low) {
      slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 1, step: "any", ariaLabel: p.name });
      const value = () => { const v = Math.max(p.low, Math.min(p.high, toValue(Number(slider.value)))); return whole ? Math.round(v) : v; };
      slider.addEventListener("input", () => { number.value = value(); });
      slider.addEventListener("change", () => { send(value()); slider.blur(); });
      const limits = Object.assign(document.createElement("div"), { className: "limits" });
      limits.append(...[p.low, p.high].map((v) => Object.assign(document.createElement("small"), { textContent: v })));
      row.append(slider, limits);
    } else row.append(Object.assign(document.createElement("small"), { textContent: `${p.allowed}: ` }));
    return (value) => {
      if (document.activeElement !== number && document.activeElement !== slider) number.value = Number(Number(value).toPrecision(6));
      if (slider && document.activeElement !== slider) slider.value = toSlider(value);
    };
  }

  disable(disabled) {
    if (disabled === this.disabled) return;
    this.disabled = disabled;
    for (const { row } of this.rows.values()) for (const input of row.querySelectorAll("input, select")) input.disabled = disabled;
  }
}
