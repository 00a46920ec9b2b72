"""The XML that DDS Security reads: what is protected (governance), and what one enclave may do (permissions).

In DDS a topic /a is rt/a, and a service /a/b has the topics rq/a/bRequest and rr/a/bReply.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from crawler_bringup.security.enclave import ENCLAVES, EVERY_NODE, Enclave
from crawler_nodes.transport.domain_id import MAX_DOMAIN_ID

DISCOVERY = "ros_discovery_info"  # where ROS tells its graph
DOMAINS = f"<domains><id_range><min>0</min><max>{MAX_DOMAIN_ID}</max></id_range></domains>"
SCHEMA = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_{}.xsd"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

# The origin of each message is authenticated: a reader has its writer's key, and could write in its name without that.
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


def permissions(member: Enclave, enclave: str, namespace: str, begin: datetime, end: datetime) -> str:
    """The permissions of a member whose certificate is for ``enclave``, in the ring of this namespace."""
    prefix = f"/{namespace}" if namespace else ""
    topics = [f"rt{name if name.startswith('/') else f'{prefix}/{name}'}" for name in (*EVERY_NODE, *member.topics)]
    answers = f"rr{prefix}/{member.name}/*Reply" if member.node else "rr/*Reply"
    questions = f"rq{prefix}/{member.name}/*Request" if member.node else "rq/*Request"
    publish = [DISCOVERY, *dict.fromkeys(topics), answers]
    subscribe = [DISCOVERY, "rt/*", questions]
    if member.node:
        publish.append(f"rt{prefix}/{member.name}/*")  # its private ones, ~/...
    if member.calls:
        publish.append("rq/*Request")
        subscribe.append("rr/*Reply")
    rules = [_rule("allow_rule", publish, subscribe)]
    if not member.node:  # whose own nodes may have any name but those of a ring's
        taken = [one.name for one in ENCLAVES.values() if one.node]
        rules.insert(0, _rule("deny_rule", [f"rr/*{name}/*" for name in taken], [f"rq/*{name}/*" for name in taken]))
    return f"""{HEAD}
    xsi:noNamespaceSchemaLocation="{SCHEMA.format("permissions")}">
  <permissions>
    <grant name="{enclave}">
      <subject_name>CN={enclave}</subject_name>
      <validity>
        <not_before>{begin:%Y-%m-%dT%H:%M:%S}</not_before>
        <not_after>{end:%Y-%m-%dT%H:%M:%S}</not_after>
      </validity>{"".join(rules)}
      <default>DENY</default>
    </grant>
  </permissions>
</dds>
"""


def _rule(kind: str, publish: Iterable[str], subscribe: Iterable[str]) -> str:
    lines = [f"<{kind}>", f"  {DOMAINS}"]
    for how, topics in (("publish", publish), ("subscribe", subscribe)):
        lines += [f"  <{how}>", "    <topics>"]
        lines += [f"      <topic>{topic}</topic>" for topic in topics]
        lines += ["    </topics>", f"  </{how}>"]
    lines.append(f"</{kind}>")
    return "".join(f"\n      {line}" for line in lines)
