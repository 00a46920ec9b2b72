// shows the messages of the websocket, and sends commands back
import { Drive } from "./drive.js";
import { History, Plot } from "./plot.js";
import { Scene3D } from "./scene3d.js";
import { Sliders } from "./sliders.js";

const get = (id) => document.getElementById(id);
const text = (id, value) => { if (get(id).textContent !== value) get(id).textContent = value; };
const number = (value, digits, unit) => value === null || value === undefined ? "–" : `${value.toFixed(digits)} ${unit}`;
const DEGREES = 180 / Math.PI, ANSWER_MS = 12000, SLOW_MS = 1000, MAX_FRAMES = 900, LATCHED = ["e-stopped", "faulted"];
const wrap = (degrees) => degrees - 360 * Math.round(degrees / 360); // to -180 to 180
const times = (value, factor) => value === null || value === undefined ? null : value * factor;
let periodic = new Set(); // joints that turn without end
let scene = null, socket = null, frame = null, robot = null, viewOnly = false, connected = false, status_ = null, replay = null, held = false, answerTimer = 0;
try { scene = new Scene3D(get("scene")); } catch (error) { text("robot", error.message); }

const driven = (one) => one.names.map((name, i) => [name, i]).filter(([name]) => !robot?.passive.includes(name));
const base = (one, digit) => one.base ? one.base[digit] * 1e3 : null;
const quantities = {
  "joint angles": { unit: "°", digits: 1, jump: 180, curves: (one) => driven(one).map(([name, i]) => [name, periodic.has(name) ? times(wrap(one.position[i] * DEGREES), 1) : times(one.position[i], DEGREES)]) },
  "joint velocities": { unit: "rad/s", digits: 2, curves: (one) => driven(one).map(([name, i]) => [name, one.velocity[i]]) },
  "slip velocities": { unit: "mm/s", digits: 1, curves: (one) => one.feet.map((foot) => [foot.foot, times(foot.slip, 1e3)]) },
  "forces on the feet": { unit: "N", digits: 3, curves: (one) => one.feet.map((foot) => [foot.foot, foot.force.includes(null) ? null : Math.hypot(...foot.force)]) },
  "latest step": { unit: "mm", digits: 2, curves: (one) => [["step", times(one.step, 1e3)]] },
  "distance": { unit: "mm", digits: 1, curves: (one) => [["distance", times(one.distance, 1e3)]] },
  "place of the base": { unit: "mm", digits: 1, curves: (one) => ["x", "y", "z"].map((name, i) => [name, base(one, i)]) },
};
const history = new History(MAX_FRAMES);
const plots = ["joint angles", "slip velocities", "latest step"].map((name) => new Plot(get("plots"), history, quantities, name));
const sliders = new Sliders(get("sliders"), (node, name, value) => send({ do: "set", node, name, value }));
const drive = new Drive({ panel: get("drive_panel"), pad: get("pad"), state: get("drive_state"), share: get("drive_share") }, send);

function send(command) { if (connected) socket.send(JSON.stringify(command)); }

// motion
function answer(words, bad) {
  text("answer", words);
  get("answer").className = bad ? "bad" : "";
  clearTimeout(answerTimer);
  answerTimer = setTimeout(() => text("answer", ""), ANSWER_MS);
}
function command(name) {
  if (get(name).disabled) return;
  send({ do: name });
  if (name !== "estop") return;
  answer("emergency stop sent ...", false);
  answerTimer = setTimeout(() => answer("no answer to the emergency stop yet: cut the power of a real robot", true), SLOW_MS);
}
for (const name of ["estop", "enable", "stop", "reset"]) get(name).addEventListener("click", () => command(name));

// replay
const pauseReplay = () => replay && send({ do: "replay", name: "paused", value: !replay.paused });
get("replay_pause").addEventListener("click", pauseReplay);
let sought = 0;
get("replay_time").addEventListener("input", () => {
  const now = Date.now();
  if (now - sought > 100) { sought = now; send({ do: "replay", name: "time", value: Number(get("replay_time").value) }); }
});
get("replay_time").addEventListener("change", () => send({ do: "replay", name: "time", value: Number(get("replay_time").value) }));

