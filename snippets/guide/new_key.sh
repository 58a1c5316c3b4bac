# --8<-- [start:key]
ssh-keygen -q -t ed25519 -N "" -C "notes on $(hostname)" -f "$KEY" &&
  cat "$KEY.pub"
# --8<-- [end:key]
