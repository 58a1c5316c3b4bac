# --8<-- [start:clone]
git clone --quiet "$REMOTE" restored && cd restored
# --8<-- [end:clone]
# --8<-- [start:build]
SITE_URL=${SITE_URL:?export it first} \
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) make build
# --8<-- [end:build]
# --8<-- [start:compare]
git worktree add --quiet ../published origin/gh-pages &&
  diff -r -x .git -x .nojekyll -x CNAME site ../published &&
  echo "The restored site is the published one."
# --8<-- [end:compare]
