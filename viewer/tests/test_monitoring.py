# SPDX-License-Identifier: GPL-2.0-only
"""The dashboard and the alerts of monitoring/: their form, and every expression on a Prometheus server that scrapes four hosts."""

from __future__ import annotations

import itertools
import json
import math
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import check_palette
import naive_zones

HERE = Path(__file__).resolve().parent
VIEW = HERE.parent / "fragtrace"
MONITORING = HERE.parent / "monitoring"
DASHBOARD = json.loads((MONITORING / "fragtrace-dashboard.json").read_text(encoding="utf-8"))
ALERTS = (MONITORING / "fragtrace-alerts.yml").read_text(encoding="utf-8")
ALERT_TESTS = (MONITORING / "fragtrace-alerts.test.yml").read_text(encoding="utf-8")
ADVICE = (HERE.parent / "src/model/advice.c").read_text(encoding="utf-8")
CAUSES = (HERE.parent.parent / "module/format/cause.h").read_text(encoding="utf-8")
# What the module counts; the names of its parameters and files.
COUNTS = ("discards", "latency", "ledger", "gc_runs")
# Panels, without the headings of rows.
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
METRIC = re.compile(r"\bfragtrace_[a-z0-9_]+")
# Grafana's backgrounds, dark and light.
BACKGROUNDS = (0x181B1F, 0xFFFFFF)
# Of Grafana's colour scales, those that differ in lightness, too.
SCALES = {"continuous-YlBl"}


# === Hosts ===

def metrics_of(*arguments: object) -> str:
    """What fragtrace exports."""
    return subprocess.run([VIEW, "metrics", *map(str, arguments)], capture_output=True, check=True,
                          text=True).stdout


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Four hosts: with F2FS's state, all that the module counts, and little free space; with causes, read long ago; with two volumes; with zones."""
    folder = tmp_path_factory.mktemp("hosts")
    # a table without a time has that of its file
    for name in "f2fs-6.12/table", "two.table":
        (folder / Path(name).name).write_bytes((HERE / "data" / name).read_bytes())
    snapshot = subprocess.run([sys.executable, HERE / "to_snapshot.py", HERE / "data/why.table"], capture_output=True,
                              check=True).stdout
    (folder / "snapshot").write_bytes(snapshot)
    zoned = folder / "zoned"
    naive_zones.make(zoned, 1)
    for name in COUNTS:
        (folder / name).write_bytes((HERE / f"data/{name}.txt").read_bytes().replace(b"\n253:0 ", b"\n254:0 "))
    full = metrics_of("-t", folder / "table", "--f2fs-state", HERE / "data/f2fs-6.12")
    for name in COUNTS:
        (folder / name).unlink()
    return {"full": full,
            "old": metrics_of("-t", folder / "snapshot"),
            "two": metrics_of("-t", folder / "two.table"),
            "zoned": metrics_of("-t", zoned / "table", "--f2fs-state", zoned)}


# === The form of the dashboard ===

