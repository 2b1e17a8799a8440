"""Commands of about 200 bytes as agents and people type them: what the bar for one command line is measured with."""

from __future__ import annotations

TYPED = (
    'cd /home/u/code/app && git add -A && git commit -m "Fix the parser: keep trailing commas when the last '
    'argument is a here-document, and say so in the error message" && git status --short | head -20',
    'grep -rn "def handle_request" --include="*.py" src tests | grep -v __pycache__ | sort -t: -k1,1 -k2,2n '
    """| awk -F: '{print $1":"$2}' | uniq | head -40 > /tmp/handlers.txt && wc -l /tmp/handlers.txt""",
    r'find . -type f \( -name "*.ts" -o -name "*.tsx" \) -not -path "*/node_modules/*" -not -path "*/dist/*" '
    '-print0 | xargs -0 grep -ln "useEffect" | sort | head -50; echo "done: $(date +%H:%M)" >> notes.md',
    'curl -sS -X POST https://api.example.com/v1/projects/42/builds -H "Authorization: Bearer $API_TOKEN" -H '
    """"Content-Type: application/json" -d '{"branch":"main","clean":true}' | jq -r '.id, .status'""",
    'docker run --rm -it -v "$PWD":/workspace -w /workspace -e NODE_ENV=test -p 3000:3000 --name app-test '
    'node:20-bookworm bash -lc "npm ci --no-audit && npm run build && npm test -- --coverage" ',
    r"""python3 -c "import json,sys; data=json.load(open('package.json')); print('\n'.join(sorted(f'{k}=={v}' """
    """for k,v in {**data.get('dependencies',{}),**data.get('devDependencies',{})}.items())))" | tee deps.txt""",
    """for f in $(git diff --name-only --diff-filter=ACM origin/main...HEAD -- '*.py'); do echo "== $f"; """
    'python -m ruff check --quiet "$f" || failed=1; python -m mypy --strict "$f" | tail -3; done; exit '
    "${failed:-0}",
    "kubectl get pods -n staging -l app=web -o jsonpath='{range "
    r""".items[*]}{.metadata.name}{"\t"}{.status.phase}{"\t"}{.spec.nodeName}{"\n"}{end}' | sort -k2 | column """
    "-t | grep -v Running | head -30",
    "npm install --save-dev typescript@5.4 eslint@9 @typescript-eslint/parser "
    "@typescript-eslint/eslint-plugin prettier vitest @vitest/coverage-v8 && npx tsc --noEmit -p "
    "tsconfig.json && npx eslint src --max-warnings 0",
    'cargo build --release --features "postgres,tls" 2>&1 | tee build.log | grep -E "^(warning|error)" | '
    "sort | uniq -c | sort -rn | head -20; RUST_BACKTRACE=1 cargo test --workspace --no-fail-fast -- "
    "--nocapture",
    r"""sed -i -e 's/version = "1\.4\.2"/version = "1.5.0"/' -e 's/^## Unreleased$/## 1.5.0/' pyproject.toml """
    'CHANGELOG.md docs/conf.py && git diff --stat && grep -n "1.5.0" pyproject.toml CHANGELOG.md docs/conf.py',
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends build-essential libpq-dev "
    "libssl-dev pkg-config python3.11-venv postgresql-client redis-tools jq ripgrep && sudo rm -rf "
    "/var/lib/apt/lists/*",
    'psql "postgres://app:secret@localhost:5432/app_dev" -v ON_ERROR_STOP=1 -c "SELECT u.id, u.email, '
    'count(o.id) FROM users u LEFT JOIN orders o ON o.user_id = u.id GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 20" ',
    "rsync -avz --delete --exclude node_modules --exclude .git --exclude '*.log' ./dist/ "
    "deploy@web1.example.com:/var/www/app/releases/2024-05-01/ && ssh deploy@web1.example.com 'sudo "
    "systemctl restart app && tail -n 20 /var/log/app.log'",
    "tar -czf /tmp/app-$(date +%Y%m%d).tar.gz --exclude=node_modules --exclude=.git --exclude='*.pyc' src "
    "tests docs package.json pyproject.toml README.md && sha256sum /tmp/app-*.tar.gz && ls -lh "
    "/tmp/app-*.tar.gz",
    """git log --since="2 weeks ago" --pretty=format:'%h %an %ad %s' --date=short --numstat -- src lib | awk """
    """'NF==3 {add+=$1; del+=$2} END {print "added", add, "deleted", del}'; git shortlog -sn --since="2 weeks """
    'ago" | head -10',
    "aws s3 sync ./build s3://example-assets-prod/app/ --delete --cache-control "
    '"public,max-age=31536000,immutable" --exclude "*.map" && aws cloudfront create-invalidation '
    '--distribution-id E123ABC456 --paths "/app/*" ',
    "mkdir -p build && cd build && cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo "
    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DBUILD_TESTING=ON -G Ninja .. && ninja -j4 2>&1 | tail -30 && ctest "
    "--output-on-failure --parallel 4 --timeout 120",
    r"""cat > /tmp/config.yaml <<'EOF'
server:
  host: 127.0.0.1
  port: 8080
logging:
  level: debug
  file: /tmp/app.log
EOF
python -m app serve --config /tmp/config.yaml --reload & sleep 2; curl -s localhost:8080/health""",
    "pip install -q -r requirements.txt -r requirements-dev.txt && python -m pytest tests/unit "
    'tests/integration -x -q --maxfail=3 -k "not slow and not network" --durations=10 --cov=app '
    "--cov-report=term-missing 2>&1 | tail -60",
    "if [ -f package-lock.json ]; then npm ci --ignore-scripts; elif [ -f yarn.lock ]; then yarn install "
    '--frozen-lockfile; else echo "no lock file in $(pwd)" >&2; exit 1; fi; node --version && npm ls '
    "--depth=0 2>/dev/null | head",
    r"""ps aux --sort=-%mem | awk 'NR<=15 {printf "%-10s %6s %5s %5s %s\n", $1, $2, $3, $4, $11}'; df -h / """
    r"""/home /tmp; free -m; ss -tlnp | grep -E ':(3000|5432|6379|8080)\b'; journalctl -u app --since "1 hour """
    'ago" --no-pager | tail -40',
    "terraform -chdir=infra/staging init -backend-config=backend.hcl -input=false && terraform "
    "-chdir=infra/staging plan -var-file=staging.tfvars -out=tfplan -detailed-exitcode && terraform "
    "-chdir=infra/staging show -no-color tfplan | head -80",
    "rm -rf node_modules/.cache dist coverage .pytest_cache build/*.egg-info && find . -name __pycache__ "
    '-type d -prune -exec rm -rf {} + && find . -name "*.orig" -delete && git clean -ndx | head -20 && du '
    "-sh . .git",
    "go vet ./... && golangci-lint run --timeout 5m ./internal/... && go test -race -count=1 "
    '-coverprofile=cover.out ./... 2>&1 | grep -v "no test files" | tail -40 && go tool cover '
    "-func=cover.out | tail -1 && go build -o bin/server ./cmd/server",
)
