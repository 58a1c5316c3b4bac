# Two machines in one: two network namespaces, joined by a virtual cable.
# It takes root, and `ip` (Debian and Ubuntu: apt install iproute2).
# --8<-- [start:cable]
set -euo pipefail
node0=node0-$$ node1=node1-$$  # names for this run alone
trap 'wait; ip netns delete $node0; ip netns delete $node1' EXIT
ip netns add $node0
ip netns add $node1
ip -n $node0 link add eth0 type veth peer name eth0 netns $node1
ip -n $node0 address add 10.0.0.1/24 dev eth0
ip -n $node1 address add 10.0.0.2/24 dev eth0
for node in $node0 $node1; do
  ip -n $node link set lo up
  ip -n $node link set eth0 up
done
# --8<-- [end:cable]

# --8<-- [start:run]
export GLOO_SOCKET_IFNAME=eth0 TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
same="--nnodes=2 --nproc-per-node=1 --max-restarts=3
  --rdzv-backend=c10d --rdzv-endpoint=10.0.0.1:29400 --rdzv-id=job1"
limit="timeout --foreground --kill-after=10 300"

ip netns exec $node0 $limit torchrun $same \
  --rdzv-conf=is_host=1 --local-addr=10.0.0.1 elastic_train.py "$@" &
ip netns exec $node1 $limit torchrun $same \
  --local-addr=10.0.0.2 elastic_train.py "$@"
wait $!
# --8<-- [end:run]
