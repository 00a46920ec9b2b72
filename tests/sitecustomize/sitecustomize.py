"""Sets timeouts in their modules. Every Python process below `stack_helpers.set_timeouts` runs it first."""

import json
import os
import sys
from importlib.machinery import PathFinder

TIMEOUTS = json.loads(os.environ.get("TEST_TIMEOUTS", "{}"))


class TimeoutFinder:
    """Finds the modules with such timeouts, and sets them after the module has run."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        spec = PathFinder.find_spec(name, path, target) if name in TIMEOUTS else None
        if spec is None or spec.loader is None:
            return None
        exec_module = spec.loader.exec_module

        def execute(module):
            exec_module(module)
            unknown = TIMEOUTS[name].keys() - vars(module).keys()
            assert not unknown, f"{name} has no {unknown}"
            vars(module).update(TIMEOUTS[name])

        vars(spec.loader)["exec_module"] = execute
        return spec


sys.meta_path.insert(0, TimeoutFinder)
