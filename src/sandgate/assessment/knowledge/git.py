"""Version control. What a repository can give back is medium; what it cannot, or what others will see, is high."""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, HIGH, LOW, MEDIUM, NETWORK
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases, words


def _looking() -> tuple[Entry, ...]:
    names = """status log diff show blame shortlog describe rev-parse rev-list ls-files ls-tree cat-file grep
    name-rev merge-base for-each-ref show-ref whatchanged count-objects verify-commit check-ignore var help version
    diff-tree diff-index range-diff cherry fsck show-branch annotate"""
    return tuple(
        Entry(f"git {name}", LOW, "Shows the repository", (f"git {name}",), kind="reads") for name in names.split()
    )


def _changing() -> tuple[Entry, ...]:
    table = {
        "add": "Stages changes", "mv": "Moves tracked files",
        "init": "Creates a repository",
        "merge": "Merges a branch", "cherry-pick": "Copies commits", "revert": "Undoes a commit by a new one",
        "apply": "Applies a patch", "am": "Applies patches", "notes": "Changes notes", "bisect": "Checks out commits",
        "sparse-checkout": "Changes which files are checked out", "format-patch": "Writes patch files",
        "archive": "Writes an archive", "pack-refs": "Tidies references",
        "update-index": "Changes the index", "lfs": "Handles large files", "rerere": "Reuses resolutions",
        "bundle": "Writes a bundle",
    }  # fmt: skip
    return tuple(
        Entry(f"git {name}", MEDIUM, words, (f"git {name} x",), kind="writes") for name, words in table.items()
    )


def _elsewhere(names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, MEDIUM, "Sends commits to a server", (name,), kind="contacts", categories=(NETWORK,))
        for name in phrases(names)
    )


def _losing(does: str, names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, HIGH, does, (name,), kind="deletes", categories=(DELETION,), harmless="-n --dry-run")
        for name in phrases(names)
    )


UNCOMMITTED = "Changes that were not committed are lost"

