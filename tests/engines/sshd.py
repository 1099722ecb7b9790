"""An ssh daemon of our own, on this machine, with keys of its own; nobody else's files are touched."""
import os
import pathlib
import socket
import subprocess

from support import LIMIT, kill, wait_until


def free_port():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        return taken.getsockname()[1]


def make_key(file):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True, timeout=LIMIT)
    return pathlib.Path(str(file) + ".pub").read_text().split()[:2]


class Daemon:
    """`variables`: of each session there. Hosts: gpu1 is it, refusing has nobody listen, nowhere is no name."""

    def __init__(self, home, variables):
        self.home = home
        self.port = free_port()
        host_key, key = make_key(home / "host_key"), make_key(home / "key")
        (home / "authorized_keys").write_text(" ".join(key) + "\n")
        (home / "known_hosts").write_text(f"[localhost]:{self.port} {' '.join(host_key)}\n")
        (home / "sshd_config").write_text(f"""Port {self.port}
ListenAddress localhost
AddressFamily inet
HostKey {home}/host_key
PidFile none
AuthorizedKeysFile {home}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PrintMotd no
SetEnv {' '.join(f'{name}={value}' for name, value in variables.items())}
""")
        (home / "ssh_config").write_text(f"""Host refusing
  Port {free_port()}
Host nowhere
  HostName nowhere.invalid
Host *
  HostName localhost
  Port {self.port}
  AddressFamily inet
  IdentityFile {home}/key
  IdentitiesOnly yes
  UserKnownHostsFile {home}/known_hosts
  GlobalKnownHostsFile none
""")
        self.client = f"ssh -F {home}/ssh_config"
        self.start()

    def start(self):
        if os.getuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # of Debian's daemon, for its separation
        self.log = open(self.home / "sshd.log", "a")
        self.process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", str(self.home / "sshd_config")],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        wait_until(lambda: "Server listening" in (self.home / "sshd.log").read_text(), "a daemon", self.process)

    def sessions(self):
        """Pids of the daemon's children: one a connection."""
        found = []
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1]) == self.process.pid:
                    found.append(int(folder.name))
            except (OSError, IndexError):
                continue
        return found

    def cut(self):
        """Ends all connections, as a network would: nobody is told anything."""
        for pid in self.sessions():
            try:
                kill(pid)
            except ProcessLookupError:
                pass

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
