"""Functions and braced lists of C++ text, found by counting brackets: enough for formatted code, and
quick."""
import functools
import re

_STOPS = re.compile(r"[{(\[,]")
_MARKS = re.compile(r"[{(\[;}:]")
_BRACKETS = re.compile(r"[{}()\[\]]")
_SKIP = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^\s()\\]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
_TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:static\s+|typedef\s+|inline\s+|constexpr\s+|const\s+)*"
                   r"(?:struct|class|union|enum)\b(?!.*\)\s*(?:const|noexcept|override)?\s*$)", re.S)


@functools.lru_cache(maxsize=2)
def without_text(text):
    """The same text, line for line, without comments, strings and preprocessor lines."""
    def blank(match):
        lines = "\n" * match.group(0).count("\n")
        return '""' + lines if match.group(0)[0] in "\"R'" else lines
    return _SKIP.sub(blank, text)


def closing(code, at):
    """Where the bracket that opens at `at` closes."""
    return _closings(code).get(at, len(code) - 1)


@functools.lru_cache(maxsize=2)
def _closings(code):
    """Of each opening bracket, where it closes."""
    found, opened = {}, []
    for bracket in _BRACKETS.finditer(code):
        if bracket.group() in "{([":
            opened.append(bracket.start())
        elif opened:
            found[opened.pop()] = bracket.start()
    return found


def functions(text):
    """(first line, lines, head) of each function that no other holds."""
    code = without_text(text)
    found, start, at = [], 0, 0
    while (stop := _MARKS.search(code, at)) is not None:
        at = stop.start()
        c = code[at]
        if c in "([":
            at = closing(code, at) + 1
            continue
        if c in ";}":
            start = at + 1
        elif c == ":" and re.search(r"\b(public|private|protected)\s*$", code[start:at]):
            start = at + 1
        elif c == "{":
            head = code[start:at]
            words = head.strip()
            end = closing(code, at)
            after = code[end + 1:end + 200].lstrip()[:1]
            if re.match(r"(inline\s+)?namespace\b", words) or re.match(r'extern\s*""$', words) or \
                    _TYPE.match(words):
                start = at + 1  # look inside
            elif "(" in words and re.search(r"\)\s*:", words) and after in (",", "{"):
                at = end + 1  # b_{1} of a constructor
                continue
            else:
                if "(" in words:
                    first = code.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
                    last = code.count("\n", 0, end) + 1
                    found.append((first, last - first + 1, " ".join(words.split())))
                at = end + 1
                # A function ends here; `= {…}` goes on to its semicolon.
                if "(" in words:
                    start = at
                continue
        at += 1
    return found


_LITERALS = (("text", re.compile(r'""')), ("bool", re.compile(r"(?:true|false)$")),
             ("number", re.compile(r"-?\.?\d")), ("list", re.compile(r"\{")),
             ("lambda", re.compile(r"\[")))
# What no array holds together: a list with both is a struct's. {} may be anything.
_UNLIKE = (("text", "bool"), ("text", "number"), ("text", "lambda"), ("bool", "number"),
           ("bool", "list"), ("number", "lambda"))


def _items(code, start, end):
    items, first, at = [], start, start
    while (found := _STOPS.search(code, at, end)) is not None:
        at = found.start()
        if code[at] == ",":
            items.append(code[first:at].strip())
            first = at + 1
        else:
            at = closing(code, at)
        at += 1
    last = code[first:end].strip()
    return items + [last] if last else items


def positional(text, most):
    """(line, values) of each braced list of more than `most` values of several types whose members
    are not named."""
    code = without_text(text)
    for match in re.finditer(r"\{", code):
        end = closing(code, match.start())
        items = _items(code, match.start() + 1, end)
        if len(items) <= most or items[0].startswith("."):
            continue
        if any(";" in re.sub(r"\{[^{}]*\}", "", re.sub(r"\{.*\}", "", i, flags=re.S)) for i in items):
            continue  # a block of statements
        kinds = {kind for i in items for kind, start in _LITERALS if start.match(i) and i != "{}"}
        if any(a in kinds and b in kinds for a, b in _UNLIKE):
            yield code.count("\n", 0, match.start()) + 1, len(items)
