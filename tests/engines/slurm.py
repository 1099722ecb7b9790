"""Slurm on this machine alone: its daemons with our configuration, key and folder, ended with the object."""
import getpass
import os
import pathlib
import socket
import subprocess

from support import LIMIT, wait_until

PROGRAMS = ("srun", "sinfo", "/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged")


def free_port():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        return taken.getsockname()[1]


class Slurm:
    def __init__(self, home, cpus):
        home = pathlib.Path(home)
        self.processes = []
        for folder in ("state", "spool", "munge"):
            (home / folder).mkdir()
        home.chmod(0o755)  # munged asks for a way that others can follow
        key = home / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        host, user = socket.gethostname().split(".")[0], getpass.getuser()
        (home / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(localhost)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={home}/munge/socket
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=localhost CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = {"SLURM_CONF": str(home / "slurm.conf")}
        self.home = home
        try:
            self.start("/usr/sbin/munged", "--foreground", "--force", f"--key-file={key}",
                       f"--socket={home}/munge/socket", f"--pid-file={home}/munge/pid",
                       f"--log-file={home}/munge.log", f"--seed-file={home}/munge/seed")
            wait_until((home / "munge" / "socket").exists, "munge's socket", self.processes[-1])
            self.start("/usr/sbin/slurmctld", "-D")
            self.start("/usr/sbin/slurmd", "-D", "-N", host)
            wait_until(self.is_idle, "a node that takes work", self.processes[-1])
        except BaseException:
            for log in sorted(home.glob("*.log")):
                print(f"{log.name}:\n{log.read_text()[-4000:]}")
            self.stop()
            raise

    def start(self, *command):
        self.processes.append(subprocess.Popen(command, env=dict(os.environ, **self.environment),
                                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL))

    def is_idle(self):
        said = subprocess.run(["sinfo", "-h", "-o", "%T"], env=dict(os.environ, **self.environment),
                              capture_output=True, text=True, timeout=LIMIT)
        return said.stdout.strip() == "idle"

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
