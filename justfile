# Daily work. `./script/test` needs neither just nor uv and runs the same checks.

default: check

# .venv with everything that development needs
setup:
    uv sync --all-extras

# put the code into shape
fmt:
    uv run ruff check --fix . && uv run ruff format .

# what a machine can say about the code without running it
lint:
    uv run ruff check . && uv run ruff format --check . && uv run mypy src tests/typing && uv run lint-imports && uv run cog --check docs/reference/*.md && uv run benchmarks/src/bench/table.py --check && uv run script/claims

# write generated parts of the docs again
generate:
    uv run cog -r docs/reference/*.md && uv run benchmarks/src/bench/table.py

test *a:
    uv run pytest {{a}}

# the suite with none of the extras
test-bare:
    uv run --isolated --no-default-groups --group test pytest -m "not extra"

# one store against everything that a store must do
contract e:
    QUOTH_TEST_STORE={{e}} uv run pytest tests/contract tests/claims

docs:
    uv run pytest tests/docs

bench c:
    cd benchmarks && uv run bench run configs/{{c}}.toml

bench-speed:
    cd benchmarks && uv run bench run configs/speed.toml

check: lint test

ci: lint test test-bare
