// drives by cmd_vel while a pad, an arrow key or a gamepad is held; letting go of it stops the robot
const PERIOD_MS = 100, DEAD_ZONE = 0.12, GAMEPAD_BUTTON = 0;
const WAYS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1] };

export class Drive {
  // send(command) reaches the server; `limits` are set from the gait's report
  constructor({ panel, pad, state, share }, send) {
    Object.assign(this, { panel, pad, state, share, send, limits: null, off: true, held: [0, 0], keys: new Set(), pointer: null, moving: false });
    panel.addEventListener("toggle", () => { this.#release(); this.send({ do: "drive", on: panel.open }); });
    pad.addEventListener("pointerdown", (event) => { if (this.off || !this.limits) return; pad.setPointerCapture(event.pointerId); this.pointer = event.pointerId; this.#drag(event); });
    pad.addEventListener("pointermove", (event) => { if (event.pointerId === this.pointer) this.#drag(event); });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) pad.addEventListener(end, () => this.#release());
    pad.addEventListener("keydown", (event) => { if (WAYS[event.key]) { event.preventDefault(); this.keys.add(event.key); this.#press(); } });
    pad.addEventListener("keyup", (event) => { if (this.keys.delete(event.key)) this.#press(); });
    document.addEventListener("visibilitychange", () => this.#release());
    window.addEventListener("blur", () => this.#release());
    setInterval(() => this.#tick(), PERIOD_MS);
  }

  #drag(event) {
    const box = this.pad.getBoundingClientRect(), limit = (v) => Math.max(-1, Math.min(1, v));
    this.held = [limit(1 - 2 * (event.clientY - box.top) / box.height), limit(1 - 2 * (event.clientX - box.left) / box.width)].map((v) => Math.abs(v) < DEAD_ZONE ? 0 : v);
  }

  #press() { this.held = [...this.keys].reduce(([f, y], key) => [f + WAYS[key][0], y + WAYS[key][1]], [0, 0]); }

  #release() { this.pointer = null; this.keys.clear(); this.held = [0, 0]; this.#tick(); }

  // of the first gamepad whose button is held: forward and left
  #gamepad() {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((one) => one?.buttons[GAMEPAD_BUTTON]?.pressed);
    return pad ? [-pad.axes[1], -pad.axes[0]].map((v) => Math.abs(v) < DEAD_ZONE ? 0 : v) : null;
  }

  #tick() {
    if (!this.panel.open || this.off || !this.limits) return;
    const [f, y] = this.#gamepad() ?? this.held, share = Number(this.share.value), { forward, backward, yaw } = this.limits;
    const velocity = { forward: share * f * (f > 0 ? forward : backward), yaw: share * y * yaw };
    const knob = this.pad.firstElementChild.style;
    knob.left = `${50 - 50 * y}%`;
    knob.top = `${50 - 50 * f}%`;
    const moves = velocity.forward !== 0 || velocity.yaw !== 0;
    if (moves || this.moving) this.send({ do: "drive", ...velocity });
    this.moving = moves;
    const text = `${(velocity.forward * 1e3).toFixed(0)} mm/s, ${(velocity.yaw * 180 / Math.PI).toFixed(0)} °/s to the left`;
    if (this.state.textContent !== text) this.state.textContent = text;
  }

  // from the gait's values
  report(values, off) {
    const number = (key) => Number(values?.[key] ?? NaN);
    this.off = off;
    this.limits = Number.isFinite(number("fastest_forward")) ? { forward: number("fastest_forward"), backward: number("fastest_backward"), yaw: number("fastest_yaw") } : null;
    this.pad.setAttribute("aria-disabled", off || !this.limits);
    if (!this.limits && this.panel.open) this.state.textContent = off ? "this page cannot drive" : "waiting for the robot: its gait has not said how fast it can go";
  }
}
