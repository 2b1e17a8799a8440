#!/bin/sh
# Makes .peers: a Node, the MCP programs that tests/peers runs and the frameworks that tests/docs runs, from
# peers.txt and peers/package-lock.json.
# Without it those tests are skipped; with `SANDGATE_REQUIRE=peers` they fail instead.
set -u
cd "$(dirname "$(readlink -f "$0")")/.." || exit 125
sandgate_launch_root=$PWD
. requirements/environment.sh
sandgate_launch_python || exit 125
exec "$sandgate_launch_found" -IB requirements/environment.py peers "$PWD" "$PWD/.peers" "" </dev/null
