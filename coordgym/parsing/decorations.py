"""What people and models write around a value: labels, marks, quotes, boxes, fences.

``bare`` takes off what changes nothing of a value's meaning and leaves everything else, so that
whatever is not known here makes the text another one. It takes time linear in the text's length.
"""

import re
from typing import Final

MAX_LAYERS: Final = 12
"""So many decorations around each other are taken off, no more."""

LABELS: Final = (
    *("answer", "result", "solution", "output", "value"),
    *("antwort", "ergebnis", "lösung", "endergebnis"),
    *("respuesta", "resultado", "solución", "réponse", "résultat", "resposta", "solução"),
    *("risposta", "risultato", "odpowiedź", "antwoord", "svar", "ответ", "результат"),
    *("答案", "结果", "結果", "回答", "答え", "答", "정답", "결과", "답", "الجواب", "उत्तर"),
)
"""Words for an answer, before which articles and "final" may stand."""
ARTICLES: Final = (
    *("the", "my", "our", "final", "correct", "die", "das", "meine", "mein", "finale"),
    *("endgültige", "la", "el", "le", "il", "mi", "ma", "a", "o", "final_", "окончательный"),
)
PAIRS: Final = (
    *(("**", "**"), ("__", "__"), ("$$", "$$"), ("``", "``")),
    *(("*", "*"), ("_", "_"), ("$", "$"), ("`", "`")),
    *(('\\"', '\\"'), ('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»"), ("„", "“")),
    *(("\\(", "\\)"), ("\\[", "\\]"), ("\\boxed{", "}"), ("\\fbox{", "}"), ("\\text{", "}")),
    *(("\\textbf{", "}"), ("\\mathrm{", "}"), ("\\mathbf{", "}"), ("「", "」"), ("【", "】")),
)
"""Marks that stand before and behind a value, the longer ones of a kind first."""

EATEN: Final = (("\boxed{", "\\boxed{"), ("\fbox{", "\\fbox{"), ("\textbf{", "\\textbf{"))
"""What is left of a LaTeX command whose backslash, written in a string, took a letter with it."""

ANSWER_KEYS: Final = frozenset({"answer", "final_answer", "result", "value", "output", "solution"})
"""Keys, as ``folded`` writes them, that only say that what they stand before is the answer."""

_FENCE: Final = "```"
_NAMED: Final = (
    rf"(?:(?:{'|'.join(ARTICLES)}) ?){{0,3}}(?:最终|最終|최종 ?)?(?:{'|'.join(LABELS)})"
    "(?: finale?)?"
)
_JOINT: Final = (
    r"[ \t]*(?:[:：=]|(?<=[ \t])(?:is|are|ist|lautet|es|est|è|é):?(?=\s)|[是为為][:：]?|は\s?)"
)
_LABEL: Final = re.compile(
    rf"(?:#{{1,6}}[ \t]+)?(?P<marks>[*_`]{{0,3}}){_NAMED}"
    rf"(?:{_JOINT}(?P=marks)|(?P=marks)(?:{_JOINT}|[ \t]*(?=\n)))\s*",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(?=[^#\s])")
_TAG: Final = re.compile(r"<(answer|result|final_answer|output|solution)>", re.IGNORECASE)


def bare(text: str) -> str:
    """Return a text without what is known to decorate a value."""
    for eaten, written in EATEN:
        text = text.replace(eaten, written)
    text = text.strip()
    for _ in range(MAX_LAYERS):
        inside = _without_a_layer(text).strip()
        if inside == text:
            break
        text = inside
    return text


def folded(name: str) -> str:
    """Return a name so that case, blanks and hyphens make no difference."""
    return "_".join(bare(name).casefold().replace("-", " ").replace("_", " ").split())


def _without_a_layer(text: str) -> str:
    if text.startswith(_FENCE) and _encloses(text, _FENCE, _FENCE):
        first, line_break, rest = text[len(_FENCE) : -len(_FENCE)].partition("\n")
        is_language = line_break and re.fullmatch(r"[\w+-]{0,20}\s*", first)
        return rest if is_language else text[len(_FENCE) : -len(_FENCE)]
    for opening, closing in PAIRS:
        if text.startswith(opening) and _encloses(text, opening, closing):
            return text[len(opening) : -len(closing)]
    if tag := _TAG.match(text):
        closing = f"</{tag[1]}>"
        if text.lower().endswith(closing.lower()):
            return text[tag.end() : -len(closing)]
    if (label := _LABEL.match(text) or _HEADING.match(text)) is not None:
        return text[label.end() :]
    return text[:-1] if text.endswith((".", "。", "．")) else text


def _encloses(text: str, opening: str, closing: str) -> bool:
    """Tell whether the marks at both ends belong together: none of them stands in between."""
    if not text.endswith(closing) or len(text) <= len(opening) + len(closing):
        return False
    inside = text[len(opening) : -len(closing)]
    return opening not in inside and (closing == "}" or closing not in inside)
