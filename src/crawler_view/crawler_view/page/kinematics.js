// where a robot's links are, from its joints' angles: passive joints are in joint_states too, so closed chains close
import { fromOrigin, fromPose, identity, multiply, place, shift, turn } from "./matrix.js";

export class Kinematics {
  constructor(scene) {
    this.base = scene.base;
    this.joints = scene.joints.map((joint) => ({ ...joint, origin: fromOrigin(joint.xyz, joint.rpy) }));
    this.children = new Map();
    for (const joint of this.joints)
      this.children.set(joint.parent, [...(this.children.get(joint.parent) ?? []), joint]);
  }

  // the frame of each link in the world, by name
  at(frame) {
    const angles = new Map((frame?.names ?? []).map((name, i) => [name, frame.position[i] ?? 0]));
    const found = new Map(), todo = [[this.base, frame?.base ? fromPose(...frame.base) : identity()]];
    while (todo.length) {
      const [link, pose] = todo.pop();
      found.set(link, pose);
      for (const joint of this.children.get(link) ?? []) {
        const angle = angles.get(joint.name) ?? 0;
        const motion = !joint.name ? null : joint.slides ? shift(joint.axis.map((v) => v * angle)) : turn(joint.axis, angle);
        const at = multiply(pose, joint.origin);
        todo.push([joint.child, motion ? multiply(at, motion) : at]);
      }
    }
    if (!frame?.base) this.#stand(found);
    return found;
  }

  // without odometry the lowest link's origin stands on the ground
  #stand(found) {
    const low = Math.min(...[...found.values()].map((pose) => place(pose)[2]));
    for (const pose of found.values()) pose[14] -= low;
  }
}
