# The same theme as a submodule: the blog records where it comes from.
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
export GIT_ALLOW_PROTOCOL=file  # only because this theme is a folder
cd blog
git submodule --quiet add "$PWD/../theme" themes/plain
git commit --quiet --message "Add the theme"
git ls-files --stage themes | cut -d " " -f 1
cd ..

git clone --quiet --recurse-submodules blog copy
ls -A copy/themes/plain
cat copy/themes/plain/style.css
# --8<-- [end:main]
