"""The contact-state feedback law (19), and the robot under it in continuous time.

Not here: the law as a controller that runs in ticks (hybrid_controller.laws).
Imported by: crawler_studies, hybrid_controller.
"""
