# not run: it downloads packages | 要联网下载软件包
# --8<-- [start:update]
python3 -m venv fresh &&
  fresh/bin/pip install mkdocs mkdocs-material mkdocs-jupyter math-core jieba &&
  { grep "^#" requirements-site.txt && fresh/bin/pip freeze; } > fresh/lock &&
  mv fresh/lock requirements-site.txt &&
  rm -r fresh &&
  make test &&
  git diff --unified=0 requirements-site.txt
# --8<-- [end:update]