// view
function hold() {
  if (replay) { pauseReplay(); return; }
  held = !held;
  get("pause").ariaPressed = held;
  text("pause", held ? "View held" : "Hold view");
}
get("pause").addEventListener("click", hold);
function help() { get("help").hidden = !get("help").hidden; get("help_button").ariaExpanded = !get("help").hidden; }
get("help_button").addEventListener("click", help);
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
function theme() {
  const chosen = get("theme").value, dark = chosen ? chosen === "dark" : darkSystem.matches;
  document.documentElement.classList.toggle("dark", dark);
  localStorage.setItem("theme", chosen);
  scene?.recolour();
  for (const plot of plots) plot.recolour();
}
get("theme").value = localStorage.getItem("theme") ?? "";
get("theme").addEventListener("change", theme);
darkSystem.addEventListener("change", theme);
theme();
const views = [...document.querySelectorAll("#camera [data-view]")];
for (const button of views) button.addEventListener("click", () => scene?.look(button.dataset.view));
function savePicture() {
  get("scene").toBlob((blob) => {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${robot?.robot ?? "crawler"}_${(frame?.t ?? 0).toFixed(2)}s.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    answer(`saved ${link.download}`, false);
  });
}
get("picture").addEventListener("click", savePicture);

// keys
const letters = get("letters");
letters.checked = localStorage.getItem("letters") !== "off";
letters.addEventListener("change", () => localStorage.setItem("letters", letters.checked ? "on" : "off"));
const KEYS = { s: () => command("stop"), r: () => command("reset"), g: () => command("enable"), p: hold, c: savePicture, "?": help, ...Object.fromEntries(views.map((button, i) => [String(i + 1), () => button.click()])) };
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { if (!event.repeat) command("estop"); return; }
  const target = event.target, isControl = target.closest("button, select, input, summary, a"), isTyping = target.closest("select, input:not([type=range], [type=checkbox])");
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === " " && !isControl) { event.preventDefault(); command("estop"); return; }
  const action = KEYS[event.key.toLowerCase()];
  if (action && !isTyping && letters.checked) { event.preventDefault(); action(); }
});

function rows(table, lines) {
  while (table.rows.length > lines.length) table.deleteRow(-1);
  lines.forEach((cells, i) => {
    const row = table.rows[i] ?? table.insertRow();
    while (row.cells.length > cells.length) row.deleteCell(-1);
    cells.forEach((cell, j) => {
      const td = row.cells[j] ?? row.insertCell(), { value, dot, n, bad } = typeof cell === "object" ? cell : { value: cell };
      if (dot) { const i_ = td.querySelector("i") ?? td.appendChild(document.createElement("i")); i_.className = dot; }
      const at = dot ? td.childNodes[1] ?? td.appendChild(document.createTextNode("")) : td;
      if (at.textContent !== value) at.textContent = value;
      td.className = [n && "n", bad && "bad"].filter(Boolean).join(" ");
    });
  });
}

const handlers = {
  stack(stack) {
    viewOnly = stack.view_only;
    text("namespace", stack.namespace);
    report();
  },
  scene(description) {
    robot = description;
    periodic = new Set(robot.joints.filter((joint) => joint.periodic).map((joint) => joint.name));
    text("robot", robot.robot);
    document.title = `${robot.robot} – crawler`;
    scene?.setRobot(robot);
    history.clear();
    frame = null;
  },
  parameters(parameters) { sliders.show(parameters); },
  status(status) { status_ = status; report(); },
  answer(reply) {
    answer(reply.text, !reply.done);
    sliders.answer(reply);
  },
  frame(latest) {
    if (held) return;
    if (frame && latest.t < frame.t) { history.clear(); scene?.clearTrail(); }
    frame = latest;
    history.push(frame);
  },
};

