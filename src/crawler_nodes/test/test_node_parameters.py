"""Parameter dataclasses as ROS parameters."""

from dataclasses import dataclass

import pytest
import rclpy
from rclpy.parameter import Parameter

from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_nodes.parameters import NodeParameters


@dataclass(frozen=True)
class Oven:
    """Something with parameters."""

    heat: float = parameter(180.0, unit="C", lower=30.0, upper=300.0, doc="of the air")
    trays: int = parameter(2, lower=1, upper=5, doc="how many are in")
    mode: str = parameter("fan", choices=("fan", "grill"), doc="what is on")
    light: bool = parameter(True, doc="whether the lamp is on")
    gain: float = parameter(1e-4, lower=0.0, upper=1e3, doc="of the heating")
    volume: float = parameter(60.0, unit="l", lower=10.0, upper=100.0, doc="of the oven", constant=True)


@pytest.fixture
def make_node():
    context = rclpy.Context()
    rclpy.init(context=context, args=[])
    nodes = []

    def make(*arguments, **overrides):
        node = rclpy.create_node(
            "oven",
            context=context,
            cli_args=["--ros-args", *arguments] if arguments else None,
            parameter_overrides=[Parameter(name, value=value) for name, value in overrides.items()],
        )
        nodes.append(node)
        return node

    yield make
    for node in nodes:
        node.destroy_node()
    context.try_shutdown()


def test_values_come_from_the_command_line_over_the_given_defaults_over_those_of_the_class(make_node):
    node = make_node("-p", "heat:=200.0")
    oven = NodeParameters(node).declare(Oven, {"heat": 100.0, "trays": 3})
    assert oven == Oven(heat=200.0, trays=3)


def test_a_whole_number_is_accepted_where_a_float_is_meant(make_node):
    node = make_node("-p", "heat:=200")
    changes: list[Oven] = []
    oven = NodeParameters(node).declare(Oven, on_change=changes.append)
    assert isinstance(oven.heat, float)
    assert oven.heat == 200.0
    assert node.set_parameters([Parameter("heat", value=210)])[0].successful
    assert node.get_parameter("heat").type_ is Parameter.Type.DOUBLE
    assert changes == [Oven(heat=210.0)]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("heat", 400.0, "oven.heat = 400.0 is not allowed: it must be 30 to 300 C."),
        ("heat", float("nan"), "oven.heat = nan is not allowed: it must be 30 to 300 C."),
        ("heat", "hot", "oven.heat = 'hot' is not allowed: it must be 30 to 300 C."),
        ("trays", 2.5, "oven.trays = 2.5 is not allowed: it must be a whole number, 1 to 5."),
        ("mode", "steam", "oven.mode = 'steam' is not allowed: it must be one of fan, grill."),
        ("light", 1, "oven.light = 1 is not allowed: it must be true or false."),
    ],
)
def test_a_bad_value_is_refused_with_a_sentence_at_the_start_and_on_change(make_node, name, value, sentence):
    with pytest.raises(UserError) as refused:
        NodeParameters(make_node(**{name: value})).declare(Oven)
    assert str(refused.value) == sentence
    node = make_node()
    changes: list[Oven] = []
    NodeParameters(node).declare(Oven, on_change=changes.append)
    result = node.set_parameters([Parameter(name, value=value)])[0]
    assert not result.successful
    assert result.reason == sentence
    assert node.get_parameter(name).value == getattr(Oven(), name)
    assert changes == []


def test_a_set_of_several_is_refused_as_a_whole(make_node):
    node = make_node()
    changes: list[Oven] = []
    NodeParameters(node).declare(Oven, on_change=changes.append)
    result = node.set_parameters_atomically([Parameter("heat", value=200.0), Parameter("trays", value=9)])
    assert "oven.trays = 9" in result.reason
    assert node.get_parameter("heat").value == 180.0
    assert changes == []


