# not run: it downloads five packages (6 MB) | 要下载五个安装包（6 MB）
# --8<-- [start:make]
pip download --no-deps --dest wheels tensorrt-bindings==8.6.1
for version in 10.0.1 10.16.1.11 11.0.0.114 11.4.0.106; do
  pip download --no-deps --dest wheels tensorrt-cu12-bindings==$version
done
python snippets/deployment/make_api_table.py wheels
# --8<-- [end:make]
