"""One robot on flat ground in MuJoCo."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from transforms3d.euler import euler2quat
from transforms3d.quaternions import quat2mat

from crawler_core.errors import UserError
from crawler_core.robot import RobotSpec
from crawler_core.types import BaseState
from crawler_core.urdf import build_urdf
from sim_bridge.base_ways import start_angles, start_speeds
from sim_bridge.feet import ContactAverage, FootMotion
from sim_bridge.home import home_of
from sim_bridge.mujoco_contact import *
from sim_bridge.physics_urdf import FREE, SLIDING, TURNING

ARMATURE = 100.0
SETTLE_STEPS = 2000
AT_REST = 1e-6
OTHER = 0.5
FAR = 1e3
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "roll": (1, 0, 0), "pitch": (0, 1, 0), "yaw": (0, 0, 1)}

def import_mujoco():
    import mujoco
    return mujoco

class MuJoCoWorld:
    window = False
    def __init__(self, spec, *, pushed, step, pace=None, target=1.2, share=SHARE, impratio=FRICTION_STIFFER, loopk=1.0, loopd=.9999):
        self._mj = mj = import_mujoco()
        self._spec = spec
        s = mj.MjSpec.from_string(build_urdf(spec))
        s.compiler.fusestatic = False
        s.compiler.inertiafromgeom = mj.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
        s.compiler.autolimits = True
        o = s.option
        o.timestep = step
        o.gravity = (0, 0, -spec.parameters["gravity"])
        o.cone = mj.mjtCone.mjCONE_ELLIPTIC
        o.solver = mj.mjtSolver.mjSOL_NEWTON
        o.integrator = mj.mjtIntegrator.mjINT_EULER
        o.impratio = impratio
        o.tolerance = 1e-12
        o.iterations = 200
        o.ls_iterations = 100
        o.ls_tolerance = 1e-6
        o.enableflags = mj.mjtEnableBit.mjENBL_DIAGEXACT
        D = mj.mjtDisableBit
        o.disableflags = D.mjDSBL_ISLAND | D.mjDSBL_AUTORESET | D.mjDSBL_EULERDAMP | D.mjDSBL_REFSAFE
        base = s.body(spec.base_link)
        self.ways = ()
        if set(spec.base_motion) == set(FREE):
            base.add_freejoint()
        else:
            self.ways = tuple(w for w in (*SLIDING, *TURNING) if w in spec.base_motion)
            n = list(base.joints)
            for w in self.ways:
                base.add_joint(name="base_" + w, type=mj.mjtJoint.mjJNT_HINGE if w in TURNING else mj.mjtJoint.mjJNT_SLIDE, axis=AXES[w])
        ground = s.worldbody.add_geom(name="ground", type=mj.mjtGeom.mjGEOM_PLANE, size=(1, 1, 1), contype=0, conaffinity=0)
        c = rigid(step, pace or PACE, share)
        feet = {f.name: f for f in spec.feet}
        k = 0
        for b in s.bodies:
            for j in b.joints:
                j.damping[:] = 0
                j.frictionloss = 0
                if j.limited != mj.mjtLimited.mjLIMITED_FALSE:
                    j.solref_limit = c.solref
                    j.solimp_limit = [.9, .9, 1e-3, .5, 2]
            for g in b.geoms:
                if g is ground or g.name == "ground": continue
                g.contype = g.conaffinity = 0
                g.name = f"collision_{k}"; k += 1
                f = feet.get(b.name)
                fr = f.friction if f else OTHER
                s.add_pair(name=g.name, geomname1="ground", geomname2=g.name, condim=3, friction=[fr, fr, 0, 0, 0],
                    solref=c.solref, solreffriction=c.friction, solimp=c.solimp, margin=0, gap=0)
        for loop in spec.loops:
            e = s.add_equality(name=loop.name, type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_BODY, name1=loop.first, name2=loop.second)
            e.solref = [-loopk / step**2, -2*loopk**.5 / step] if loopk<1 else [-1/step**2, -1/step]
            e.solimp = [loopd, loopd, 1e-3, .5, 2]
            e.data[:3] = 0
        self.m = m = s.compile()
        self.d = d = mj.MjData(m)
        self._scratch = mj.MjData(m)
        self._joints = [m.joint(j.name) for j in spec.joints]
        self._q = [int(j.qposadr[0]) for j in self._joints]
        self._v = [int(j.dofadr[0]) for j in self._joints]
        self._act_q = [self._q[i] for i in spec.actuated_indices]
        self._act_v = [self._v[i] for i in spec.actuated_indices]
        self._pl_pushed = list(pushed)
        self._pushed = [self._act_v[i] for i in pushed]
        self._step_s = step
        self._base_id = m.body(spec.base_link).id
        self._feet = [m.body(f).id for f in spec.foot_names]
        self._foot_of_geom = {g: i for i, b in enumerate(self._feet) for g in range(m.ngeom) if m.geom_bodyid[g] == b}
        if spec.loops: # anchors: both origins
            for i in range(m.neq):
                m.eq_data[i, :6] = 0
        self.compliant = {i: f for i, f in enumerate(spec.feet) if f.stiffness is not None}
        self._target, self._pace, self._share = target, pace, share
        self._begin(*home_of(spec))
        self._drive_only([i for i in range(len(spec.actuated)) if i not in set(pushed)])

    def _base_set(self, position, quat_or_ways): ...

    def _begin(self, position, velocity, pushed=()):
        mj, m, d, spec, start = self._mj, self.m, self.d, self._spec, self._spec.start
        ways = self.ways
        free = set(spec.base_motion) == set(FREE)
        if free:
            d.qpos[:3] = 0
            d.qpos[3:7] = euler2quat(*start.rpy, axes="sxyz")
        else:
            ang = start_angles(spec, start.rpy, ways)
            for w, a in ang.items(): d.qpos[m.joint("base_" + w).qposadr[0]] = a
        d.qpos[self._q] = position
        zq = 2 if free else (m.joint("base_z").qposadr[0] if "z" in ways else None)
        m.pair_margin[:] = FAR
        mj.mj_fwdPosition(m, d)
        lowest = min(d.contact.dist.tolist(), default=0.0)
        m.pair_margin[:] = 0
        if zq is not None: d.qpos[zq] -= lowest
        self._tune(pushed)
        if spec.stands_at_start:
            self._drive_only(list(range(len(spec.actuated))))
            home = [j.home for j in spec.actuated]
            from sim_bridge.feet import ContactAverage
            for n in range(SETTLE_STEPS):
                self.drive(home)
                self._advance()
                if np.abs(d.qvel).max() < AT_REST: break
            self.settled = n
            for w in "xy":
                if free: d.qpos["xy".index(w)] = 0
                elif w in ways: d.qpos[m.joint("base_"+w).qposadr[0]] = 0
            if free: d.qvel[:6] = 0
            else:
                for w in ways: d.qvel[m.joint("base_"+w).dofadr[0]] = 0
            return
        if zq is not None: d.qpos[zq] += start.height
        if free:
            R = quat2mat(d.qpos[3:7])
            d.qvel[:3] = start.linear; d.qvel[3:6] = R.T @ np.array(start.angular)
        else:
            pos = {w: float(d.qpos[m.joint("base_"+w).qposadr[0]]) for w in ways}
            for w, v in start_speeds(spec, start, pos).items(): d.qvel[m.joint("base_"+w).dofadr[0]] = v
        d.qvel[self._v] = velocity

    def _tune(self, pushed):
        mj, m, d = self._mj, self.m, self.d
        self._drive_only([i for i in range(len(self._spec.actuated)) if i not in set(self._pl_pushed)])
        self._arm(True)
        mj.mj_fwdPosition(m, d)
        rows = []
        for i, b in enumerate(self._feet):
            if i in self.compliant: continue
            jac = np.zeros((3, m.nv)); mj.mj_jac(m, d, jac, None, d.xpos[b], b); rows.append(jac[2])
        self.lam = 0
        if rows:
            J = np.array(rows); Y = np.zeros_like(J); mj.mj_solveM(m, d, Y, J)
            A = J @ Y.T; sc = np.sqrt(np.diag(A)); A = A / sc / sc[:, None]
            lam = np.linalg.eigvalsh(A)[-1]
            self.lam = lam
            sh = self._share
            lamp = lam / (1 - sh + sh * lam)
            self.c = self._pace or self._target / lamp / 2
            c = rigid(self._step_s, self.c, sh)
            m.pair_solref[:] = c.solref
        self._arm(False)

    def _drive_only(self, places):
        self._driven = places
        self._dq = [self._act_q[i] for i in places]; self._dv = [self._act_v[i] for i in places]
        self._arm(False)
        self._wanted = None

    def _arm(self, on):
        self._armed = on
        m = self.m
        m.dof_armature[:] = 0
        if on: m.dof_armature[self._dv] = ARMATURE
        self._mj.mj_setConst(m, self._scratch)

    def drive(self, position):
        if not self._armed: self._arm(True)
        d, h = self.d, self._step_s
        self.acc = ((np.array(position) - d.qpos[self._dq]) / h - d.qvel[self._dv]) / h
        d.qfrc_applied[self._dv] = ARMATURE * self.acc

    def push(self, effort):
        self.d.qfrc_applied[self._pushed] = effort

    def free(self):
        self._arm(False)
        self.d.qfrc_applied[:] = 0

    def _advance(self):
        mj, m, d = self._mj, self.m, self.d
        if not self.compliant:
            mj.mj_step(m, d)
        else:
            mj.mj_step1(m, d)
            if d.ncon: self._give()
            mj.mj_step2(m, d)
        self._given = d.qfrc_applied.copy()
        d.qfrc_applied[:] = 0

    def _give(self):
        d, h = self.d, self._step_s
        for con in d.contact:
            i = self._foot_of_geom.get(con.geom[1])
            if i is None or i not in self.compliant or con.efc_address < 0: continue
            f = self.compliant[i]
            a = con.efc_address
            A = d.efc_R[a] * SHARE / (1 - SHARE)
            k, b = f.stiffness, f.damping or 0.0
            s = (k * h * h + b * h) * A
            th = min(1.0, s)
            r, v = d.efc_pos[a], d.efc_vel[a]
            force = max(0.0, -(k * r + (b + th * k * h) * v))
            eps = th * (k * h * h + b * h) + SOFTEST / A
            d.efc_R[a] = 1 / eps
            d.efc_D[a] = eps
            d.efc_aref[a] = force / eps
            con.mu = con.friction[0] * (d.efc_R[a + 1] * eps) ** .5

    def step(self, contacts):
        self._advance()
        self.touch(contacts)

    def touch(self, contacts):
        contacts.count()
        d = self.d
        if d.ncon == 0: return
        f = d.efc_force
        c = d.contact
        for g, a, fr, pos in zip(c.geom2.tolist(), c.efc_address.tolist(), c.frame.tolist(), c.pos.tolist()):
            i = self._foot_of_geom.get(g)
            if i is None or a < 0: continue
            n, t, u = f[a:a+3].tolist()
            contacts.add(i, n*fr[0]+t*fr[3]+u*fr[6], n*fr[1]+t*fr[4]+u*fr[7], n*fr[2]+t*fr[5]+u*fr[8], tuple(pos))

    def _refresh(self):
        mj, m, d = self._mj, self.m, self.d
        mj.mj_kinematics(m, d); mj.mj_comPos(m, d); mj.mj_comVel(m, d)

    def _motion(self, body):
        res = np.zeros(6)
        self._mj.mj_objectVelocity(self.m, self.d, self._mj.mjtObj.mjOBJ_XBODY, body, res, 0)
        w = res.tolist()
        return tuple(self.d.xpos[body].tolist()), tuple(w[3:]), tuple(w[:3])

    def state(self):
        self._refresh()
        d, m = self.d, self.m
        p, v, w = self._motion(self._base_id)
        base = BaseState(p, tuple(d.xquat[self._base_id].tolist()), v, w)
        eff = self._given - m.dof_armature * d.qacc
        return base, d.qpos[self._q].tolist(), d.qvel[self._v].tolist(), eff[self._v].tolist()

    def actuated(self):
        return list(zip(self.d.qpos[self._act_q].tolist(), self.d.qvel[self._act_v].tolist()))

    def feet(self):
        return [self._motion(b) for b in self._feet]

    def look_at(self, t): ...
    def close(self): ...
