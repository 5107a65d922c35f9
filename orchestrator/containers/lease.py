"""The stdin lease: a container lives only as long as the client that started it stays attached.

A killed client leaves its container running, since the engine knows nothing of clients.  So the
client keeps standard input attached and writes nothing to it; when the client goes away, however
it ends, the engine closes that input and the watcher below ends the container.
"""

from __future__ import annotations

from collections.abc import Sequence

# POSIX sh, built-ins only, so that every image with /bin/sh can run it.  The command takes the
# place of the shell (exec) and so hands on its own exit status and receives signals itself.  The
# watcher is started from a subshell that ends at once: its parent becomes the container's init, and
# the command never meets a child that it did not start.  When the watcher kills the command, init
# ends too and the kernel kills everything in the container's process id namespace, the command's
# whole group and what has left it alike.  The watcher keeps the output streams open, so that the
# client's attachment (and with it the lease) lasts even if the command closes its own.
_SCRIPT = """\
exec 3<&0 </dev/null
( { while read -r _; do :; done; kill -s KILL $$; } <&3 & )
exec 3<&- "$@"
"""


def leased(command: Sequence[str]) -> tuple[list[str], list[str]]:
    """Entry point and arguments that run `command` under the lease, by an init as process 1."""
    return ["/bin/sh", "-c", _SCRIPT, "lease"], list(command)
