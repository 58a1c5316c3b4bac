# --8<-- [start:build]
export SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
make build
# --8<-- [end:build]
# --8<-- [start:push]
.venv/bin/ghp-import --no-jekyll --no-history --force --push site
# --8<-- [end:push]
