"""Commands of `git` that only read, by the arguments that keep them so, with those of other tools. Data, like
`safe_programs`."""

from __future__ import annotations

from sandgate.commandline.tables import one_table
from sandgate.policy.safe_packages import PACKAGE_COMMANDS
from sandgate.policy.safe_services import COMMANDS
from sandgate.policy.safe_system_subcommands import SYSTEM_SUBCOMMANDS
from sandgate.policy.safe_tool_commands import TOOL_COMMANDS

# Commands of the programs marked `sub`.
_GIT: dict[str, str] = {
    "git status": "-sbuvzM -u[=] -M[=] --short --branch --show-stash --porcelain[=] --long --verbose "
    "--untracked-files[=] --ignored[=] --ignore-submodules[=] --column[=] --no-column --ahead-behind "
    "--no-ahead-behind --renames --no-renames --find-renames[=] --null *",
    "git log": "check:git_format @git_log_options @git_diff_options *",
    "git show": "check:git_format @git_log_options @git_diff_options *",
    "git diff": "@git_diff_options --cached --staged --merge-base --no-index --base --ours --theirs -0123 *",
    "git whatchanged": "check:git_format @git_log_options @git_diff_options *",
    "git shortlog": "check:git_format -cens -w[=] --summary --numbered --email --committer --no-merges --group= "
    "--format= --since= "
    "--after= --until= --before= --all --author= *",
    "git reflog": "check:git_format program check:reflog @git_log_options @git_diff_options *",
    "git branch": "check:git_format -alrvi --list --show-current --all --remotes --verbose --format= --color[=] "
    "--no-color --column[=] "
    "--no-column --sort= --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= --abbrev[=] "
    "--no-abbrev --ignore-case --omit-empty * exact check:git_branch",
    "git tag": "check:git_format -lni -n[=] --list --sort= --contains= --no-contains= --merged[=] --no-merged[=] "
    "--points-at= "
    "--format= --column[=] --no-column --color[=] --ignore-case --omit-empty * exact check:git_tag",
    "git remote": "-v --verbose stop * exact check:git_remote",
    "git rev-parse": "-q --abbrev-ref[=] --absolute-git-dir --all --branches[=] --default= --flags --git-common-dir "
    "--git-dir --git-path= --is-bare-repository --is-inside-git-dir --is-inside-work-tree --is-shallow-repository "
    "--no-flags --no-revs --not --path-format= --prefix= --quiet --remotes[=] --revs-only --short[=] --show-cdup "
    "--show-object-format[=] --show-prefix --show-superproject-working-tree --show-toplevel --since= --until= "
    "--symbolic "
    "--symbolic-full-name --tags[=] --verify *",
    "git rev-list": "check:git_format @git_log_options --count --objects --all --header --disk-usage[=] "
    "--use-bitmap-index *",
    "git ls-files": "-cdikmostuvz -x= -X= --cached --deleted --modified --others --ignored --stage --unmerged "
    "--killed --directory --no-empty-directory --eol --deduplicate --exclude= --exclude-from= "
    "--exclude-per-directory= --exclude-standard --error-unmatch --with-tree= --full-name --recurse-submodules "
    "--abbrev[=] --debug --format= --resolve-undo --sparse *",
    "git ls-tree": "-dlrtz --long --name-only --name-status --object-only --full-name --full-tree --abbrev[=] "
    "--format= *",
    "git cat-file": "-epst --batch-check[=] --batch[=] --batch-all-objects --buffer --unordered "
    "--allow-unknown-type --follow-symlinks *",
    "git blame": "-bcCeflMnpstw -L= -S= -M[=] -C[=] --root --show-stats --line-porcelain --porcelain --show-name "
    "--show-number --show-email --date= --since= --ignore-rev= --ignore-revs-file= --color-lines --color-by-age "
    "--abbrev= --reverse --first-parent --no-progress *",
    "git annotate": "-bcCeflMnpstw -L= -S= *",
    "git grep": "-abcEeFGHhIiLlnopPqrvwWz -A= -B= -C= -e= -f= -m= -NUM --after-context= --all-match --and "
    "--basic-regexp "
    "--before-context= --break --cached --color[=] --column --context= --count --exclude-standard "
    "--extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name --function-context "
    "--heading --ignore-case --invert-match --line-number --max-count= --max-depth= --name-only --no-color "
    "--no-exclude-standard --no-index --not --null --only-matching --or --perl-regexp --quiet --recursive "
    "--recurse-submodules --show-function --text --threads= --untracked --word-regexp *",
    "git describe": "--abbrev= --all --always --broken[=] --candidates= --contains --debug --dirty[=] --exact-match "
    "--exclude= --first-parent --long --match= --tags *",
    "git merge-base": "-a --all --octopus --is-ancestor --independent --fork-point *",
    "git name-rev": "--tags --refs= --exclude= --all --name-only --no-undefined --always --annotate-stdin *",
    "git for-each-ref": "check:git_format --count= --sort= --format= --color[=] --points-at= --merged[=] "
    "--no-merged[=] --contains[=] "
    "--no-contains[=] --ignore-case --omit-empty --exclude= --stdin *",
    "git show-ref": "-dhqs --head --heads --branches --tags --dereference --hash[=] --verify --exists --abbrev[=] "
    "--quiet *",
    "git symbolic-ref": "-q --short --quiet --no-recurse 1",
    "git config": "-lz --get= --get-all= --get-regexp= --get-urlmatch= --list --local --global --system --worktree "
    "--name-only --show-origin --show-scope --null --type= --bool --int --path --default= --includes "
    "--no-includes -f= --file= --blob= * exact check:git_config",
    "git stash": "stop * exact check:git_stash",
    "git worktree": "stop * exact check:git_worktree",
    "git submodule": "stop * exact check:git_submodule",
    "git diff-tree": "check:git_format @git_diff_options --stdin --root --no-commit-id --pretty[=] --format= --cc "
    "-cmtv --always *",
    "git diff-index": "@git_diff_options --cached -m --merge-base *",
    "git diff-files": "@git_diff_options -0123q *",
    "git count-objects": "-vH --verbose --human-readable 0",
    "git check-ignore": "-nqvz --quiet --verbose --stdin --non-matching --no-index *",
    "git check-attr": "-az --all --cached --stdin --source= *",
    "git cherry": "-v --abbrev[=] 3",
    "git range-diff": "@git_diff_options --creation-factor= --no-dual-color --left-only --right-only *",
    "git version": "--build-options 0",
    "git var": "-l 1",
    "git fsck": "--no-dangling --connectivity-only --no-reflogs --no-full --strict --no-progress 0",
}

