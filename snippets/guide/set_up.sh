# not run: it downloads packages | 要联网下载软件包
# --8<-- [start:install]
git clone "$REMOTE" notes && cd notes && make .venv/tests
# --8<-- [end:install]
