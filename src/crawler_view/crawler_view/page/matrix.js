// 4 x 4 matrices in the column order of WebGL

export const identity = () => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

export function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      for (let k = 0; k < 4; k++) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

// position and quaternion (w, x, y, z)
export function fromPose(x, y, z, qw, qx, qy, qz) {
  return new Float32Array([
    1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qw * qz), 2 * (qx * qz - qw * qy), 0,
    2 * (qx * qy - qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz + qw * qx), 0,
    2 * (qx * qz + qw * qy), 2 * (qy * qz - qw * qx), 1 - 2 * (qx * qx + qy * qy), 0, x, y, z, 1]);
}

export function turn(axis, angle) {
  const length = Math.hypot(...axis) || 1, s = Math.sin(angle / 2) / length;
  return fromPose(0, 0, 0, Math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s);
}

// a URDF origin: roll, pitch and yaw are about the fixed axes
export function fromOrigin([x, y, z], [roll, pitch, yaw]) {
  const out = multiply(turn([0, 0, 1], yaw), multiply(turn([0, 1, 0], pitch), turn([1, 0, 0], roll)));
  out.set([x, y, z], 12);
  return out;
}

export const shift = ([x, y, z]) => { const out = identity(); out.set([x, y, z], 12); return out; };
export const place = (m) => [m[12], m[13], m[14]];

// a frame at `from` whose z axis points along `direction`
export function along(from, direction) {
  const length = Math.hypot(...direction), [x, y, z] = direction.map((v) => v / length);
  const angle = Math.acos(Math.max(-1, Math.min(1, z)));
  const axis = Math.hypot(x, y) > 1e-6 ? [-y, x, 0] : [1, 0, 0];
  return multiply(shift(from), turn(axis, angle));
}

export function perspective(fov, aspect, near, far) {
  const f = 1 / Math.tan(fov / 2), d = 1 / (near - far);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * d, -1, 0, 0, 2 * far * near * d, 0]);
}

const minus = (a, b) => a.map((v, i) => v - b[i]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const l = Math.hypot(...a); return a.map((v) => v / l); };
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export function lookAt(eye, target) {
  const z = unit(minus(eye, target)), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}
