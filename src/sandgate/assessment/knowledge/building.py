"""Builders, test runners, linters, formatters: what works on the project's own files by the project's own rules.

Checking and building are low (they run the project's own code, which is what one works on), rewriting sources is
medium.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, EXFILTRATION, EXHAUSTION, HIGH, LOW, MEDIUM, NETWORK
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.families import family

OWN_FILE = Worse("-f --file --makefile", MEDIUM, "Builds by a file named here")

_TESTERS = """
    pytest, py.test, tox, nox, unittest, jest, vitest, mocha, ava, karma, phpunit, rspec, ctest, bats, npm test,
    npm t, npm run test, npm run lint, npm run typecheck, yarn test, yarn lint, pnpm test, pnpm lint, bun test,
    cargo test, cargo check, cargo clippy, cargo bench, go test, go vet, go build, mvn, dotnet test, swift test,
    mix test, deno test, deno check, deno lint, sbt test, lein test, zig test, bazel test, playwright test,
    cypress run, ruff check, ruff, mypy, pyright, pylint, flake8, eslint, tsc, stylelint, shellcheck, hadolint,
    golangci-lint, rubocop, bandit, semgrep, vulture, lint-imports, yamllint, markdownlint, actionlint, tflint,
    clang-tidy, cppcheck
    """

# Test runners, linters, checkers and documentation checkers of all languages.
_MORE_TESTERS = """
    nose2, nosetests, trial, behave, robot, pytest-watch, ptw, testflo, green, avocado, diff-cover, mutmut,
    hypothesis, doctest, pyflakes, pycodestyle, pydocstyle, pyre, pytype, pyanalyze, dodgy, prospector, radon,
    xenon, mccabe, interrogate, safety, pip-audit, deptry, fawltydeps, codespell, typos, vale, proselint,
    write-good, textlint, alex, cspell, lychee, markdown-link-check, htmlhint, htmlvalidate, vnu, csslint,
    jshint, jscs, tslint, oxlint, rome check, biome check, biome lint, biome ci, knip, depcheck, madge,
    dependency-cruiser, depcruise, ts-prune, unimported, size-limit, bundlesize, publint, attw, tsd, nyc, c8,
    istanbul, ng test, ng lint, ember test, karma start, testcafe, nightwatch, wdio, codeceptjs, storybook,
    chromatic, backstop, pa11y, web-test-runner, uvu, tap, tape, qunit, jasmine, cucumber, cucumber-js,
    cargo nextest, cargo miri, cargo audit, cargo deny, cargo outdated, cargo machete, cargo udeps, cargo
    llvm-cov, cargo tarpaulin, cargo bloat, cargo expand, cargo asm, cargo criterion, cargo hack, cargo
    semver-checks, cargo msrv, staticcheck, errcheck, ineffassign, revive, gosec, govulncheck, gocyclo, golint,
    gotestsum, ginkgo, gotest, dlv, go tool, benchstat, checkstyle, pmd, spotbugs, detekt, errorprone, junit,
    testng, kotest, scalafix, scalastyle, phpstan, psalm, phpcs, phpmd, phan, pest, paratest, infection, behat,
    codecept, rector, standardrb, reek, brakeman, fasterer, rails_best_practices, minitest, cucumber-ruby,
    erb_lint, haml-lint, slim-lint, bundler-audit, ruby-lint, credo, dialyzer, mix credo, mix dialyzer, ex_unit,
    rebar3 eunit, rebar3 ct, rebar3 dialyzer, elvis, hlint, weeder, stack test, cabal test, dune test, dune
    runtest, elm-test, elm-review, spago test, lein test, lein check, clj-kondo, eastwood, kibit, swiftlint,
    xcodebuild test, xctest, dart analyze, dart test, flutter test, flutter analyze, zig ast-check, nimble test,
    crystal spec, ameba, busted, luacheck, selene, perlcritic, prove, R CMD check, lintr, testthat, julia-test,
    ctest, cpplint, cpplint.py, include-what-you-use, iwyu_tool, oclint, flawfinder, splint, scan-build, infer,
    valgrind, gcov, gcovr, lcov, genhtml, sparse, smatch, coccinelle, spatch, checkpatch.pl, gtest, catch2,
    bats-core, shunit2, shellspec, checkbashisms, bashate, dockle, dockerfilelint, kubeval, kubeconform,
    kube-linter, kube-score, conftest, checkov, tfsec, trivy config, terrascan, regula, opa test, opa check,
    rego, ansible-lint, yamllint, jsonlint, taplo, toml-lint, sqlfluff lint, sqlfluff, squawk, buf lint, buf
    breaking, protolint, spectral, redocly, openapi-generator validate, swagger-cli, graphql-inspector,
    commitlint, gitlint, danger, editorconfig-checker, pre-commit, check-manifest, twine check, readme_renderer,
    vermin, scc, cloc, tokei, gitleaks, trufflehog, detect-secrets, licensee, reuse lint
    """

_BUILDERS = """
    tsup, swc, babel, parcel, snowpack, wmr, microbundle, ncc, pkg, nexe, rspack, turbopack, turbo, nx, lerna
    run, lage, rush build, gulp, grunt, brunch, ember build, ng build, ng serve, nuxt, nuxi, astro, gatsby,
    eleventy, remix, svelte-kit, solid-start, quasar, ionic, expo start, react-scripts, vue-cli-service, craco,
    electron, electron-builder, tauri, neutralino, sass, lessc, postcss, stylus, uglifyjs, terser, csso, svgo,
    imagemin, browserify, nodemon, ts-node-dev, concurrently, npm-run-all, run-s, run-p, wait-on, serve,
    http-server, live-server, json-server, uvicorn, gunicorn, hypercorn, daphne, waitress-serve, fastapi,
    streamlit run, jupyter, papermill, nbconvert, mkdocs, mdbook, zola, hugo, jekyll, hexo, docusaurus,
    vitepress, vuepress, gitbook, antora, typedoc, jsdoc, esdoc, pdoc, pdoc3, pydoc-markdown, javadoc, kdoc,
    dokka, yard, rdoc, sdoc, ex_doc, haddock, rustdoc, godoc, doxygen, sphinx-apidoc, sphinx-autobuild,
    asciidoctor, asciidoctor-pdf, makeinfo, texi2any, xelatex, lualatex, tectonic, bibtex, biber, typst, groff,
    troff, help2man, ronn, marp, slidev, reveal-md, plantuml, mmdc, dot, gnuplot, cython, maturin, maturin
    develop, setuptools-rust, nuitka, pyinstaller, cx_Freeze, briefcase, shiv, pex, cargo rustc, cargo zigbuild,
    cross, trunk, wasm-pack, wasm-bindgen, cbindgen, bindgen, cargo-make, tinygo, gomobile, templ, sqlc, wire,
    mockgen, stringer, protoc-gen-go, buf generate, flatc, capnp, thrift, openapi-generator, swagger-codegen,
    graphql-codegen, ant, ivy, buildr, sbt compile, mill, scala-cli, scalac, kotlinc,  groovyc, lein,
      boot, jar, jlink, jpackage, native-image, msbuild, nant, csc, fsc, xbuild, mono, mcs, vbc,
    paket, cake, fake, swiftc, xcodebuild, xcrun, ibtool, actool, gn, gyp, scons, waf, premake5, xmake, buck,
    buck2, pants, please, tup, redo, samu, ccmake, qmake, qmake6, imake, bjam, bear, ccache, distcc, icecc,
    nasm, yasm, fasm, gas, ranlib, objcopy, strip, windres, moc, uic, rcc, lrelease, lupdate, swig, sip, bison,
    flex, yacc, lex, ragel, antlr4, re2c, gperf, m4, autoreconf, aclocal, autoheader, libtoolize, libtool,
    pkg-config, gfortran, f77, gnat, gnatmake, gprbuild, gdc, ldc2, dmd, dub, rdmd, nim, nimble,
    shards, v, odin, zig, zig cc, zig build-exe,  stack, cabal, hpack, ocamlc, ocamlopt, ocamlbuild, dune,
    dune build, jbuilder, elm, purs, spago, idris2, agda, coqc, coqchk, lean, lake, isabelle, erlc, rebar3,
    rebar3 compile, elixirc, mix,  gleam,  raco,  guild,  gsc, luac, dart, dart compile,
    flutter, flutter build, flutter run, fvm, kivy, buildozer, javah, tsc-watch, ttsc, gettext, msgfmt,
    xgettext, msgmerge, po4a, intltool, pybabel, nvcc, hipcc, ispc, emcc, em++, emmake, emconfigure, wat2wasm,
    wasm2wat, wasm-opt, wasmtime, wasmer, verilator, iverilog, yosys, ghdl, vivado, quartus_sh, arduino-cli
    compile, platformio, pio, pio run, idf.py, west, west build, kicad-cli, openscad, blender, godot, unity,
    bitbake, buildroot, repo, earthly, nix flake check, nix fmt, nix eval, nix repl, guix build, snapcraft,
    flatpak-builder, dpkg-buildpackage, debuild, debhelper, dh, rpmbuild, mock, makepkg, abuild, fpm, nfpm,
    fastlane
    """

_MORE_BUILDERS = """
    npm start, yarn build, yarn run, yarn start, pnpm build, pnpm run, pnpm start, bun run, cargo build, cargo
    run, go run, go generate, cmake, ninja, meson, bazel build, bazel run, dotnet build, dotnet run, swift
    build, swift run, mix compile, sbt, webpack, vite, vite build, rollup, esbuild, gcc, g++, cc, c++, clang,
    clang++, ld, ar, as, rustc, javac, zig build, configure, autoconf, automake, sphinx-build, mkdocs build,
    hatch build, just, task, invoke, cargo doc, next build, next dev, flask run, tailwindcss, protoc, pre-commit
    run, poetry run, pdm run, hatch run, terraform-docs, latexmk, pdflatex, pandoc, convert, ffmpeg
    """

_FORMATTERS = """
    npm run format, npm run fix, yarn format, pnpm format, black, isort, ruff format, prettier, goimports,
    rustfmt, cargo fmt, cargo fix, go fmt, clang-format, autopep8, yapf, biome, dprint, shfmt, terraform fmt,
    swiftformat, ktlint, google-java-format, pyupgrade, autoflake, standard, xo, stylua
    """

_MORE_FORMATTERS = """
    prettierd, eslint_d, rome format, biome format, standard, ts-standard, semistandard, js-beautify,
    html-beautify, css-beautify, blue, docformatter, pyfmt, usort, reorder-python-imports, pycln, unify,
    add-trailing-comma, ssort, toml-sort, taplo fmt, yamlfmt, yamlfix, mdformat, markdownlint-cli2, remark,
    sqlfmt, sqlfluff fix, pg_format, pgformatter, sql-formatter, gofumpt, gci, golines, swag, leptosfmt, dx fmt,
    cargo sort, cmake-format, gersemi, astyle, uncrustify, indent, php-cs-fixer, phpcbf, pint, rufo, rbprettier,
    htmlbeautifier, scalafmt, ktfmt, ktlint, spotless, dotnet format, csharpier, fantomas, swift-format, ormolu,
    fourmolu, stylish-haskell, brittany, hindent, ocamlformat, purs-tidy, elm-format, erlfmt, mix format, gleam
    format, cljfmt, zprint, raco fmt, styler, lua-format, perltidy, nimpretty, dart format, dartfmt, zig fmt,
    crystal tool format, nixfmt, nixpkgs-fmt, alejandra, buildifier, packer fmt, hclfmt, jsonnetfmt,
    shellharden, beautysh, latexindent, bibtool, xmlformat, tidy, dos2unix, unix2dos, mac2unix, 2to3, futurize,
    lib2to3, codemod, jscodeshift, ast-grep, sg, comby, fastmod, sd, ruplacer, ctags, etags, gtags, cscope,
    bumpversion, bump2version, bump-my-version, tbump, hatch version, npm version, cargo set-version,
    standard-version, conventional-changelog, git-cliff, towncrier, reno, changeset, cookiecutter, copier, yo,
    plop, hygen, degit, cargo generate, cargo init, cargo new, go mod init, go mod edit, npm init, npm create,
    create-react-app, yarn create, poetry init, uv init, pdm init, rails new, rails generate, rails g,
    django-admin startproject, mix new, dotnet new, ng new, ng generate, composer init, gradle init, stack new,
    cabal init, dune init, nimble init, bundle init, bundle gem, swift package init, dart create, flutter
    create, jupytext, nbstripout, protolock, license-eye, addlicense, gitignore, git-crypt, hub init
    """

ENTRIES: tuple[Entry, ...] = (
    *family(LOW, "Runs the project's own checks", "runs", (), _MORE_TESTERS),
    *family(LOW, "Runs the project's own checks", "runs", (), _TESTERS),
    *family(LOW, "Builds or starts the project", "runs", (), _MORE_BUILDERS),
    *family(LOW, "Builds or starts the project", "runs", (), _BUILDERS),
    *family(MEDIUM, "Rewrites source files in the project", "writes", (), _MORE_FORMATTERS),
    *family(MEDIUM, "Rewrites source files in the project", "writes", (), _FORMATTERS),
    *family(MEDIUM, "Loads a server with requests", "contacts", (NETWORK, EXHAUSTION),
            "locust, k6, artillery, autocannon, wrk, hey, ab, siege, vegeta, jmeter, gatling, newman, lighthouse"),
    *family(MEDIUM, "Serves files of the project to the network", "contacts", (NETWORK, EXFILTRATION),
            "serve, http-server, live-server, json-server, jupyter, browser-sync, docsify serve"),
    *family(MEDIUM, "Runs a program of the project", "runs", (),
            "mono, wasmtime, wasmer, xcrun, electron, fastlane, npm-run-all, run-s, run-p, concurrently, nodemon, "
            "papermill"),
    *(Entry(name, MEDIUM, "Changes {}", (f"{name} a.o",), kind="writes", operands="write", values="-o -j -R -K -N")
      for name in ("strip", "ranlib")),
    Entry("del-cli", LOW, "Deletes {}", ("del-cli build => medium", "del-cli ~ => high"), kind="deletes"),
    Entry("gofmt", LOW, "Shows how sources would be formatted", ("gofmt -l .", "gofmt -w . => medium"), kind="reads",
          worse=(Worse("-w", MEDIUM, "Rewrites source files in the project"),)),
    Entry("objcopy", MEDIUM, "Writes {}", ("objcopy a b",), kind="writes", operands="copy"),
    Entry("make", LOW, "Builds the project",
          ("make test", "make -j 4 all", "make -f other.mk => medium", "make clean => medium", "make install => high",
           "make clean install => high", "make install PREFIX=out => medium", "make deploy => high"),
          values="-C -f -I -o -W --file --makefile --directory",
          worse=(OWN_FILE, Worse("", MEDIUM, "Deletes what was built", operands="clean distclean mrproper realclean"))),
    *(Entry(name, LOW, "Builds the project", (f"{name} test", f"{name} clean => medium", f"{name} publish => high"),
            values="-f --file -P -p -pl -D -s", worse=(Worse("", MEDIUM, "Deletes what was built", operands="clean"),))
      for name in ("gradle", "gradlew")),
    Entry("mvn", LOW, "Builds the project",
          ("mvn test", "mvn clean package => medium", "mvn clean deploy => high", "mvn -B release:perform => high"),
          values="-f --file -P -pl -s", harmless="-DdryRun=true -DdryRun --version --help",
          worse=(Worse("", MEDIUM, "Deletes what was built", operands="clean"),
                 Worse("", MEDIUM, "Installs packages of this project", (NETWORK,), operands="install"),
                 Worse("", HIGH, "Publishes this project's package", (NETWORK, COMPLIANCE, EXFILTRATION),
                       operands="deploy release:perform release:prepare site-deploy deploy:deploy-file"))),
    Entry("npm run", LOW, "Runs a task of the project",
          ("npm run build", "npm run deploy => high", "npm run db:reset => high", "npm run deploy:local")),
)  # fmt: skip
