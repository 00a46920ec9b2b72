"""Films: places in the picture, depth, and files that are complete or absent."""

import math

import numpy as np
import pytest
from PIL import Image, ImageSequence

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.files import replace_file
from crawler_core.robot.robot_file import load_robot
from crawler_view.film.camera import TEXT_BAND_PX, cameras
from crawler_view.film.film_file import check_kind, write_film
from crawler_view.film.frame_renderer import FrameRenderer
from crawler_view.film.raster import rasterise
from crawler_view.scene.kinematics import Kinematics
from crawler_view.scene.meshes import arrow, box, cylinder, sphere
from crawler_view.scene.robot_scene import MODE_COLOURS, read_scene

RED, BLUE, WHITE = (220, 30, 30), (30, 30, 220), (255, 255, 255)
ARM = """<robot name="arm"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="turn" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/></joint>
<joint name="fixed" type="fixed"><parent link="c"/><child link="d"/><origin xyz="0 0 0.5"/></joint></robot>"""


def arm(base):
    frame = {"names": ["slide", "turn"], "position": [0.5, math.pi / 2], "base": base}
    return {name: pose[:3, 3] for name, pose in Kinematics(read_scene(ARM)).at(frame).items()}


def test_links_are_where_joints_and_base_put_them():
    half = math.sqrt(0.5)
    found = arm([10.0, 0.0, 2.0, half, 0.0, 0.0, half])  # the base looks along y
    assert found["b"] == pytest.approx([10.0, 1.0, 2.0])
    assert found["c"] == pytest.approx([8.5, 1.0, 2.0])  # a quarter turn more: along -x, by 1 and by 0.5
    assert found["d"] == pytest.approx([8.5, 1.0, 2.5])


def test_without_odometry_the_lowest_link_stands_on_the_ground():
    assert min(place[2] for place in arm(None).values()) == 0.0


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("far", [0.5, 30.0])  # m: the camera stays, and goes along
def test_everything_is_in_the_picture_and_the_camera_follows_a_robot_that_goes_far(planar, far):
    bases = np.column_stack([np.linspace(0.0, far, 40), np.zeros(40), np.full(40, 0.2)])
    corners = np.array([(x, y, z) for x in (-0.4, 0.6) for y in (-0.1, 0.1) for z in (0.0, 0.7)])
    seen = [corners + (base[0], 0.0, 0.0) for base in bases]
    made = cameras(seen, bases, planar, 700, 10)
    for camera, points in zip(made, seen, strict=True):
        column, row, near = camera.project(points).T
        assert (near > 0.0).all()
        assert column.min() > 0.0
        assert column.max() < camera.width
        assert row.min() > 0.9 * TEXT_BAND_PX
        assert row.max() < camera.height - 0.9 * TEXT_BAND_PX
    moved = made[-1].target[0] - made[0].target[0]
    assert moved == pytest.approx(0.0 if far < 1.0 else far, abs=1e-9)
    assert {camera.height % 2 for camera in made} == {0}


def test_the_ground_is_as_far_away_as_its_points():
    (camera,) = cameras([np.array([(-1.0, -0.2, 0.0), (1.0, 0.2, 0.5)])], np.zeros((1, 3)), False, 700, 10)
    column, row, near = camera.project(np.array([0.3, -0.1, 0.0]))
    assert camera.ground(0.0)[int(row), int(column)] == pytest.approx(near, rel=0.01)  # within a pixel


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_nearer_triangles_are_in_front_in_any_order(order):
    image, near = np.full((20, 20, 3), 255, dtype=np.uint8), np.zeros((20, 20))
    whole = np.array([(0.0, 0.0), (40.0, 0.0), (0.0, 40.0)])
    triangles = np.stack([np.column_stack([whole, np.full(3, w)]) for w in (1.0, 2.0)])
    rasterise(image, near, triangles[list(order)], np.array([RED, BLUE], dtype=np.uint8)[list(order)])
    assert (image == BLUE).all()
    behind = triangles[:1] * (1.0, 1.0, -5.0)
    rasterise(image, near, behind, np.array([RED], dtype=np.uint8))
    assert (image == BLUE).all()  # what is behind the camera is not drawn


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [
        (box(), 1.0),
        (cylinder(), math.pi),
        (cylinder(0.0), math.pi / 3.0),
        (sphere(), 4.0 / 3.0 * math.pi),
    ],
)
def test_shapes_are_closed_and_as_large_as_they_should_be(mesh, volume):
    outwards = mesh - mesh.mean(axis=(0, 1))
    tetrahedra = np.abs(np.linalg.det(outwards)) / 6.0  # of convex shapes, whichever way a triangle turns
    assert tetrahedra.sum() == pytest.approx(volume, rel=0.05)  # round ones have corners


