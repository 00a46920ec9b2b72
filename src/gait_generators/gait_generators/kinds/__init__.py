"""Defines every gait as a pure function of time, with its parameters, its registry and its limit check.

Not here: the change from one gait to another (gait_generators.transitions), Fourier shapes and their files
(gait_generators.shapes).
Imported by: gait_generators, crawler_bringup, crawler_cli.commands, crawler_studies, crawler_testing.
"""