// the rows of one sensor, by its kind
const axes = (values, factor, digits, unit) => ({ value: values.includes(null) ? "–" : `${values.map((v) => (v * factor).toFixed(digits)).join("  ")} ${unit}`, n: true });
const yaw = ([w, x, y, z]) => Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
const sensorRows = {
  imu: (v) => [["rate", axes(v.slice(0, 3), DEGREES, 1, "°/s")], ["force", axes(v.slice(3), 1, 2, "m/s²")]],
  contact_switch: ([closed]) => [[{ value: closed ? "closed" : "open", dot: closed ? "stick" : "open" }, ""]],
  foot_force: ([force]) => [["force", { value: number(force, 2, "N"), n: true }]],
  battery: ([voltage, current]) => [["supply", { value: `${number(voltage, 2, "V")}  ${number(current, 2, "A")}`, n: true }]],
  external_pose: (v) => [["place", axes(v.slice(0, 3), 1e3, 0, "mm")], ["yaw", { value: number(v.includes(null) ? null : yaw(v.slice(3)) * DEGREES, 1, "°"), n: true }]],
};
function sensors(list) {
  const values = status_?.nodes?.backend?.values ?? {};
  const known = Object.keys(values).filter((key) => key.endsWith(".status") && `${key.slice(0, -7)}.age` in values).map((key) => key.slice(0, -7));
  const shown = Object.fromEntries(list.map((sensor) => [sensor.name, sensor]));
  get("sensors_panel").hidden = !list.length && !known.length;
  rows(get("sensors"), [...new Set([...Object.keys(shown), ...known])].flatMap((name) => {
    const state = values[`${name}.status`] ?? "ok", bad = !["ok", "waiting"].includes(state);
    if (bad || !shown[name]) return [[name, { value: state, bad }, ""]];
    return sensorRows[shown[name].kind](shown[name].values).map((cells, i) => [i ? "" : name, ...cells]);
  }));
}

// draws the newest frame at the rate of the screen
let drawn = null, count = 0;
function draw() {
  requestAnimationFrame(draw);
  scene?.draw(frame);
  if (frame === drawn || !frame) return;
  drawn = frame;
  document.body.dataset.stamp = frame.t;
  text("time", `${frame.t.toFixed(2)} s`);
  text("distance", number(times(frame.distance, 1e3), 1, "mm") + (replay && history.first > history.start + 0.1 ? ` since ${(history.first - history.start).toFixed(1)} s` : ""));
  text("step", number(times(frame.step, 1e3), 2, "mm"));
  text("branch", frame.branch || "–");
  rows(get("joints"), frame.names.map((name, i) => [name, { value: number(times(frame.position[i], DEGREES), 2, "°"), n: true }, { value: number(frame.velocity[i] ?? null, 2, "rad/s"), n: true }]));
  rows(get("feet"), frame.feet.map((foot) => [{ value: foot.foot, dot: foot.mode }, foot.mode.replace("_pos", " forward").replace("_neg", " backward"),
    { value: foot.force.includes(null) ? "–" : `${Math.hypot(...foot.force).toPrecision(3)} N`, n: true }, { value: number(times(foot.slip, 1e3), 1, "mm/s"), n: true }]));
  sensors(frame.sensors);
  pending();
  if (count++ % 2 === 0) for (const plot of plots) plot.draw();
}
requestAnimationFrame(draw);

// the time until the gait's latest change takes effect; null until the gait has reported it
let changed = "0";
function pending() {
  const at = status_?.nodes?.gait?.values?.changed_ns ?? "0", wait = Number(at) * 1e-9 - (frame?.t ?? 0);
  sliders.pending(at === changed ? null : Math.max(0, wait));
  if (at !== changed && wait <= 0) changed = at;
}

