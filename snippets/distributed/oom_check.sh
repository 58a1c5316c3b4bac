# not run: needs a machine that has killed a process, and its log | 需要一台杀过进程的机器，以及读日志的权限
# --8<-- [start:oom]
dmesg -T | grep -i "killed process"   # on the host
cat /sys/fs/cgroup/memory.events      # in a container: oom_kill above 0
# --8<-- [end:oom]
