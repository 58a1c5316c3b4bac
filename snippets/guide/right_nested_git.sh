# The same theme as a submodule: the blog records where it comes from.
# --8<-- [start:setup]
cd "$(mktemp -d)" && git init --quiet theme && git init --quiet blog &&
  echo "body { color: black }" > theme/style.css &&
  git -C theme add style.css &&
  git -C theme commit --quiet --message "Theme"
# --8<-- [end:setup]

# --8<-- [start:main]
git -C blog -c protocol.file.allow=always submodule --quiet add \
  "$PWD/theme" themes/plain
git -C blog commit --quiet --message "Add the theme"
git -C blog ls-files --stage themes | cut -d " " -f 1

git -c protocol.file.allow=always clone --quiet \
  --recurse-submodules blog copy
ls -A copy/themes/plain
cat copy/themes/plain/style.css
# --8<-- [end:main]