def test_an_arrow_begins_at_the_foot_and_ends_where_the_force_points():
    start, way = np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.0, 0.4])
    along = (arrow(start, way, 0.01) - start) @ way / 0.25
    assert along.min() == pytest.approx(0.0, abs=1e-9)
    assert along.max() == pytest.approx(1.0)


def crawling(mode, force=(0.0, 0.0, 5.0)):
    feet = [{"foot": "foot_1", "mode": mode, "force": list(force), "slip": 0.0}]
    base = [0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0]
    return {"names": ["joint_1", "joint_2"], "position": [1.0, 1.0], "base": base, "feet": feet, "distance": 0.0}


@pytest.mark.parametrize("mode", ["stick", "slip_pos", "slip_neg"])
def test_a_foot_has_the_colour_of_its_mode_where_it_is(mode):
    scene = read_scene(build_urdf(load_robot("three_link")))
    stage = FrameRenderer(scene, [crawling(mode)] * 2, True, 700, 10, "three_link")
    place = Kinematics(scene).at(crawling(mode))["foot_1"][:3, 3]
    column, row, _ = stage.camera(0).project(place)
    shown = np.asarray(stage.render(0, ["0 s"]))[round(float(row)), round(float(column))] / 255.0
    pure = np.array(MODE_COLOURS[mode])
    assert shown / np.linalg.norm(shown) == pytest.approx(pure / np.linalg.norm(pure), abs=0.03)  # in whatever light


def test_a_robot_whose_forces_are_not_known_is_drawn_without_arrows():
    scene = read_scene(build_urdf(load_robot("three_link")))
    with_force, without = (
        np.asarray(FrameRenderer(scene, [crawling("stick", force)], True, 300, 10, "").render(0, []), dtype=int)
        for force in ((0.0, 0.0, 5.0), (None, None, None))
    )
    green = [((image[..., 1] > image[..., 0] + 30) & (image[..., 1] > 60)).sum() for image in (with_force, without)]
    assert green[0] > green[1] > 0


def plain(i):
    return Image.new("RGB", (60, 40), (RED, BLUE, WHITE)[i % 3])


def test_a_gif_has_every_picture_for_its_time_in_its_colours_and_the_same_bytes_again(tmp_path):
    for name in ("a.gif", "b.gif"):
        write_film(6, plain, [RED, BLUE, WHITE], 40, tmp_path / name)
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    with Image.open(tmp_path / "a.gif") as film:
        assert sum(1 for _ in ImageSequence.Iterator(film)) == 6
        assert film.info["loop"] == 0  # for ever
        for i, colour in enumerate([RED, BLUE, WHITE] * 2):
            film.seek(i)
            assert film.info["duration"] == 40
            assert film.convert("RGB").getpixel((30, 20)) == colour


def test_an_interrupted_film_leaves_what_was_there(tmp_path):
    def interrupted(i):
        if i == 4:
            raise KeyboardInterrupt
        return plain(i)

    file = tmp_path / "film.gif"
    file.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        replace_file(file, lambda part: write_film(30, interrupted, [RED], 40, tmp_path / part))
    assert file.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("film.avi", "no suffix of a film"),
        ("film", "no suffix of a film"),
        ("nowhere/film.gif", "there is no such directory"),
        ("film.mp4", "install it, or give a name that ends in .gif"),
    ],
)
def test_a_film_that_cannot_be_made_is_one_sentence(tmp_path, monkeypatch, name, sentence):
    monkeypatch.setenv("PATH", str(tmp_path))  # where no ffmpeg is
    with pytest.raises(UserError, match=sentence):
        check_kind(tmp_path / name)


def test_an_mp4_gets_every_picture_and_a_failure_has_the_message_of_ffmpeg(tmp_path, monkeypatch):
    encoder = tmp_path / "ffmpeg"
    encoder.write_text('#!/bin/sh\nfor last; do :; done\n/bin/cat > "$last"\n')
    encoder.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    write_film(3, plain, [], 40, tmp_path / "film.mp4")
    assert (tmp_path / "film.mp4").read_bytes() == b"".join(plain(i).tobytes() for i in range(3))
    encoder.write_text("#!/bin/sh\necho 'it is Monday' >&2\nexit 1\n")
    with pytest.raises(UserError, match=r"ffmpeg could not write film\.mp4: it is Monday\."):
        write_film(30, plain, [], 40, tmp_path / "film.mp4")
