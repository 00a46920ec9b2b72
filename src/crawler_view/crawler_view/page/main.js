// shows the messages of the websocket, and sends commands back
import { Plot } from "./plot.js";
import { Scene3D } from "./scene3d.js";
import { Sliders } from "./sliders.js";

const get = (id) => document.getElementById(id);
const text = (id, value) => { if (get(id).textContent !== value) get(id).textContent = value; };
const number = (value, digits, unit) => value === null || value === undefined ? "–" : `${value.toFixed(digits)} ${unit}`;
const DEGREES = 180 / Math.PI, ANSWER_MS = 12000, LATCHED = ["e-stopped", "faulted"];
const plots = { joints: new Plot(get("plot_joints"), 1, 180), slip: new Plot(get("plot_slip"), 1), step: new Plot(get("plot_step"), 2) };
const wrap = (degrees) => degrees - 360 * Math.round(degrees / 360); // to -180 to 180
let periodic = new Set(); // joints that turn without end
let scene = null, socket = null, frame = null, robot = null, viewOnly = false, connected = false, status_ = null, startTime = null, answerTimer = 0;
try { scene = new Scene3D(get("scene")); } catch (error) { text("robot", error.message); }
const sliders = new Sliders(get("sliders"), (node, name, value) => send({ do: "set", node, name, value }));

function send(command) { if (connected) socket.send(JSON.stringify(command)); }
for (const name of ["estop", "enable", "stop", "reset"]) get(name).addEventListener("click", () => send({ do: name }));

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
    get("commands").hidden = viewOnly;
    sliders.disable(viewOnly);
  },
  scene(description) {
    robot = description;
    periodic = new Set(robot.joints.filter((joint) => joint.periodic).map((joint) => joint.name));
    text("robot", robot.robot);
    document.title = `${robot.robot} – crawler`;
    scene?.setRobot(robot);
    for (const plot of Object.values(plots)) plot.clear();
    frame = null;
    startTime = null;
  },
  parameters(parameters) { sliders.show(parameters); },
  status(status) { status_ = status; report(); },
  answer(answer) {
    text("answer", answer.text);
    get("answer").className = answer.done ? "" : "bad";
    clearTimeout(answerTimer);
    answerTimer = setTimeout(() => text("answer", ""), ANSWER_MS);
  },
  frame(latest) {
    if (startTime === null || latest.t < startTime) { startTime = latest.t; for (const plot of Object.values(plots)) plot.clear(); }
    frame = latest;
    const t = frame.t - startTime;
    const driven = frame.names.map((name, i) => [name, frame.position[i]]).filter(([name]) => !robot?.passive.includes(name));
    plots.joints.push(t, driven.map(([name]) => name), driven.map(([name, v]) => v === null ? null : periodic.has(name) ? wrap(v * DEGREES) : v * DEGREES));
    plots.slip.push(t, frame.feet.map((foot) => foot.foot), frame.feet.map((foot) => foot.slip === null ? null : foot.slip * 1e3));
    plots.step.push(t, ["step"], [frame.step === null ? null : frame.step * 1e3]);
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
  text("distance", number(frame.distance === null ? null : frame.distance * 1e3, 1, "mm"));
  text("step", number(frame.step === null ? null : frame.step * 1e3, 2, "mm"));
  text("branch", frame.branch || "–");
  rows(get("joints"), frame.names.map((name, i) => [name, { value: number(frame.position[i] === null ? null : frame.position[i] * DEGREES, 2, "°"), n: true }, { value: number(frame.velocity[i] ?? null, 2, "rad/s"), n: true }]));
  rows(get("feet"), frame.feet.map((foot) => [{ value: foot.foot, dot: foot.mode }, foot.mode.replace("_pos", " forward").replace("_neg", " backward"),
    { value: foot.force.includes(null) ? "–" : `${Math.hypot(...foot.force).toPrecision(3)} N`, n: true }, { value: number(foot.slip === null ? null : foot.slip * 1e3, 1, "mm/s"), n: true }]));
  sensors(frame.sensors);
  if (count++ % 2 === 0) for (const plot of Object.values(plots)) plot.draw();
}
requestAnimationFrame(draw);

function report() {
  const nodes = status_?.nodes ?? {}, backend = nodes.backend?.values ?? {}, silent = !status_ || status_.silent;
  const motion = !connected ? "disconnected" : silent ? "no running stack" : backend.motion || "running";
  text("motion", motion);
  get("motion").className = `badge ${motion === "active" ? "active" : motion === "holding" ? "holding" : LATCHED.includes(motion) || !connected ? "latched" : ""}`;
  const fault = LATCHED.includes(backend.motion) ? [backend.fault, backend.joint && `joint: ${backend.joint}`, backend.remedy && `remedy: ${backend.remedy}`].filter(Boolean).join("\n") : "";
  const warnings = Object.entries(nodes).filter(([, node]) => node.level > 0 && node.message && !(fault && node.message === backend.fault)).map(([name, node]) => `${name}: ${node.message}`);
  const shown = silent || !connected ? "" : [fault, ...warnings].filter(Boolean).join("\n");
  text("warnings", shown);
  get("warnings").hidden = !shown;
  get("warnings").className = fault ? "bad" : "";
  const off = viewOnly || !connected;
  get("estop").disabled = off;
  get("enable").disabled = off || ["active", "holding", ...LATCHED].includes(backend.motion);
  get("stop").disabled = off || !["active", "holding"].includes(backend.motion);
  get("reset").disabled = off || !LATCHED.includes(backend.motion);
  sliders.disable(off);
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
