"""Files with keys or passwords, by their names."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.policy.safety import safe_commands
from sandgate.policy.secret_names import names_secret
from support.suite.rows import every

SECRET = (
    "cat .e*",
    "cat .[e]nv",
    "head .*",
    "cat /etc/sha*",
    "cat ~/.viminfo",
    "cat terraform.tfstate",
    "cat .env.bak",
    "cat ~/.config/scw/config.yaml",
    "cat /etc/postfix/sasl_passwd",
    "cat ~/.ssh/id_rsa",
    "cat ~/.aws/credentials",
    "head -5 $HOME/.netrc",
    "grep -r AKIA ~/.aws ~/.bash_history",
    "cd ~/.ssh && cat id_ed25519",
    "cat ~/.ssh/*",
    "cat /home/u/.kube/config",
    "base64 -w0 ~/.gnupg/private-keys-v1.d/a.key",
    "cat < ~/.ssh/id_rsa",
    "cat /proc/1/environ",
    "jq . ~/.docker/config.json",
    "sort ~/.config/gcloud/application_default_credentials.json",
    "find ~/.ssh -type f -exec cat {} +",
    "grep -rn password ~",
    "rg -i api_key $HOME",
    "grep -rl 'BEGIN RSA PRIVATE KEY' /",
    "cat ~/.*",
    "cat .env",
    "cat .env*",
    "grep -n KEY .env",
    "grep --regexp=KEY .env",
    "grep -eKEY .env",
    "grep -f words.txt .env",
    "rg -g .env KEY",
    "jq -f filter.jq ~/.codex/auth.json",
    "git show HEAD:.env",
    "git log -p -- .env",
    "git log -U3 -- .env",
    "git -C status show HEAD:.env",
    "cat ~/.codex/*.json",
    "cd ~ && cat .codex/auth.json",
    "cat ~/.program-nobody-knows/api_key",
)
HARMLESS = (
    "cat .eslintrc*",
    "cat /etc/*-release",
    "cat *.md",
    "cat .github/*.yml",
    "head .gitig*",
    "ls -la ~/.ssh",
    "stat ~/.aws/credentials",
    "test -f ~/.docker/config.json",
    "cat ~/.ssh/id_rsa.pub",
    "cat ~/.ssh/known_hosts",
    "cat ~/.ssh/config",
    "cat docs/ssh.md",
    "grep -rn credentials src",
    "grep -rn token /home/u/code/app/src",
    "grep -r FIXTURE ~",
    "rg password",
    "grep -i password /etc/login.defs",
    "cat config/aws.py",
    "cat /etc/passwd",
    "cat .env.example",
    "grep -n '.env' .gitignore",
    "jq '.env' package.json",
    "rg --files -g '.env*'",
    "git ls-files .env",
    "git check-ignore -v .env",
    "git --no-pager log --oneline -5 -- .env",
    "cat ~/.config/nvim/init.lua",
)


@every("script", SECRET)
def test_showing_keys_or_passwords_is_worth_a_question(script: str) -> None:
    """Our choice: reading is safe, but what a private key says goes to the model."""
    assert not all(safe_commands(segments(("bash", "-lc", script))))


@every("script", HARMLESS)
def test_their_names_and_public_halves_are_not(script: str) -> None:
    assert all(safe_commands(segments(("bash", "-lc", script))))


def test_a_word_that_only_looks_like_one_names_no_secret() -> None:
    words = ("shadow", "src/ssh/id.py", ".sshrc", "aws/credentials.md", "id_rsa.pub", "")
    assert [word for word in words if names_secret(word)] == []


DETOURS = (
    "/etc//shadow", "//etc/shadow", "/etc/./shadow", "/etc/x/../shadow", "/proc/self/root/etc/shadow",
    "/proc/self/root/proc/1/root/etc/shadow", "/proc/self/./environ", "~/x/../.config/hub",
    "/run//secrets/x", "/home/u/.config/x/../hub",
)  # fmt: skip


@pytest.mark.parametrize("path", DETOURS)
def test_a_detour_on_the_way_to_a_secret_hides_nothing(path: str) -> None:
    assert names_secret(path)
