# --8<-- [start:publish]
SITE_URL=${SITE_URL:?export it first} \
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) make build &&
  .venv/bin/ghp-import --no-jekyll --no-history --force --push site
# --8<-- [end:publish]