def targets() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each panel with each of its queries."""
    for panel in PANELS:
        for target in panel["targets"]:
            yield panel, target


def test_panels_are_complete() -> None:
    names = [panel["title"] for panel in DASHBOARD["panels"]]
    numbers = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(names)) == len(names) and len(set(numbers)) == len(numbers)
    for panel in PANELS:
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}, panel["title"]
        references = [target["refId"] for target in panel["targets"]]
        assert references and len(set(references)) == len(references), panel["title"]


def test_panels_do_not_overlap() -> None:
    cells: dict[tuple[int, int], str] = {}
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24, panel["title"]
        for x, y in itertools.product(range(at["w"]), range(at["h"])):
            other = cells.setdefault((at["x"] + x, at["y"] + y), panel["title"])
            assert other == panel["title"], f"{panel['title']} lies on {other}"
    width = max(y for _, y in cells) + 1
    assert len(cells) == 24 * width, "there are gaps between panels"


def test_variables_are_defined_and_used() -> None:
    defined = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z]+)", json.dumps(DASHBOARD)))
    assert defined == used == {"datasource", "host", "volume"}
    for panel, target in targets():
        for selector in re.findall(r"fragtrace_[a-z0-9_]+(\{[^}]*\})?", target["expr"]):
            assert 'instance=~"$host"' in selector, f"{panel['title']}: {target['expr']}"
        for metric in re.findall(r"(fragtrace_[a-z0-9_]+)\{[^}]*mountpoint=~\"\$volume\"", target["expr"]):
            assert metric not in ("fragtrace_stale_files", "fragtrace_table_timestamp_seconds"), panel["title"]


def colours(value: object) -> set[int]:
    """All colours in a part of the dashboard."""
    return {int(c, 16) for c in re.findall(r'"#([0-9a-f]{6})"', json.dumps(value))}


def test_colours_can_be_told_apart() -> None:
    for panel in PANELS:
        found = colours(panel["fieldConfig"])
        assert not re.search(r'"(?:dark-|light-|semi-dark-)?(?:red|green|yellow|blue|orange|purple)"', json.dumps(panel))
        for mode in re.findall(r'"mode": "((?:continuous|palette|shades)[^"]*)"', json.dumps(panel["fieldConfig"])):
            assert mode in SCALES, f"{panel['title']}: {mode}"
        for vision in check_palette.VISIONS:
            pairs = list(itertools.chain(itertools.combinations(sorted(found), 2),
                                         itertools.product(found, BACKGROUNDS)))
            if pairs:
                least, pair = check_palette.nearest([*found, *BACKGROUNDS], pairs, vision)
                assert least >= check_palette.LEAST_DISTANCE, f"{panel['title']}: {vision}: {least:.1f} ({pair})"


def coloured(title: str) -> set[str]:
    """The series of a panel that have a colour of their own."""
    panel, = (panel for panel in PANELS if panel["title"] == title)
    return {override["matcher"]["options"] for override in panel["fieldConfig"]["overrides"]}


def words(macro: str) -> set[str]:
    """The words of an array in cause.h."""
    found = re.search(rf"#define {macro}\s((?:.*\\\n)*.*)", CAUSES)
    assert found, macro
    return set(re.findall(r'"([a-z_]+)"', found[1]))


def test_every_value_of_a_label_has_a_colour(hosts: dict[str, str]) -> None:
    assert coloured("Breaks by operation") == words("FT_OP_NAMES")
    assert coloured("Breaks by reason") == words("FT_WHY_NAMES") - {"none"}
    assert coloured("Breaks by advice") == set(re.findall(r'^\t\[ADVICE_[A-Z]+\] = "([a-z_]+)",$', ADVICE, re.MULTILINE)) != set()
    states = set(re.findall(r'fragtrace_f2fs_segments\{.*state="([a-z]+)"', hosts["full"]))
    assert coloured("Segments") == states | {"empty"}
    types = set(re.findall(r'fragtrace_f2fs_valid_bytes\{.*type="([a-z_]+)"', hosts["full"]))
    assert coloured("Valid blocks") == coloured("SSR room") == types
    assert coloured("Zones by condition") == set(re.findall(r'fragtrace_zones\{.*condition="([a-z-]+)"', hosts["zoned"]))
    assert coloured("Blocks of zones") == set(re.findall(r'fragtrace_zone_bytes\{.*state="([a-z]+)"', hosts["zoned"]))
    for title in "Free space by length of run", "Dirty segments by valid blocks":
        panel, = (panel for panel in PANELS if panel["title"] == title)
        assert coloured(title) == {target["legendFormat"] for target in panel["targets"]}


def test_metrics_are_those_of_the_viewer(hosts: dict[str, str]) -> None:
    exported = set(re.findall(r"^# TYPE (\S+) (?:gauge|counter)$", "".join(hosts.values()), re.MULTILINE))
    shown = set(METRIC.findall(json.dumps([PANELS, DASHBOARD["templating"]])))
    assert shown == exported
    rules = re.sub(r"^\s*#.*|fragtrace_\w+\.prom", "", ALERTS + ALERT_TESTS, flags=re.MULTILINE)
    assert set(METRIC.findall(rules)) <= exported


# === Alerts ===

def promtool(*arguments: object, **kwargs: Any) -> str:
    """Run promtool, which has to succeed; the test is skipped if there is none."""
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed")
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, check=False, **kwargs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def alerts() -> list[str]:
    """The names of all alerts."""
    return re.findall(r"^ +- alert: (\w+)$", ALERTS, re.MULTILINE)


def test_metrics_are_clean(hosts: dict[str, str]) -> None:
    for text in hosts.values():
        assert promtool("check", "metrics", input=text) == ""


def test_rules_are_valid() -> None:
    assert f"{len(alerts())} rules found" in promtool("check", "rules", MONITORING / "fragtrace-alerts.yml")


def test_rules_fire_and_do_not_fire() -> None:
    promtool("test", "rules", MONITORING / "fragtrace-alerts.test.yml")


def test_every_alert_is_complete_and_tested() -> None:
    for name, rule in re.findall(r"- alert: (\w+)\n(.*?)(?=\n\n|\Z)", ALERTS, re.DOTALL):
        for key in "for", "severity", "summary", "description", "runbook":
            assert re.search(rf"^ +{key}: ", rule, re.MULTILINE), f"{name} has no {key}"
        assert re.search(rf"alertname: {name}\n +exp_alerts:\n", ALERT_TESTS), f"no test has {name} fire"
        assert re.search(rf"alertname: {name}\n(?! +exp_alerts:)", ALERT_TESTS), f"no test has {name} not fire"


# === A server ===

class Exporter(BaseHTTPRequestHandler):
    """Serves the metrics of the host that the path names; counters grow by a millionth with each answer."""

    texts: dict[str, str] = {}
    answers = itertools.count()

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        """Answer a scrape."""
        more = 1 + next(self.answers) / 1e6
        text = re.sub(r"^(\w+_total\{.*\}) (\S+)$", lambda line: f"{line[1]} {float(line[2]) * more}", self.texts[self.path.strip("/")], flags=re.MULTILINE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:  # pylint: disable=redefined-builtin
        """Print nothing."""


# What is pending as soon as all hosts were scraped, and all rules evaluated after that.
EVALUATED = {("FragtraceNotRead", "old"), ("FragtraceFillsHoles", "full"), ("FragtraceFillsHoles", "zoned"), ("FragtraceZonesDiffer", "zoned")}


class Server:
    """The HTTP API of a Prometheus server."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/api/v1/"

    def get(self, path: str, **arguments: str) -> Any:
        """The data of an answer."""
        # the proxy of the environment is not for this machine
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + path + "?" + urllib.parse.urlencode(arguments), timeout=30) as answer:
            return json.load(answer)["data"]

    def query(self, expr: str) -> list[dict[str, Any]]:
        """The samples of an expression now."""
        return self.get("query", query=expr)["result"]

    def rules(self) -> dict[str, dict[str, Any]]:
        """All alerts by name."""
        return {rule["name"]: rule for group in self.get("rules")["groups"] for rule in group["rules"]}

    def pending(self) -> set[tuple[str, str]]:
        """All alerts that are pending, with their hosts."""
        return {(name, alert["labels"]["instance"]) for name, rule in self.rules().items() for alert in rule["alerts"]}

    def is_ready(self) -> bool:
        """Whether each host was scraped, and each rule evaluated after that."""
        try:
            return len(self.query("fragtrace_table_timestamp_seconds")) == 4 and self.pending() >= EVALUATED \
                and self.query("rate(fragtrace_gc_runs_total[1h]) > 0") != []
        except OSError:
            return False


