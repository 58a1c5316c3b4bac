# A theme that was cloned inside the blog's repository, then "committed".
# --8<-- [start:setup]
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@localhost
export GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@localhost
git init --quiet theme
echo "body { color: black }" > theme/style.css
git -C theme add style.css
git -C theme commit --quiet --message "Theme"
git init --quiet blog
# --8<-- [end:setup]

# --8<-- [start:main]
git clone --quiet theme blog/themes/plain
cd blog
git add themes 2>&1 | grep warning
git commit --quiet --message "Add the theme"
git ls-files --stage themes | cut -d " " -f 1
cd ..

git clone --quiet blog copy
ls -A copy/themes/plain | wc -l
git -C copy submodule update --init
# --8<-- [end:main]
