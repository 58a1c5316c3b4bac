"""new_key.sh: an ed25519 key, and how short it is beside RSA."""

import shutil

import pytest

SNIPPETS = ["guide/new_key.sh"]


@pytest.mark.claim(
    zh="生成 ed25519 密钥；公钥正文 68 个字符，同等强度的 RSA-3072 是 544 个",
    en="The key is ed25519; its public part has 68 characters, where RSA-3072 of the same "
       "strength has 544",
    against_zh="ssh-keygen -l 读出的类型，以及现场生成的 RSA-3072 公钥",
    against_en="the type that ssh-keygen -l reads, and an RSA-3072 key made on the spot",
)
def test_it_makes_a_short_ed25519_key(shell, tmp_path):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("no ssh-keygen here")
    printed = shell.script("new_key.sh", tmp_path, KEY=str(tmp_path / "key")).stdout
    kind, body, _ = printed.split(" ", 2)
    assert (kind, len(body)) == ("ssh-ed25519", 68)
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    listed = shell(["ssh-keygen", "-l", "-f", "key.pub"], tmp_path).stdout
    assert listed.startswith("256 ") and listed.endswith("(ED25519)\n")
    shell(["ssh-keygen", "-q", "-t", "rsa", "-b", "3072", "-N", "", "-f", "rsa"], tmp_path)
    assert len((tmp_path / "rsa.pub").read_text().split()[1]) == 544
