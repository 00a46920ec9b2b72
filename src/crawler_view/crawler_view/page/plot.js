// curves over the latest seconds of the run
const MAX_SAMPLES = 600, MIN_SPAN_S = 10, MAX_NAMED_CURVES = 5;

export class Plot {
  // a curve is interrupted where it jumps by more than `jump`
  constructor(canvas, digits, jump = Infinity) {
    Object.assign(this, { canvas, digits, jump, names: [], samples: [] });
  }

  clear() { this.samples = []; }

  push(time, names, values) {
    const last = this.samples.at(-1);
    if (names.join() !== this.names.join() || (last && time < last[0])) this.clear();
    this.names = names;
    this.samples.push([time, values]);
    while (this.samples.length > MAX_SAMPLES) this.samples.shift();
  }

  #colour(i) {
    const few = ["#1f6fd1", "#f08c00", "#1a9850", "#d6336c", "#7048e8"];
    return this.names.length <= MAX_NAMED_CURVES ? few[i] : `hsl(${280 * i / this.names.length} 65% 45%)`;
  }

  draw() {
    const { canvas } = this, ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.font = "11px system-ui, sans-serif";
    if (this.samples.length < 2) return;
    const end = this.samples.at(-1)[0], begin = Math.max(this.samples[0][0], end - Math.max(MIN_SPAN_S, (end - this.samples[0][0]) / 4));
    const shown = this.samples.filter(([t]) => t >= begin), all = shown.flatMap(([, values]) => values).filter((v) => v !== null);
    if (!all.length || end <= begin) return;
    let low = Math.min(...all), high = Math.max(...all);
    const least = 10 ** -this.digits * 5, grow = Math.max(0.06 * (high - low), least - (high - low));
    low -= grow; high += grow;
    const left = 48, bottom = height - 16, top = 16, x = (t) => left + (width - left - 4) * (t - begin) / (end - begin), y = (v) => bottom - (bottom - top) * (v - low) / (high - low);
    this.#axes(c, { begin, end, low, high, left, bottom, width, x, y });
    this.names.forEach((_, i) => {
      c.strokeStyle = this.#colour(i);
      c.lineWidth = this.names.length > MAX_NAMED_CURVES ? 1 : 1.6;
      c.beginPath();
      let pen = false, before = null;
      for (const [t, values] of shown) {
        if (values[i] === null || values[i] === undefined) { pen = false; continue; }
        pen &&= Math.abs(values[i] - before) < this.jump;
        before = values[i];
        pen ? c.lineTo(x(t), y(values[i])) : c.moveTo(x(t), y(values[i]));
        pen = true;
      }
      c.stroke();
    });
    this.#names(c, left, width);
  }

  #axes(c, { begin, end, low, high, left, bottom, width, x, y }) {
    const step = (range, count) => { const raw = range / count, p = 10 ** Math.floor(Math.log10(raw)); return [1, 2, 5, 10].map((k) => k * p).find((s) => s >= raw); };
    c.strokeStyle = "#e3e8ed"; c.fillStyle = "#65717f"; c.lineWidth = 1;
    const v = step(high - low, 4), s = step(end - begin, 6), digits = Math.max(0, -Math.floor(Math.log10(v)));
    c.textAlign = "right"; c.textBaseline = "middle";
    for (let at = Math.ceil(low / v) * v; at <= high; at += v) {
      c.beginPath(); c.moveTo(left, y(at)); c.lineTo(width - 4, y(at)); c.stroke();
      c.fillText((Math.abs(at) < v / 2 ? 0 : at).toFixed(digits), left - 6, y(at));
    }
    c.textAlign = "center"; c.textBaseline = "top";
    for (let at = Math.ceil(begin / s) * s; at <= end; at += s) if (x(at) < width - 40) c.fillText(at.toFixed(Math.max(0, -Math.floor(Math.log10(s)))), x(at), bottom + 3);
    c.fillText("s", width - 10, bottom + 3);
  }

  #names(c, left, width) {
    if (this.names.length < 2) return;
    c.textAlign = "left"; c.textBaseline = "top";
    if (this.names.length > MAX_NAMED_CURVES) { c.fillStyle = "#65717f"; c.fillText(`${this.names.length}: from ${this.names[0]} (red) to ${this.names.at(-1)} (violet)`, left, 1); return; }
    const room = (width - left) / this.names.length;
    this.names.forEach((name, i) => { c.fillStyle = this.#colour(i); c.fillText(name, left + i * room, 1, room - 6); });
  }
}
