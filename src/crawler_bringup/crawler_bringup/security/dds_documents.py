"""The XML documents of DDS Security: protected topics (governance) and the rights of one enclave (permissions).

In DDS the topic /a is rt/a, and the service /a/b has the topics rq/a/bRequest and rr/a/bReply.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from crawler_bringup.security.enclave import COMMON_TOPICS, ENCLAVES, Enclave
from crawler_nodes.transport.domain_id import MAX_DOMAIN_ID

DISCOVERY = "ros_discovery_info"  # the topic of the ROS graph
DOMAINS = f"<domains><id_range><min>0</min><max>{MAX_DOMAIN_ID}</max></id_range></domains>"
SCHEMA = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_{}.xsd"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

# A reader has its writer's key: only origin authentication prevents it from publishing in the writer's name.
GOVERNANCE = f"""{HEAD}
    xsi:noNamespaceSchemaLocation="{SCHEMA.format("governance")}">
  <domain_access_rules>
    <domain_rule>
      {DOMAINS}
      <allow_unauthenticated_participants>false</allow_unauthenticated_participants>
      <enable_join_access_control>true</enable_join_access_control>
      <discovery_protection_kind>ENCRYPT</discovery_protection_kind>
      <liveliness_protection_kind>ENCRYPT</liveliness_protection_kind>
      <rtps_protection_kind>NONE</rtps_protection_kind>
      <topic_access_rules>
        <topic_rule>
          <topic_expression>*</topic_expression>
          <enable_discovery_protection>true</enable_discovery_protection>
          <enable_liveliness_protection>true</enable_liveliness_protection>
          <enable_read_access_control>true</enable_read_access_control>
          <enable_write_access_control>true</enable_write_access_control>
          <metadata_protection_kind>ENCRYPT_WITH_ORIGIN_AUTHENTICATION</metadata_protection_kind>
          <data_protection_kind>NONE</data_protection_kind>
        </topic_rule>
      </topic_access_rules>
    </domain_rule>
  </domain_access_rules>
</dds>
"""


def permissions(enclave: Enclave, name: str, namespace: str, begin: datetime, end: datetime) -> str:
    """Return the permissions of an enclave whose certificate is for `name`, for the stack in this namespace."""
    prefix = f"/{namespace}" if namespace else ""
    topics = [one if one.startswith("/") else f"{prefix}/{one}" for one in (*COMMON_TOPICS, *enclave.topics)]
    publish = [DISCOVERY, *dict.fromkeys(f"rt{topic}" for topic in topics)]
    subscribe = [DISCOVERY, "rt/*"]
    denied = ""
    if enclave.is_node:
        publish += [f"rr{prefix}/{enclave.name}/*Reply", f"rt{prefix}/{enclave.name}/*"]  # services, private topics
        subscribe.append(f"rq{prefix}/{enclave.name}/*Request")
    else:  # a node of any name, except those of the stack
        publish.append("rr/*Reply")
        subscribe.append("rq/*Request")
        nodes = [one.name for one in ENCLAVES.values() if one.is_node]
        denied = _rule("deny_rule", [f"rr/*{node}/*" for node in nodes], [f"rq/*{node}/*" for node in nodes])
    if enclave.calls_services:
        publish.append("rq/*Request")
        subscribe.append("rr/*Reply")
    rules = denied + _rule("allow_rule", publish, subscribe)
    return f"""{HEAD}
    xsi:noNamespaceSchemaLocation="{SCHEMA.format("permissions")}">
  <permissions>
    <grant name="{name}">
      <subject_name>CN={name}</subject_name>
      <validity>
        <not_before>{begin:%Y-%m-%dT%H:%M:%S}</not_before>
        <not_after>{end:%Y-%m-%dT%H:%M:%S}</not_after>
      </validity>{rules}
      <default>DENY</default>
    </grant>
  </permissions>
</dds>
"""


def _rule(kind: str, publish: Iterable[str], subscribe: Iterable[str]) -> str:
    lines = [f"<{kind}>", f"  {DOMAINS}"]
    for direction, topics in (("publish", publish), ("subscribe", subscribe)):
        lines += [f"  <{direction}>", "    <topics>"]
        lines += [f"      <topic>{topic}</topic>" for topic in topics]
        lines += ["    </topics>", f"  </{direction}>"]
    lines.append(f"</{kind}>")
    return "".join(f"\n      {line}" for line in lines)