CONFIG = """
global: {{ scrape_interval: 1s, evaluation_interval: 1s }}
rule_files: [ {rules} ]
scrape_configs:
"""
JOB = """
  - job_name: {host}
    metrics_path: /{host}
    static_configs: [ {{ targets: [ "127.0.0.1:{port}" ], labels: {{ instance: {host}, job: node }} }} ]
"""


@pytest.fixture(scope="module")
def server(hosts: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Prometheus server that scrapes the four hosts and evaluates the alerts."""
    if not shutil.which("prometheus"):
        pytest.skip("prometheus is not installed")
    folder = tmp_path_factory.mktemp("prometheus")
    Exporter.texts = hosts
    exporter = ThreadingHTTPServer(("127.0.0.1", 0), Exporter)
    threading.Thread(target=exporter.serve_forever, daemon=True).start()
    config = CONFIG.format(rules=MONITORING / "fragtrace-alerts.yml")
    config += "".join(JOB.format(host=host, port=exporter.server_port) for host in hosts)
    (folder / "prometheus.yml").write_text(config, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with open(folder / "log", "w+", encoding="utf-8") as log:
        with subprocess.Popen(["prometheus", f"--config.file={folder}/prometheus.yml",
                               f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"],
                              stdout=log, stderr=log) as process:
            try:
                api = Server(port)
                end = time.monotonic() + 60
                while not api.is_ready():
                    if process.poll() is not None or time.monotonic() > end:
                        log.seek(0)
                        pytest.fail(f"Prometheus is not ready: {log.read()}")
                    time.sleep(0.2)
                yield api
            finally:
                process.terminate()
    exporter.shutdown()


def with_variables(expr: str, host: str = ".+", volume: str = ".+") -> str:
    """An expression as Grafana sends it."""
    return expr.replace("$host", host).replace("$volume", volume)


def test_every_expression_has_data(server: Server) -> None:
    now = time.time()
    for panel, target in targets():
        name = f"{panel['title']}: {target['expr']}"
        expr = with_variables(target["expr"])
        samples = server.query(expr)
        assert samples, f"no data: {name}"
        for sample in samples:
            assert math.isfinite(float(sample["value"][1])), f"{name}: {sample}"
            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                assert label in sample["metric"], f"{name}: no label {label}"
        drawn = server.get("query_range", query=expr, start=str(now - 60), end=str(now + 1), step="1")["result"]
        assert drawn, f"no data over time: {name}"


def test_variables_have_values_and_select(server: Server) -> None:
    values = {}
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] != "query":
            continue
        found = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"])
        assert found and variable["query"]["query"] == variable["definition"]
        values[variable["name"]] = server.get(f"label/{found[2]}/values", **{"match[]": with_variables(found[1])})
    assert values == {"host": ["full", "old", "two", "zoned"], "volume": ["/m", "/mnt", "/mnt/a", "/mnt/f2fs", "/mnt/my disk"]}
    for panel, target in targets():
        for sample in server.query(with_variables(target["expr"], "two", "/mnt/a|/mnt/my disk")):
            assert sample["metric"].get("instance", "two") == "two", panel["title"]
            assert sample["metric"].get("mountpoint", "/mnt/a") in ("/mnt/a", "/mnt/my disk"), panel["title"]


def test_figures_are_right(server: Server) -> None:
    def value(title: str, host: str = ".+") -> float:
        panel, = (panel for panel in PANELS if panel["title"] == title)
        sample, = server.query(with_variables(panel["targets"][0]["expr"], host))
        return float(sample["value"][1])

    def per(title: str, label: str) -> dict[str, float]:
        panel, = (panel for panel in PANELS if panel["title"] == title)
        return {sample["metric"][label]: float(sample["value"][1]) for sample in server.query(with_variables(panel["targets"][0]["expr"]))}
    assert value("Volumes") == 5
    assert value("Worst split factor", "full|old|two") == pytest.approx(16 / 7)
    assert value("Extra requests", "full|old") == 10
    assert value("Share of fragmented files", "full") == pytest.approx(1 / 78)
    assert value("Stale files") == 0
    assert value("Oldest reading") > 1e7 and value("Oldest reading", "full|two") < 600
    assert value("Free segments per reserved segment", "full") == pytest.approx(25 / 16)
    assert value("Cost of garbage collection", "full") == pytest.approx(237 / 512)
    assert value("Share of waiting that breaks cost") == pytest.approx(4.122141908 / 6.119518009)
    assert value("Price of an extra request") == pytest.approx(4.122141908 / 288, rel=0.01)
    assert value("Write amplification") == pytest.approx(1069056 / (425984 + 32768 + 204800))
    assert per("Victims beside the best", "reason") == pytest.approx({"idle": 4096 / 960, "writer": 1024 / 96})
    assert per("Sections freed by a collection", "reason") == pytest.approx({"idle": 0, "writer": 11 / 7})
    stopped = per("Processes that collections stop", "how")
    assert stopped["own"] / stopped["lock"] == pytest.approx(3.2 / 0.9)


def test_columns_of_tables_are_there(server: Server) -> None:
    for panel in PANELS:
        if panel["type"] != "table":
            continue
        references = [target["refId"] for target in panel["targets"]]
        columns = {"Time"} | ({f"Value #{ref}" for ref in references} if len(references) > 1 else {"Value"})
        for target in panel["targets"]:
            columns |= set().union(*(sample["metric"] for sample in server.query(with_variables(target["expr"]))))
        organize = panel["transformations"][-1]["options"]
        names = organize["renameByName"]
        assert set(names) | set(organize["excludeByName"]) == columns, panel["title"]
        for override in panel["fieldConfig"]["overrides"]:
            assert override["matcher"]["options"] in names.values(), panel["title"]
        assert panel["options"]["sortBy"][0]["displayName"] in names.values(), panel["title"]


def test_alerts_are_evaluated(server: Server) -> None:
    rules = server.rules()
    assert list(rules) == alerts()
    for name, rule in rules.items():
        assert rule["health"] == "ok", f"{name}: {rule.get('lastError')}"
    assert server.pending() == EVALUATED
    annotation, = DASHBOARD["annotations"]["list"]
    assert len(server.query(with_variables(annotation["expr"]).replace("firing", "pending"))) == 4
