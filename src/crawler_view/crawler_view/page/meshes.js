// unit shapes as [positions, normals], three numbers a corner

function collect() {
  const at = [], normal = [];
  return { at, normal, put(p, n) { at.push(...p); normal.push(...n); } };
}

export function box() {
  const m = collect();
  for (let axis = 0; axis < 3; axis++)
    for (const sign of [-0.5, 0.5]) {
      const corner = (u, v) => { const p = [0, 0, 0]; p[axis] = sign; p[(axis + 1) % 3] = u; p[(axis + 2) % 3] = v; return p; };
      const n = [0, 0, 0]; n[axis] = 2 * sign;
      for (const [u, v] of [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) m.put(corner(u, v), n);
    }
  return m;
}

export function sphere(rows = 12, columns = 20) {
  const m = collect();
  const at = (i, j) => {
    const a = Math.PI * i / rows, b = 2 * Math.PI * j / columns;
    return [Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)];
  };
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++)
      for (const [u, v] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) { const p = at(i + u, j + v); m.put(p, p); }
  return m;
}

// of radius 1 below and `top` above, from z = -1/2 to 1/2
export function cylinder(top = 1, columns = 28) {
  const m = collect();
  for (let j = 0; j < columns; j++) {
    const [a, b] = [2 * Math.PI * j / columns, 2 * Math.PI * (j + 1) / columns];
    const corner = (t, z, r) => [r * Math.cos(t), r * Math.sin(t), z], out = (t) => [Math.cos(t), Math.sin(t), 1 - top];
    for (const [t, z] of [[a, -0.5], [b, -0.5], [b, 0.5], [a, -0.5], [b, 0.5], [a, 0.5]]) m.put(corner(t, z, z < 0 ? 1 : top), out(t));
    for (const t of [b, a]) m.put(corner(t, -0.5, 1), [0, 0, -1]);
    m.put([0, 0, -0.5], [0, 0, -1]);
    if (top) { for (const t of [a, b]) m.put(corner(t, 0.5, top), [0, 0, 1]); m.put([0, 0, 0.5], [0, 0, 1]); }
  }
  return m;
}

export function square() {
  const m = collect();
  for (const [x, y] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) m.put([x, y, 0], [0, 0, 1]);
  return m;
}
