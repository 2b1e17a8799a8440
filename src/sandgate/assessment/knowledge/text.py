"""Text and data: filters, converters, comparers, editors in place."""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, HIGH, LOW, MEDIUM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.listed import acting, looking
from sandgate.assessment.listing import phrases

_INPLACE = Worse("-i --in-place --inplace -w --write --in_place", MEDIUM, "Changes files in place")


def _stream(
    names: str, does: str = "Transforms {}", *, values: str = "", writes: str = "-o --output"
) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, LOW, does, (name,), kind="reads", operands="read", values=values, writes=writes, worse=(_INPLACE,))
        for name in phrases(names)
        if name
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = (
    *_stream("""
        iconv, uconv, nkf, enca, chardetect, uchardet, col, colrm, colcrt, ul, pr, ptx, unexpand, ts, tsort,
        ansifilter, ansi2txt, csvlook, csvcut, csvstat, csvgrep, csvsort, csvjson, csvjoin, csvstack, csvclean,
        csvtool, csvq, tsv-select, tsv-filter, tsv-summarize, datamash, gron, ungron, jless, jc, jtbl, fx, jshon,
        jsonlint, json_pp, json_reformat, json2yaml, yaml2json, toml2json, remarshal, dasel, yamllint, jsonnet,
        cue eval, cue export, cue vet, xq, tomlq, pup, htmlq, hxselect, hxnormalize, html2markdown, w3m, elinks,
        glow, mdcat, mdless, rich, pygmentize, highlight, source-highlight, hexyl, hd, vimcat, most, pg, bzless,
        xzless, zmore, zstdless, bzmore, lzless, lz4cat, zstdcat, lzcat, gzcat, batcat, cw, choose, hck, tuc,
        frawk, goawk, visidata, wdiff, dwdiff, colordiff, icdiff, delta, difft, difftastic, diff-so-fancy,
        diffstat, lsdiff, filterdiff, interdiff, grepdiff, combinediff, sdiff, diff3, vimdiff, zdiff, zcmp,
        bzdiff, xzdiff, cdiff, ydiff, dyff between, jd, json-diff, daff, aspell, hunspell, ispell, codespell,
        typos, vale, proselint, textlint, languagetool, style, diction, spell, look, xmlstarlet sel, xmlstarlet
        val, xmlstarlet el, xmlstarlet fo, xml sel, xpath, xmlwf, rapper, roqet, sary, agrep, tre-agrep, ugrep,
        ug, sift, pt, ripgrep, rga, pcregrep, pcre2grep, zegrep, zfgrep, bzgrep, xzgrep, zstdgrep, lzgrep,
        zipgrep, sgrep, cgrep, ast-grep scan, base58, basenc, uudecode, ascii, hxdump, ssdeep, simhash, ministat,
        histogram, termgraph, sparkline, tabulate, ttyplot, bc, units, numaverage, st, qstats
        """, values="-f -t -d -c -n -w -s -l -p -e -m --from --to --delimiter --columns -o"),
    *_stream("mlr, xsv, qsv, csvkit, csvsql, q, textql, dsq, octosql, trdsql, jql, jaq, gojq", "Transforms {}",
            values="--icsv --ojson -f -d -s -o --query"),
    *acting("Changes text files in place", """
        sd, dos2unix, unix2dos, mac2unix, unix2mac, fromdos, todos, recode, tidy, rpl, replace, perltidy, detab,
        chsdiff, fixeol, add-trailing-newline, convmv, rename.ul, rename, prename, mmv, vidir, qmv, imv, brename,
        f2, detox, namefix, xmlstarlet ed, xml ed, dasel put, dasel delete, comby, ast-grep, codemod, fastmod,
        ruplacer, amber, ambr, gsar, sponge, jsonsort, moreutils
        """, level=MEDIUM, kind="writes", operands="write", values="-f -t -e -d"),
    *acting("Edits files", """
        ed, nano, pico, micro, joe, jed, mcedit, emacs, emacsclient, helix, hx, kak, ne, mg, code, subl, gedit,
        kate, atom, mousepad, tilde, hexedit, bvi, ghex, vimtutor
        """, level=MEDIUM, kind="writes", operands="write"),
    *acting("Writes pieces of files", "msplit, csvsplit, pdfsplit, mbsplit, unfilter, rcs, ci, co, merge",
            level=MEDIUM, kind="writes"),
    *acting("Runs a macro language", """
        m4, cpp, jinja2, j2, mustache, gomplate, envtpl, esh, ytt, dhall, dhall-to-json, ninja2, confd,
        consul-template
        """, level=MEDIUM, kind="reads", writes="-o --out --output -f"),
    # Files
    *looking("Looks at files", """
        locate, plocate, mlocate, lsd, broot, nnn, ranger, lf, vifm, fzf, sk, peco, percol, tree, ll, la, l,
        dutree, diskus, fdupes, jdupes, duff, fslint, czkawka_cli, findup, symlinks, filefrag, lsix, exa, eza,
        trash-list, gio list, gio info, tmsu, watchman version, inotifywait, fswatch, mimetype, xdg-mime, trid,
        magika, binwalk, checksec, rabin2, dwarfdump, eu-readelf, addr2line, c++filt, elfutils, otool, pahole,
        bloaty, nm, strings, llvm-objdump, llvm-nm, llvm-readelf, rz-bin, dumpbin, gobjdump, greadelf, mdls,
        GetFileInfo, pathchk, namei, lsattr, wcc, ncal
        """, operands="read"),
    *acting("Deletes duplicate files", "rdfind, hardlink, rmlint", "data_deletion", level=MEDIUM, kind="writes",
            operands="write"),
    *acting("Deletes {}", "trash-put, trashy, gio remove, gvfs-trash, recycle, delete-trash",
            "data_deletion", level=LOW, kind="deletes", operands="delete"),
    Entry("gio trash", LOW, "Deletes {}", ("gio trash notes.txt => medium", "gio trash --empty => high"),
          kind="deletes", categories=(DELETION,), operands="delete",
          worse=(Worse("--empty", HIGH, "Empties the trash", (DELETION,), "Nothing of it can be brought back"),)),
    *acting("Empties the trash", "trash-empty, trash-rm, rmtrash", "data_deletion", kind="deletes",
            consequence="Nothing of it can be brought back"),
    *acting("Brings files back from the trash", "trash-restore", level=MEDIUM, kind="writes"),
    *acting("Deletes unused files of the system", "bleachbit, sweeper, tmpreaper, tmpwatch, cleanmgr, deborphan, "
            "localepurge, fslint-gui", "data_deletion", "system_modification", kind="deletes"),
    *acting("Changes attributes of {}", "setfattr, xattr, SetFile, attrib, icacls, cacls, takeown", level=LOW,
            kind="writes", operands="write", values="-n -v -x -w"),
    *acting("Copies {}", """
        ditto, gcp, pv, dd_rescue, rcopy, xcopy, robocopy, cpdup, unison, fpsync, fpart, mtools, mcopy,
        install-info, cpx
        """, level=LOW, kind="writes", operands="copy", values="-s -L -i"),
    *acting("Creates {}", "mkdirp, mktouch, lndir, stow, mkfile", level=MEDIUM, kind="writes", operands="write",
            values="-d -t -m"),
)  # fmt: skip
