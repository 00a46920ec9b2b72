// the poses of a robot's links from its joints' angles; joint_states has the passive joints of closed chains too
import { fromOrigin, fromPose, identity, multiply, place, shift, turn } from "./matrix.js";

export class Kinematics {
  constructor(scene) {
    this.base = scene.base;
    this.joints = scene.joints.map((joint) => ({ ...joint, origin: fromOrigin(joint.xyz, joint.rpy) }));
    this.children = new Map();
    for (const joint of this.joints)
      this.children.set(joint.parent, [...(this.children.get(joint.parent) ?? []), joint]);
  }

  // the pose of each link in the world, by name
  at(frame) {
    const angles = new Map((frame?.names ?? []).map((name, i) => [name, frame.position[i] ?? 0]));
    const poses = new Map(), todo = [[this.base, frame?.base ? fromPose(...frame.base) : identity()]];
    while (todo.length) {
      const [link, pose] = todo.pop();
      poses.set(link, pose);
      for (const joint of this.children.get(link) ?? []) {
        const angle = angles.get(joint.name) ?? 0;
        const motion = !joint.name ? null : joint.prismatic ? shift(joint.axis.map((v) => v * angle)) : turn(joint.axis, angle);
        const at = multiply(pose, joint.origin);
        todo.push([joint.child, motion ? multiply(at, motion) : at]);
      }
    }
    if (!frame?.base) this.#placeOnGround(poses);
    return poses;
  }

  // without odometry the lowest link's origin is on the ground
  #placeOnGround(poses) {
    const low = Math.min(...[...poses.values()].map((pose) => place(pose)[2]));
    for (const pose of poses.values()) pose[14] -= low;
  }
}
