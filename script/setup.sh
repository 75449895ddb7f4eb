# shellcheck shell=bash
# Read by script/demo, script/test and script/campaign; leaves "$python", the Python of .venv, ready to use.
# A virtual environment is made once, in .venv; a stamp in it says what was installed last.

asked_python=${QUOTH_PYTHON:-}

say() { printf '%s\n' "$*" >&2; }

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# A Python >= 3.11, in $found. A shim that points nowhere is passed over, since each one is run.
find_python() {
    if [ -n "$asked_python" ]; then
        if recent "$asked_python"; then found=$asked_python && return; fi
        say "QUOTH_PYTHON=$asked_python does not run, or is older than Python 3.11."
        exit 1
    fi
    for found in python3 python3.13 python3.12 python3.11 python3.14 python; do
        if recent "$found"; then return; fi
    done
    say "Quoth needs Python 3.11 or newer; none was found on PATH."
    say "Install one, or name one: QUOTH_PYTHON=/path/to/python3 $0"
    exit 1
}

make_venv() {
    find_python
    if "$found" -c 'import ensurepip, venv' 2>/dev/null; then
        say "Making .venv with $("$found" --version) ..."
        "$found" -m venv --clear .venv || { rm -rf .venv && exit 1; }
    elif command -v uv >/dev/null 2>&1; then
        say "Making .venv with uv and $("$found" --version) ..."
        uv venv --quiet --clear --python "$(command -v "$found")" .venv || exit 1
    else
        minor=$("$found" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
        say "This $minor comes without its venv module, so no virtual environment can be made."
        say "On Debian and Ubuntu it is a package of its own: apt install python3-venv  (or $minor-venv)"
        exit 1
    fi
}

# install ARGUMENTS...: pip's, or uv's where uv made .venv without pip.
install() {
    if "$python" -c 'import pip' 2>/dev/null; then
        "$python" -m pip install --quiet --upgrade 'pip>=25.1' && "$python" -m pip install --quiet "$@"
    else
        uv pip install --quiet --python "$python" "$@"
    fi
}

# ready NAME ARGUMENTS...: .venv holds what `pip install ARGUMENTS` gives. NAME is that of the stamp.
ready() {
    export PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1
    unset PYTHONHOME
    python=$PWD/.venv/bin/python
    local stamp=.venv/.quoth-$1 want
    shift
    recent "$python" || make_venv
    want="$(cksum <pyproject.toml) $PWD $("$python" --version) $*"
    if [ "$(cat "$stamp" 2>/dev/null)" != "$want" ]; then
        say "Installing Quoth and what it needs into .venv (once; about a minute) ..."
        install "$@" || { say "The installation failed; see above. The next run tries again." && exit 1; }
        printf '%s\n' "$want" >"$stamp"
    fi
}
