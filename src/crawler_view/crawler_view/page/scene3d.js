// draws the robot, the ground, the base's trail, and the forces on the feet
import { Kinematics } from "./kinematics.js";
import { along, fromOrigin, identity, lookAt, multiply, perspective, place, shift } from "./matrix.js";
import { box, cylinder, sphere, square } from "./meshes.js";
import { colour as pageColour } from "./plot.js";

const TRAIL = [0.16, 0.45, 0.82], RAIL = [0.45, 0.48, 0.52];
const REST_MS = 1000;
const VIEWS = { oblique: [-1.15, 0.3], side: [-Math.PI / 2, 0.05], front: [0, 0.1], top: [-Math.PI / 2, 1.5] }; // azimuth, elevation
// the shape of a foot's mark tells its contact mode as well as the colour does
const MARKS = { stick: "box", slip_pos: "cone", slip_neg: "cone", open: "sphere", unknown: "diamond" };
const LIGHT = [0.35, -0.45, 1]; // towards it
const MAX_TRAIL_POINTS = 2000;
const VERTEX = `attribute vec3 at, normal; uniform mat4 view, model; uniform vec3 size; uniform float flat_;
varying vec3 n, w;
void main() {
  vec4 p = model * vec4(at * size, 1.0);
  if (flat_ > 0.0) p = vec4(p.xy - ${"vec2(" + (LIGHT[0] / LIGHT[2]).toFixed(3) + "," + (LIGHT[1] / LIGHT[2]).toFixed(3) + ")"} * max(p.z, 0.0), flat_, 1.0);
  w = p.xyz; n = mat3(model) * (normal / size); gl_Position = view * p; }`;
const FRAGMENT = `precision highp float; varying vec3 n, w; uniform vec4 colour; uniform vec4 fade; uniform vec3 sky; uniform float lit;
void main() {
  float light = lit > 0.0 ? 0.55 + 0.25 * normalize(n).z + 0.3 * max(0.0, dot(normalize(n), normalize(vec3(0.35, -0.75, 0.8)))) : 1.0;
  float far = fade.w > 0.0 ? smoothstep(0.35, 1.0, length(w.xy - fade.xy) / fade.w) : 0.0;
  gl_FragColor = vec4(mix(min(colour.rgb * light, 1.0), sky, far), colour.a); }`;

export class Scene3D {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("no picture: WebGL is off in this browser; the rest of the page works");
    this.gl = gl;
    this.program = this.#program();
    this.uniform = Object.fromEntries(["view", "model", "size", "flat_", "colour", "fade", "sky", "lit"].map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.meshes = { box: this.#mesh(box()), cylinder: this.#mesh(cylinder()), cone: this.#mesh(cylinder(0)), sphere: this.#mesh(sphere()), diamond: this.#mesh(sphere(2, 4)), square: this.#mesh(square()) };
    this.ribbon = { at: gl.createBuffer(), count: 0 };
    gl.enable(gl.DEPTH_TEST);
    this.camera = { azimuth: -1.15, elevation: 0.30, distance: 3, target: null };
    this.#addControls();
    this.robot = null;
    this.recolour();
  }

  // takes the colours of the page, which change between light and dark
  recolour() {
    this.colours = Object.fromEntries(["sky", "ground", "grid", "shadow"].map((name) => [name, [1, 3, 5].map((at) => parseInt(pageColour(name).slice(at, at + 2), 16) / 255)]));
  }

  look(view) { [this.camera.azimuth, this.camera.elevation] = VIEWS[view]; }

  clearTrail() { if (this.robot) this.trail.length = 0; }

  setRobot(scene) {
    this.robot = { colours: scene.colours, rail: scene.rail, yaws: scene.yaws, links: scene.links.map((link) => ({ name: link.name, shapes: link.shapes.map((shape) => ({ ...shape, origin: fromOrigin(shape.xyz, shape.rpy) })) })), kinematics: new Kinematics(scene) };
    this.trail = [];
    this.force = 1e-9;
    this.extent = this.top = 0;
    this.middle = [0, 0];
    this.camera.target = null;
    this.railHeight = null;
  }

  // size (m) and position of the robot
  #measure(poses) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const link of this.robot.links)
      for (const shape of link.shapes) {
        const at = place(multiply(poses.get(link.name) ?? identity(), shape.origin)), half = Math.max(...shape.size) / 2;
        for (let i = 0; i < 3; i++) { low[i] = Math.min(low[i], at[i] - half); high[i] = Math.max(high[i], at[i] + half); }
      }
    if (!Number.isFinite(low[0])) return 0.02;
    this.middle = [0, 1].map((i) => (low[i] + high[i]) / 2);
    this.top = Math.max(this.top, high[2]);
    return Math.max(...low.map((v, i) => high[i] - v), 0.02);
  }