ENTRIES: tuple[Entry, ...] = (
    Entry("git", LOW, "Uses git", ("git --version",), kind="reads",
          values="-C -c --git-dir --work-tree --namespace --exec-path --config-env"),
    *_looking(),
    *_changing(),
    Entry("git push", MEDIUM, "Sends commits to a remote repository",
          ("git push origin main", "git push --force => high", "git push -f origin main => high",
           "git push origin +main => high", "git push --delete origin old => high", "git push --mirror => high",
           "git push --force-with-lease => high", "git push origin :old => high", "git push --dry-run => low"),
          kind="contacts", categories=(NETWORK,), values="-o --repo --receive-pack --push-option",
          harmless="--dry-run -n",
          worse=(Worse("-f --force --force-with-lease --force-if-includes --mirror", HIGH,
                       "Overwrites branches of a remote repository", (DELETION, NETWORK),
                       "Commits of other people can be lost", operands="+"),
                 Worse("-d --delete --prune", HIGH, "Deletes branches of a remote repository", (DELETION, NETWORK),
                       operands=":"),
                 Worse("--no-verify", HIGH, "Sends commits past the checks of this repository",
                       (COMPLIANCE, NETWORK)))),
    Entry("git reset", MEDIUM, "Moves the branch or unstages changes",
          ("git reset HEAD a.txt", "git reset --hard => high", "git reset --hard HEAD~3 => high"), kind="writes",
          worse=(Worse("--hard --merge", HIGH, "Throws away changes in the working tree", (DELETION,), UNCOMMITTED),)),
    Entry("git clean", MEDIUM, "Looks for untracked files",
          ("git clean -n => low", "git clean -fdx => high", "git clean -f => high", "git clean --dry-run -d => low"),
          kind="deletes", values="-e --exclude", harmless="-n --dry-run",
          worse=(Worse("-f --force", HIGH, "Deletes all files that git does not track", (DELETION,),
                       "Git has no copy of them"),)),
    Entry("git checkout", MEDIUM, "Switches the working tree",
          ("git checkout main", "git checkout -b new", "git checkout -f => high", "git checkout . => high",
           "git checkout -- . => high"), kind="writes", values="-b -B",
          worse=(Worse("-f --force", HIGH, "Throws away changes in the working tree", (DELETION,), UNCOMMITTED),)),
    Entry("git switch", MEDIUM, "Switches the working tree", ("git switch main",
          "git switch --discard-changes x => high"),
          kind="writes", values="-c -C",
          worse=(Worse("-f --force --discard-changes", HIGH, "Throws away changes in the working tree", (DELETION,),
                       UNCOMMITTED),)),
    Entry("git restore", MEDIUM, "Restores files", ("git restore a.txt", "git restore . => high"), kind="writes",
          values="-s --source"),
    Entry("git rm", MEDIUM, "Deletes tracked files", ("git rm a.txt", "git rm -rf . => high"), kind="deletes"),
    Entry("git stash", MEDIUM, "Puts changes aside", ("git stash", "git stash drop => high", "git stash clear => high",
          "git stash list => low"), kind="writes"),
    Entry("git stash list", LOW, "Lists stashes", ("git stash list",), kind="reads"),
    Entry("git stash show", LOW, "Shows a stash", ("git stash show",), kind="reads"),
    Entry("git stash drop", HIGH, "Deletes put-aside changes", ("git stash drop",), kind="deletes",
          categories=(DELETION,)),
    Entry("git stash clear", HIGH, "Deletes all put-aside changes", ("git stash clear",), kind="deletes",
          categories=(DELETION,)),
    Entry("git branch", LOW, "Shows or creates branches",
          ("git branch -a", "git branch -d old => medium", "git branch -D old => high"), kind="writes",
          worse=(Worse("-D", HIGH, "Deletes a branch, merged or not", (DELETION,)),
                 Worse("-f --force", HIGH, "Moves a branch by force", (DELETION,), unless="-d --delete"),
                 Worse("-d --delete -m -M --move -c -C -u --set-upstream-to", MEDIUM, "Changes branches"))),
    Entry("git tag", MEDIUM, "Handles tags", ("git tag v1", "git tag -l => low", "git tag -d v1"), kind="writes",
          harmless="-l --list -n"),
    Entry("git rebase", MEDIUM, "Rewrites local commits", ("git rebase main", "git rebase --abort"), kind="writes",
          values="--onto -x --exec"),
    Entry("git filter-branch", HIGH, "Rewrites the whole history", ("git filter-branch --tree-filter ls HEAD",),
          kind="deletes", categories=(DELETION,), consequence="The old commits are dropped"),
    Entry("git filter-repo", HIGH, "Rewrites the whole history", ("git filter-repo --path src",), kind="deletes",
          categories=(DELETION,)),
    Entry("git reflog", LOW, "Shows where branches were", ("git reflog",), kind="reads"),
    Entry("git reflog expire", HIGH, "Drops the record that could bring commits back",
          ("git reflog expire --expire=now --all",), kind="deletes", categories=(DELETION,)),
    Entry("git reflog delete", HIGH, "Drops the record that could bring commits back", ("git reflog delete HEAD@{1}",),
          kind="deletes", categories=(DELETION,)),
    Entry("git update-ref", MEDIUM, "Changes references", ("git update-ref refs/heads/a b",
          "git update-ref -d refs/heads/a => high"), kind="writes",
          worse=(Worse("-d", HIGH, "Deletes a reference", (DELETION,)),)),
    Entry("git prune", HIGH, "Deletes unreachable commits", ("git prune",), kind="deletes", categories=(DELETION,)),
    Entry("git worktree", LOW, "Shows working trees", ("git worktree list",), kind="reads"),
    Entry("git worktree add", MEDIUM, "Creates a working tree", ("git worktree add ../x",), kind="writes"),
    Entry("git worktree remove", MEDIUM, "Deletes a working tree", ("git worktree remove x",
          "git worktree remove -f x => high"), kind="deletes",
          worse=(Worse("-f --force", HIGH, "Deletes a working tree with its changes", (DELETION,)),)),
    Entry("git clone", MEDIUM, "Downloads a repository", ("git clone https://example.com/r.git",), kind="contacts",
          categories=(NETWORK,), values="-b --branch --depth -o -c"),
    Entry("git fetch", MEDIUM, "Downloads commits", ("git fetch origin",), kind="contacts", categories=(NETWORK,),
          worse=(Worse("", HIGH, "Overwrites branches of this repository", (DELETION, NETWORK),
                       operands="+refs/heads/*:refs/heads/ +*:*"),)),
    Entry("git pull", MEDIUM, "Downloads and merges commits", ("git pull", "git pull --rebase"), kind="contacts",
          categories=(NETWORK,)),
    Entry("git ls-remote", MEDIUM, "Asks a remote repository", ("git ls-remote origin",), kind="contacts",
          categories=(NETWORK,)),
    Entry("git submodule", LOW, "Shows submodules", ("git submodule status",), kind="reads"),
    Entry("git submodule update", MEDIUM, "Downloads submodules", ("git submodule update --init",), kind="contacts",
          categories=(NETWORK,)),
    Entry("git submodule add", MEDIUM, "Adds a submodule", ("git submodule add https://example.com/r.git",),
          kind="contacts", categories=(NETWORK,)),
    Entry("git submodule deinit", MEDIUM, "Removes a submodule",
          ("git submodule deinit x", "git submodule deinit -f --all => high"), kind="deletes",
          worse=(Worse("-f --force", HIGH, "Deletes the files of submodules with their changes", (DELETION,),
                       UNCOMMITTED),)),
    *(Entry(f"git {name}", MEDIUM, "Tidies the repository", (f"git {name}", f"git {name} --prune=now => high",
            f"git {name} --prune=2.weeks.ago"), kind="writes") for name in ("gc", "maintenance")),
    Entry("git commit", MEDIUM, "Records a commit", ("git commit -m x", "git commit -n -m x"), kind="writes",
          values="-m -F -C -c --message --file --author --date --fixup --squash -t",
          worse=(Worse("-n --no-verify", MEDIUM, "Records a commit past the checks of this repository",
                       (COMPLIANCE,)),)),
    Entry("git submodule foreach", MEDIUM, "Runs a command in every submodule", ("git submodule foreach git pull",)),
    Entry("git remote", LOW, "Shows remotes", ("git remote -v",), kind="reads"),
    Entry("git remote add", MEDIUM, "Adds a remote", ("git remote add x https://example.com/r.git",), kind="writes"),
    Entry("git remote set-url", MEDIUM, "Changes where commits are sent",
          ("git remote set-url origin https://example.com/r.git",), kind="writes"),
    Entry("git remote remove", MEDIUM, "Removes a remote", ("git remote remove x",), kind="writes"),
    Entry("git config", LOW, "Reads or writes settings of git",
          ("git config user.name", "git config user.name me => medium", "git config --global user.name me => high",
           "git config --list => low", "git config core.hooksPath x => high"), kind="writes"),
    Entry("git credential", HIGH, "Prints or stores passwords", ("git credential fill",), kind="reads",
          categories=("data_exfiltration",)),
    Entry("git daemon", HIGH, "Serves repositories to the network", ("git daemon --export-all",), kind="contacts",
          categories=(NETWORK, "data_exfiltration")),
    Entry("git send-email", HIGH, "Sends patches by mail", ("git send-email 0001.patch",), kind="contacts",
          categories=(NETWORK, "data_exfiltration")),
    Entry("hg", MEDIUM, "Uses Mercurial", ("hg commit -m x",), kind="writes"),
    Entry("hg update", MEDIUM, "Switches the working copy", ("hg update default", "hg update -C . => high"),
          kind="writes", values="-r --rev -d --date",
          worse=(Worse("-C --clean", HIGH, "Throws away changes in the working copy", (DELETION,), UNCOMMITTED),)),
    Entry("hg status", LOW, "Shows the repository", ("hg status",), kind="reads"),
    Entry("hg purge", HIGH, "Deletes untracked files", ("hg purge",), kind="deletes", categories=(DELETION,)),
    Entry("svn", MEDIUM, "Uses Subversion", ("svn update",), kind="contacts", categories=(NETWORK,)),
    Entry("svn status", LOW, "Shows the working copy", ("svn status",), kind="reads"),
    Entry("jj", MEDIUM, "Uses Jujutsu", ("jj describe -m x", "jj abandon x => high"), kind="writes",
          worse=(Worse("", HIGH, "Throws away changes", (DELETION,), operands="abandon"),)),
    Entry("git read-tree", MEDIUM, "Changes the index", ("git read-tree HEAD", "git read-tree --reset -u HEAD => high"),
          kind="writes",
          worse=(Worse("--reset -u", HIGH, "Throws away changes in the working tree", (DELETION,), UNCOMMITTED),)),
    Entry("git checkout-index", MEDIUM, "Writes files from the index",
          ("git checkout-index a", "git checkout-index -f -a => high"), kind="writes", values="--prefix",
          worse=(Worse("-f --force", HIGH, "Throws away changes in the working tree", (DELETION,), UNCOMMITTED),)),
    Entry("git difftool", MEDIUM, "Starts a program to compare", ("git difftool HEAD",), values="-x --extcmd -t"),
    Entry("git mergetool", MEDIUM, "Starts a program to merge", ("git mergetool",)),
    *(Entry(f"git {name}", MEDIUM, "Changes the repository", (f"git {name}",), kind="writes") for name in words("""
        commit-tree write-tree mktree mktag  update-server-info repack unpack-objects index-pack pack-objects
         replace filter-tree fast-import multi-pack-index commit-graph merge-file merge-tree merge-index
        imap-send request-pull instaweb citool gui svn p4 cvsimport quiltimport flow subtree annex crypt absorb town
        branchless machete machete-prune stage switch-branch backfill refs fetch-pack send-pack http-fetch http-push
        restore-mtime lfs-fetch undo sync pr amend credential-cache credential-store mailinfo mailsplit
        interpret-trailers
         column fmt-merge-msg rev-list-tags """)),
    Entry("git credential-store", HIGH, "Prints or stores passwords", ("git credential-store get",), kind="reads",
          categories=("data_exfiltration",)),
    Entry("git hash-object", MEDIUM, "Puts a file into the repository", ("git hash-object -w a",), kind="writes"),
    Entry("git symbolic-ref", MEDIUM, "Changes references", ("git symbolic-ref HEAD refs/heads/x",), kind="writes"),
    Entry("git replace", MEDIUM, "Changes what commits mean", ("git replace a b", "git replace -d a"), kind="writes"),
    *_elsewhere("jj git push, hg push, svn commit, svn ci, svn import, svn copy, svn move, bzr push, fossil push, "
                "p4 submit, cvs commit"),
    *_losing("Throws away changes in the working tree", """
        hg revert, svn revert, svn cleanup, svn delete, svn rm, hg strip, hg histedit, hg rollback,
        hg phase, p4 revert, p4 obliterate, p4 delete, fossil revert, bzr revert, bzr uncommit, jj op restore, jj
        op abandon, git svn dcommit, git p4 submit, git lfs prune, git annex drop, git maintenance
        unregister, sl uncommit, sl purge"""),
)  # fmt: skip