def test_what_the_check_refuses_is_refused(make_node):
    def too_bright(oven):
        if oven.light and oven.mode == "grill":
            raise UserError("the lamp would melt.")
        return oven

    node = make_node()
    changes: list[Oven] = []
    NodeParameters(node).declare(Oven, make=too_bright, on_change=changes.append)
    assert node.set_parameters([Parameter("mode", value="grill")])[0].reason == "the lamp would melt."
    assert node.set_parameters([Parameter("light", value=False)])[0].successful
    assert node.set_parameters([Parameter("mode", value="grill")])[0].successful
    assert changes == [Oven(light=False), Oven(light=False, mode="grill")]


def test_a_constant_cannot_be_set_and_a_parameter_cannot_be_unset(make_node):
    node = make_node()
    NodeParameters(node).declare(Oven)
    assert "read-only" in node.set_parameters([Parameter("volume", value=50.0)])[0].reason
    assert "oven.heat = None" in node.set_parameters([Parameter("heat")])[0].reason


def test_the_descriptor_says_meaning_unit_and_range(make_node):
    node = make_node()
    NodeParameters(node).declare(Oven)
    heat = node.describe_parameter("heat")
    assert (heat.description, heat.additional_constraints, heat.read_only) == ("of the air [C]", "30 to 300 C", False)
    assert [(one.from_value, one.to_value) for one in heat.floating_point_range] == [(30.0, 300.0)]
    assert node.describe_parameter("gain").additional_constraints == "0 to 1000; usual range 0 to 0.0004"
    trays = node.describe_parameter("trays")
    assert [(one.from_value, one.to_value) for one in trays.integer_range] == [(1, 5)]
    assert not heat.dynamic_typing
    assert not trays.dynamic_typing
    assert not node.describe_parameter("mode").floating_point_range
    assert node.describe_parameter("volume").read_only


def test_a_name_that_nobody_declared_is_refused_with_the_nearest_one(make_node):
    node = make_node("-p", "heet:=200.0", "-p", "use_sim_time:=true")
    parameters = NodeParameters(node)
    parameters.declare(Oven)
    with pytest.raises(UserError, match=r"there is no parameter 'oven\.heet': did you mean 'oven\.heat'\?"):
        parameters.reject_unknown(section="oven")
    refuse_nothing = make_node("-p", "heat:=200.0", "-p", "use_sim_time:=true")
    parameters = NodeParameters(refuse_nothing)
    parameters.declare(Oven)
    parameters.reject_unknown(section="oven")


@pytest.mark.parametrize("simulated", [True, False])
def test_a_node_keeps_the_time_with_which_it_started(make_node, simulated):
    node = make_node(use_sim_time=simulated)
    parameters = NodeParameters(node)
    parameters.declare(Oven)
    parameters.reject_unknown(section="oven")
    listening = len(list(node.subscriptions))
    (result,) = node.set_parameters([Parameter("use_sim_time", value=not simulated)])
    assert not result.successful
    assert "start the node again" in result.reason
    assert node.get_parameter("use_sim_time").value is simulated
    assert len(list(node.subscriptions)) == listening  # nor is there a second ear for the clock


def test_two_sets_of_parameters_share_a_node_under_a_prefix(make_node):
    node = make_node("-p", "upper.heat:=250.0", "-p", "upper.heatt:=1.0")
    changes: list[Oven] = []
    parameters = NodeParameters(node)
    lower = parameters.declare(Oven)
    upper = parameters.declare(Oven, prefix="upper.", on_change=changes.append)
    assert (lower.heat, upper.heat) == (180.0, 250.0)
    assert "oven.upper.heat = 1.0" in node.set_parameters([Parameter("upper.heat", value=1.0)])[0].reason
    node.set_parameters([Parameter("heat", value=200.0)])
    assert changes == []
    with pytest.raises(UserError, match=r"did you mean 'oven\.upper\.heat'"):
        parameters.reject_unknown(section="oven")