  // draws while something moves, and a second longer: the camera follows smoothly
  draw(frame) {
    const { gl, canvas, camera } = this, view = [frame?.t, canvas.clientWidth, canvas.clientHeight, camera.azimuth, camera.elevation, camera.distance, this.colours.sky].join();
    if (view !== this.view) Object.assign(this, { view, until: performance.now() + REST_MS });
    if (performance.now() > this.until) return;
    const ratio = window.devicePixelRatio || 1, width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(...this.colours.sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!this.robot || !width || !height) return;
    const poses = this.robot.kinematics.at(frame), extent = this.#measure(poses);
    if (!this.extent) { this.extent = extent; camera.distance = Math.max(1.85 * extent, 2.5 * this.top) / Math.min(1, width / height / 1.2); }
    this.extent = Math.max(this.extent, extent);
    const pose = poses.get(this.robot.kinematics.base), base = place(pose);
    this.heading = this.robot.yaws ? Math.atan2(pose[1], pose[0]) : 0;
    const target = [this.middle[0], this.middle[1], 0.45 * this.top];
    this.#follow(target);
    const [a, e, d] = [camera.azimuth, camera.elevation, camera.distance];
    const eye = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)].map((v, i) => camera.target[i] + d * v);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(this.uniform.view, false, multiply(perspective(0.7, width / height, 0.02 * d, 40 * d), lookAt(eye, camera.target)));
    gl.uniform3fv(this.uniform.sky, this.colours.sky);
    this.#ground(d);
    gl.uniform4f(this.uniform.fade, 0, 0, 0, 0);
    const feet = new Map((frame?.feet ?? []).map((foot) => [foot.foot, foot]));
    for (const shadow of [true, false]) {
      for (const link of this.robot.links)
        for (const shape of link.shapes) this.#shape(multiply(poses.get(link.name) ?? identity(), shape.origin), shape, feet.has(link.name) ? [...this.robot.colours[feet.get(link.name).mode], 1] : shape.rgba, shadow);
    }
    if (this.robot.rail) this.#rail(base, d);
    this.#track(base, frame);
    for (const [name, foot] of feet) if (poses.has(name)) this.#foot(place(poses.get(name)), foot);
  }

  // moves the camera smoothly at any frame rate, and never leaves it far behind
  #follow(target) {
    const { camera } = this, now = performance.now(), away = camera.target ? Math.hypot(...target.map((v, i) => v - camera.target[i])) : Infinity;
    const share = Math.max(1 - Math.exp((this.followed - now) / 150), 1 - 0.15 * this.extent / away);
    camera.target = away < 50 * this.extent ? camera.target.map((v, i) => v + share * (target[i] - v)) : target;
    this.followed = now;
  }

  #ground(d) {
    const { gl, camera } = this, [x, y] = camera.target, reach = 6 * d;
    gl.uniform4f(this.uniform.fade, x, y, 0, reach);
    this.#mark("square", shift([x, y, -0.002 * this.extent]), [reach, reach, 1], [...this.colours.ground, 1], 0);
    const step = 10 ** Math.floor(Math.log10(this.extent * 0.7)), count = Math.min(120, Math.ceil(reach / step));
    for (let i = -count; i <= count; i++) {
      const [u, v] = [step * (Math.round(x / step) + i), step * (Math.round(y / step) + i)];
      const thin = (k) => 0.0012 * d * (k % 10 === 0 ? 2.2 : 1);
      this.#mark("square", shift([u, y, -0.001 * this.extent]), [thin(Math.round(u / step)), reach, 1], [...this.colours.grid, 1], 0);
      this.#mark("square", shift([x, v, -0.001 * this.extent]), [reach, thin(Math.round(v / step)), 1], [...this.colours.grid, 1], 0);
    }
  }

  #shape(pose, shape, colour, shadow) {
    const s = shape.size, size = shape.kind === "box" ? s : shape.kind === "cylinder" ? [s[0], s[0], s[1]] : [s[0], s[0], s[0]];
    this.#mark(shape.kind, pose, size, shadow ? [...this.colours.shadow, 1] : [...colour.slice(0, 3), 1], shadow ? 0 : 1, shadow ? 0.0004 * this.extent : 0);
  }

  // the rail that keeps the base upright: a bar along x behind it, and the post that slides up and down in its carriage
  #rail([x, y, z], d) {
    const e = this.extent, back = y + 0.3 * e, high = this.railHeight ??= z + 0.35 * e, low = Math.min(z, high - 0.1 * e), top = Math.max(z, high) + 0.1 * e;
    this.#mark("box", shift([this.camera.target[0], back, high]), [12 * d, 0.03 * e, 0.03 * e], [...RAIL, 1], 1);
    this.#mark("box", shift([x, back, high]), [0.1 * e, 0.06 * e, 0.06 * e], [...RAIL, 1], 1);
    this.#mark("box", shift([x, back, (low + top) / 2]), [0.02 * e, 0.02 * e, top - low], [...RAIL, 1], 1);
    this.#mark("cylinder", along([x, (y + back) / 2, z], [0, 1, 0]), [0.012 * e, 0.012 * e, back - y], [...RAIL, 1], 1);
  }

  #foot(at, foot) {
    const colour = [...this.robot.colours[foot.mode], 1], r = 0.02 * this.extent, slip = { slip_pos: 1, slip_neg: -1 }[foot.mode];
    const mark = slip ? [1.6 * r, 1.6 * r, 4 * r] : MARKS[foot.mode] === "box" ? [3 * r, 3 * r, 3 * r] : [r, r, r];
    const forward = slip && [slip * Math.cos(this.heading), slip * Math.sin(this.heading), 0];
    this.#mark(MARKS[foot.mode], slip ? along(at.map((v, i) => v + 2.5 * r * forward[i]), forward) : shift(at), mark, colour, 1);
    const force = foot.force.map((v) => v ?? 0), size = Math.hypot(...force);
    this.force = Math.max(this.force * 0.999, size);
    const length = 0.35 * this.extent * size / this.force;
    if (length < 0.02 * this.extent) return;
    const way = force.map((v) => v / size), tip = at.map((v, i) => v + way[i] * length), half = at.map((v, i) => v + way[i] * length / 2);
    this.#mark("cylinder", along(half, way), [0.005 * this.extent, 0.005 * this.extent, length], colour, 1);
    this.#mark("cone", along(tip, way), [0.014 * this.extent, 0.014 * this.extent, 0.045 * this.extent], colour, 1);
  }

  // the path of the base, as a ribbon on the ground
  #track(base, frame) {
    const { gl, trail } = this;
    if (!frame?.base) return;
    const last = trail.at(-1), step = last ? Math.hypot(base[0] - last[0], base[1] - last[1]) : Infinity;
    if (last && step > 3 * this.extent) trail.length = 0; // the robot was placed elsewhere
    if (step > 0.004 * this.extent) { trail.push([...base]); if (trail.length > MAX_TRAIL_POINTS) trail.splice(0, MAX_TRAIL_POINTS / 4); }
    if (trail.length < 2) return;
    const points = [], half = 0.006 * this.extent, high = 0.001 * this.extent;
    const all = [...trail, base];
    for (let i = 0; i < all.length; i++) {
      const [a, b] = [all[Math.max(0, i - 1)], all[Math.min(all.length - 1, i + 1)]], l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
      const [u, v] = [-(b[1] - a[1]) / l * half, (b[0] - a[0]) / l * half];
      points.push(all[i][0] + u, all[i][1] + v, high, all[i][0] - u, all[i][1] - v, high);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ribbon.at);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.DYNAMIC_DRAW);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.disableVertexAttribArray(1);
    gl.vertexAttrib3f(1, 0, 0, 1);
    this.#uniforms(identity(), [1, 1, 1], [...TRAIL, 1], 0, 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, points.length / 3);
    gl.enableVertexAttribArray(1);
  }

  #mark(mesh, model, size, colour, lit, flat = 0) {
    const { gl } = this, { at, normal, count } = this.meshes[mesh];
    gl.bindBuffer(gl.ARRAY_BUFFER, at);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, normal);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 0, 0);
    this.#uniforms(model, size, colour, lit, flat);
    gl.drawArrays(gl.TRIANGLES, 0, count);
  }

  #uniforms(model, size, colour, lit, flat) {
    const { gl, uniform } = this;
    gl.uniformMatrix4fv(uniform.model, false, model);
    gl.uniform3fv(uniform.size, size);
    gl.uniform4fv(uniform.colour, colour);
    gl.uniform1f(uniform.lit, lit);
    gl.uniform1f(uniform.flat_, flat);
  }

  #mesh({ at, normal }) {
    const { gl } = this, made = { at: gl.createBuffer(), normal: gl.createBuffer(), count: at.length / 3 };
    for (const [buffer, values] of [[made.at, at], [made.normal, normal]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
    }
    return made;
  }

  #program() {
    const { gl } = this, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "at");
    gl.bindAttribLocation(program, 1, "normal");
    gl.linkProgram(program);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    return program;
  }

  // one pointer turns the picture, two pinch it; keys do both
  #addControls() {
    const { canvas, camera } = this, pointers = new Map();
    const turn = (x, y) => { camera.azimuth -= 0.008 * x; camera.elevation = Math.max(0.02, Math.min(1.5, camera.elevation + 0.008 * y)); };
    const zoom = (ratio) => { camera.distance *= ratio; };
    const apart = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1; };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); pointers.set(event.pointerId, [event.clientX, event.clientY]); });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const distance = pointers.size === 2 ? apart() : 0;
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      if (distance) zoom(distance / apart());
      else turn(event.clientX - before[0], event.clientY - before[1]);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(0.001 * event.deltaY)); }, { passive: false });
    const keys = { ArrowLeft: () => turn(-12, 0), ArrowRight: () => turn(12, 0), ArrowUp: () => turn(0, 12), ArrowDown: () => turn(0, -12), "+": () => zoom(0.9), "-": () => zoom(1 / 0.9) };
    canvas.addEventListener("keydown", (event) => { if (keys[event.key]) { event.preventDefault(); keys[event.key](); } });
  }
}