function report() {
  const nodes = status_?.nodes ?? {}, backend = nodes.backend?.values ?? {}, silent = !status_ || status_.silent;
  const recorded = nodes.replay?.values;
  replay = recorded?.end === undefined ? null : { time: Number(recorded.time), end: Number(recorded.end), paused: recorded.paused === "True" };
  const motion = !connected ? "disconnected" : replay ? `recorded: ${backend.motion || "running"}` : silent ? "no running stack" : backend.motion || "running";
  text("motion", motion);
  get("motion").className = `badge ${motion === "active" ? "active" : motion === "holding" ? "holding" : LATCHED.includes(motion) || !connected ? "latched" : ""}`;
  const fault = LATCHED.includes(backend.motion) ? [backend.fault, backend.joint && `joint: ${backend.joint}`, backend.remedy && `remedy: ${backend.remedy}`].filter(Boolean).join("\n") : "";
  const warnings = Object.entries(nodes).filter(([, node]) => node.level > 0 && node.message && !(fault && node.message === backend.fault)).map(([name, node]) => `${name}: ${node.message}`);
  const lost = "disconnected: nothing here can stop the robot; './crawler steer estop', or its switch, can";
  const shown = !connected ? (status_ && !replay ? lost : "") : silent ? "" : [fault, ...warnings].filter(Boolean).join("\n");
  text("warnings", shown);
  get("warnings").hidden = !shown;
  get("warnings").className = fault || !connected ? "bad" : "";
  const off = viewOnly || !connected || replay !== null;
  get("commands").hidden = viewOnly || replay !== null;
  get("timeline").hidden = replay === null;
  get("drive_panel").hidden = get("sliders").hidden = viewOnly || replay !== null;
  if (replay) {
    const time = get("replay_time"), words = `${replay.time.toFixed(1)} of ${replay.end.toFixed(1)} s`;
    time.max = replay.end;
    if (Date.now() > sought + 600) time.value = replay.time;
    time.ariaValueText = words;
    time.disabled = get("replay_pause").disabled = viewOnly || !connected;
    text("replay_now", words);
    text("replay_pause", replay.paused ? "Play" : "Pause");
  }
  get("estop").disabled = off;
  get("enable").disabled = off || ["active", "holding", ...LATCHED].includes(backend.motion);
  get("stop").disabled = off || !["active", "holding"].includes(backend.motion);
  get("reset").disabled = off || !LATCHED.includes(backend.motion);
  sliders.disable(off);
  drive.report(nodes.gait?.values, off);
  const ms = (value) => Number.isFinite(Number(value)) && value !== "" ? `${(Number(value) * 1e3).toFixed(1)} ms` : "–";
  const per = (value) => Number.isFinite(Number(value)) && value !== undefined && value !== "" ? Number(value).toFixed(0) : "–";
  rows(get("nodes"), [
    ["ticks per second", { value: `${per(backend.rate_measured)} of ${per(backend.rate)}`, n: true }],
    ["pace", { value: number(status_?.pace, 2, "× real time"), n: true }],
    ["age of the last command", { value: ms(backend.command_age), n: true }],
    ["late ticks, overruns", { value: `${backend.late_ticks ?? "–"}, ${backend.overruns ?? "–"}`, n: true }],
    ["commands clamped, rejected", { value: `${backend.clamped ?? "–"}, ${backend.rejected ?? "–"}`, n: true }],
    ["gait", { value: nodes.gait?.values?.gait ?? "–", n: true }],
  ]);
  rows(get("reports"), Object.entries(nodes).flatMap(([name, node]) => [[name, node.message], ...Object.entries(node.values).map(([key, value]) => [`${name}.${key}`, value])]));
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live${location.search}`);
  socket.onopen = () => { connected = true; report(); };
  socket.onmessage = (message) => { for (const [kind, content] of Object.entries(JSON.parse(message.data))) handlers[kind]?.(content); };
  socket.onclose = () => { connected = false; report(); setTimeout(connect, 1000); };
}
connect();
report();
