"""Which program keeps what it needs in which entry of a home, where that entry is closed to confined commands, and in
which variables, where these are not passed on.

A program that does not find its settings fails in words of its own, and rarely names the file. Paths are relative to
the home; they and the variables are those the programs' own manuals give.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Entry: the programs that look for it. `git-push` is `git push`: most of what such a program does needs no key, and a
# test run that fails should not speak of one.
USED_BY = {
    ".aws": "aws sam cdk eksctl chalice s3cmd s5cmd terraform-init terraform-plan terraform-apply pulumi",
    ".azure": "az azd func bicep",
    ".boto": "gsutil boto-rsync",
    ".cargo/config": "cargo-publish cargo-yank cargo-owner cargo-login cargo-fetch cargo-update",
    ".cargo/config.toml": "cargo-publish cargo-yank cargo-owner cargo-login cargo-fetch cargo-update",
    ".cargo/credentials.toml": "cargo-publish cargo-yank cargo-owner cargo-login",
    ".claude.json": "claude",
    ".claude/settings.json": "claude",
    ".codex": "codex",
    ".condarc": "conda-install conda-create mamba-install mamba-create",
    ".config/composer/auth.json": "composer-install composer-update composer-require",
    ".config/configstore": "firebase netlify",
    ".config/doctl": "doctl",
    ".config/fly/config.yml": "fly flyctl",
    ".config/gcloud": "gcloud gsutil bq terraform-init terraform-plan terraform-apply",
    ".config/gh": "gh",
    ".config/git/credentials": "git-push git-pull git-fetch git-clone git-ls-remote git-submodule",
    ".config/glab-cli": "glab",
    ".config/hcloud": "hcloud",
    ".config/helm": "helm helmfile",
    ".config/hub": "hub",
    ".config/linode-cli": "linode-cli",
    ".config/op": "op",
    ".config/pip/pip.conf": "pip-install pip3-install pip-download pip-config",
    ".config/rclone": "rclone restic",
    ".config/scw/config.yaml": "scw",
    ".config/sops": "sops",
    ".config/stripe": "stripe",
    ".config/uv": "uv-publish",
    ".config/.wrangler": "wrangler",
    ".databrickscfg": "databricks dbx",
    ".dbt/profiles.yml": "dbt",
    ".docker/config.json": "docker-push docker-pull docker-login podman-push podman-pull skopeo crane",
    ".fly/config.yml": "fly flyctl",
    ".gem/credentials": "gem",
    ".gemini": "gemini",
    ".git-credentials": "git-push git-pull git-fetch git-clone git-ls-remote git-submodule",
    ".gitconfig": "git-commit git-push git-pull git-fetch git-clone git-ls-remote git-submodule git-send-email",
    ".gnupg": "gpg gpg2 gpgsm pass gopass sops git-crypt debsign",
    ".gradle/gradle.properties": "gradle-publish gradlew-publish",
    ".huggingface": "huggingface-cli hf",
    ".cache/huggingface/token": "huggingface-cli hf",
    ".ivy2/.credentials": "sbt-publish",
    ".jupyter": "jupyter jupyter-lab jupyter-notebook",
    ".kaggle": "kaggle",
    ".kube": "kubectl helm k9s kustomize kubectx kubens stern flux argocd istioctl skaffold tilt oc",
    ".m2/settings.xml": "mvn-deploy mvnw-deploy mvn-release:perform",
    ".mc": "mc",
    ".my.cnf": "mysql mysqldump mysqladmin mariadb mariadb-dump",
    ".mylogin.cnf": "mysql mysqldump mysqladmin",
    ".netrc": "ftp heroku git-push git-pull git-fetch git-clone git-ls-remote git-submodule",
    ".npmrc": "npm-publish npm-whoami npm-login npm-access npm-owner npm-install npm-ci pnpm-publish pnpm-install",
    ".nuget/NuGet/NuGet.Config": "dotnet-restore dotnet-nuget nuget",
    ".oci": "oci",
    ".ollama": "ollama",
    ".password-store": "pass gopass",
    ".pgpass": "psql pg_dump pg_restore pg_dumpall createdb dropdb pgcli",
    ".pulumi/credentials.json": "pulumi",
    ".pypirc": "twine flit-publish hatch-publish",
    ".s3cfg": "s3cmd",
    ".sbt/.credentials": "sbt-publish",
    ".snowflake": "snow",
    ".snowsql": "snowsql",
    ".ssh": "ssh scp sftp rsync mosh ansible ansible-playbook git-push git-pull git-fetch git-clone git-ls-remote",
    ".ansible.cfg": "ansible ansible-playbook ansible-galaxy",
    ".terraform.d/credentials.tfrc.json": "terraform-init terraform-login tofu-init",
    ".terraformrc": "terraform-init tofu-init",
    ".vault-token": "vault",
    ".yarnrc": "yarn-publish yarn-install",
    ".yarnrc.yml": "yarn-npm yarn-install",
}

# Entry: the variables that say the same as it, for the same programs; `AWS_*` are all that begin so.
SAID_BY_VARIABLES = {
    ".aws": "AWS_*",
    ".azure": "AZURE_* ARM_*",
    ".cargo/credentials.toml": "CARGO_REGISTRY_* CARGO_REGISTRIES_*",
    ".config/composer/auth.json": "COMPOSER_AUTH",
    ".config/configstore": "FIREBASE_TOKEN NETLIFY_AUTH_TOKEN",
    ".config/doctl": "DIGITALOCEAN_*",
    ".config/fly/config.yml": "FLY_*",
    ".config/gcloud": "GOOGLE_* CLOUDSDK_*",
    ".config/gh": "GH_* GITHUB_TOKEN GITHUB_ENTERPRISE_TOKEN",
    ".config/glab-cli": "GITLAB_* GLAB_*",
    ".config/hcloud": "HCLOUD_*",
    ".config/linode-cli": "LINODE_CLI_*",
    ".config/op": "OP_*",
    ".config/rclone": "RCLONE_*",
    ".config/scw/config.yaml": "SCW_*",
    ".config/.wrangler": "CLOUDFLARE_*",
    ".databrickscfg": "DATABRICKS_*",
    ".huggingface": "HF_* HUGGING_FACE_*",
    ".kaggle": "KAGGLE_*",
    ".kube": "KUBECONFIG",
    ".my.cnf": "MYSQL_PWD",
    ".npmrc": "NPM_* NODE_AUTH_TOKEN",
    ".pgpass": "PGPASSWORD PGPASSFILE PGSERVICEFILE",
    ".pulumi/credentials.json": "PULUMI_*",
    ".pypirc": "TWINE_* FLIT_* HATCH_INDEX_*",
    ".terraformrc": "TF_TOKEN_*",
    ".vault-token": "VAULT_*",
}


def entries_of(program: str, subcommand: str = "") -> tuple[str, ...]:
    """Where `program`, a name without its directory, looks for its settings and keys."""
    names = {program, f"{program}-{subcommand}"}
    return tuple([entry for entry, programs in USED_BY.items() if not names.isdisjoint(words_of(programs))])


def variables_of(program: str, subcommand: str = "") -> tuple[str, ...]:
    """The variables from which it takes what stands in its entries otherwise; those with a `*` are beginnings."""
    rows = [SAID_BY_VARIABLES.get(entry, "") for entry in entries_of(program, subcommand)]
    return tuple(dict.fromkeys([name for row in rows for name in words_of(row)]))