SUBCOMMANDS: dict[str, str] = one_table(TOOL_COMMANDS, PACKAGE_COMMANDS, COMMANDS, _GIT, SYSTEM_SUBCOMMANDS)

# Parts of lines, for `@name`.
FRAGMENTS: dict[str, str] = {
    "git_log_options": "-cghimqtvEFP -n= -L= -NUM --abbrev[=] --abbrev-commit --after= --all --all-match "
    "--ancestry-path[=] --author= "
    "--author-date-order --basic-regexp --before= --bisect --boundary --branches[=] --children --cherry "
    "--cherry-mark --cherry-pick --clear-decorations --committer= --date= --date-order --decorate[=] "
    "--decorate-refs= --decorate-refs-exclude= --dense --encoding= --exclude= --expand-tabs[=] --extended-regexp "
    "--first-parent --fixed-strings --follow --format= --full-diff --full-history --glob= --graph --grep= "
    "--grep-reflog= --ignore-missing --invert-grep --left-only --left-right --log-size --mailmap --use-mailmap "
    "--max-count= --max-parents= --merge --merges --min-parents= --no-abbrev-commit --no-decorate "
    "--no-expand-tabs --no-graph --no-max-parents --no-merges --no-min-parents --no-notes --no-mailmap --no-walk[=] "
    "--not --notes[=] --oneline --parents --perl-regexp --pretty[=] --quiet --reflog --regexp-ignore-case "
    "--relative-date --remotes[=] --remove-empty --reverse --right-only --show-linear-break[=] --show-notes[=] "
    "--show-pulls --simplify-by-decoration --simplify-merges --since= --since-as-filter= --skip= --source --sparse "
    "--stdin --tags[=] --topo-order --until= --walk-reflogs --diff-merges= --cc --no-diff-merges "
    "--combined-all-paths",
    "git_diff_options": "-abBCDMpRrstuwWz -B[=] -C[=] -G= -l= -M[=] -O= -S= -U= -I= --abbrev[=] --anchored= "
    "--binary --break-rewrites[=] --check --color[=] --color-moved[=] --color-moved-ws= --color-words[=] "
    "--compact-summary --cumulative --diff-algorithm= --diff-filter= --dirstat[=] --dirstat-by-file[=] "
    "--dst-prefix= --exit-code --find-copies[=] --find-copies-harder --find-object= --find-renames[=] --full-index "
    "--function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol "
    "--ignore-matching-lines= "
    "--ignore-space-at-eol --ignore-space-change --ignore-submodules[=] --indent-heuristic --inter-hunk-context= "
    "--irreversible-delete --ita-invisible-in-index --line-prefix= --minimal --name-only --name-status --no-color "
    "--no-color-moved --no-ext-diff --no-indent-heuristic --no-patch --no-prefix --no-relative --no-rename-empty "
    "--no-renames --no-textconv --numstat --patch --patch-with-raw --patch-with-stat --patience --pickaxe-all "
    "--pickaxe-regex --quiet --raw --relative[=] --rename-empty --rotate-to= --shortstat --skip-to= --src-prefix= "
    "--stat[=] --stat-count= --stat-graph-width= --stat-name-width= --stat-width= --submodule[=] --summary --text "
    "--unified= --word-diff[=] --word-diff-regex= --ws-error-highlight=",
}
