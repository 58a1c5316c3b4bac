# A theme that was cloned inside the blog's repository, then "committed".
# --8<-- [start:setup]
cd "$(mktemp -d)" && git init --quiet theme && git init --quiet blog &&
  echo "body { color: black }" > theme/style.css &&
  git -C theme add style.css &&
  git -C theme commit --quiet --message "Theme"
# --8<-- [end:setup]

# --8<-- [start:main]
git clone --quiet theme blog/themes/plain
git -C blog add themes 2>&1 | grep warning
git -C blog commit --quiet --message "Add the theme"
git -C blog ls-files --stage themes | cut -d " " -f 1

git clone --quiet blog copy
ls -A copy/themes/plain | wc -l
git -C copy submodule update --init
# --8<-- [end:main]
