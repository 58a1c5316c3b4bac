# not run: it downloads packages | 要联网下载软件包
# --8<-- [start:update]
python3 -m venv fresh &&
  fresh/bin/pip install mkdocs mkdocs-material math-core jieba &&
  fresh/bin/pip freeze > requirements-site.txt &&
  rm -r fresh &&
  make test &&
  git diff --stat requirements-site.txt
# --8<-- [end:update]
