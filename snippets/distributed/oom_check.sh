# not run: needs a machine that has killed a process, and its log | 需要一台杀过进程的机器，以及读日志的权限
# --8<-- [start:oom]
sudo dmesg -T | grep -i "killed process"     # on the host
grep oom_kill /sys/fs/cgroup/memory.events   # container, cgroup v2
grep oom_kill /sys/fs/cgroup/memory/memory.oom_control  # v1
# --8<-- [end:oom]
