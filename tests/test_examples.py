"""The examples of the README work as they stand."""

import json
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_the_parameter_file_is_used_by_a_run(crawler, long_timeouts, tmp_path):
    words = ["run", "--params", str(EXAMPLES / "my.yaml"), "--backend", "model", "--lockstep", "--duration", "3"]
    words += ["--no-picture", "--out", "crawl", "--json"]
    done = subprocess.run([*crawler, *words], capture_output=True, text=True, timeout=200, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert abs(result["stride_period_s"] - 2.0 * 3.141592653589793 / 8.0) < 1e-3  # omega of the file
    assert result["predicted_step_length_m"] is not None


def test_the_study_finds_the_fastest_gait_and_draws_the_curve(tmp_path):
    done = subprocess.run(
        [sys.executable, EXAMPLES / "my_study.py"], capture_output=True, text=True, timeout=200, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "fastest: 48.54 mm/s at 2.50 rad/s" in done.stdout
    assert (tmp_path / "studies" / "my_study.png").read_bytes().startswith(b"\x89PNG")
