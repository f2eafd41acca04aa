r"""Taking the markup off prose: emphasis, mathematics, full-width signs, many kinds of arrows.

Chat models write "**A** ⟶ **B**", "$(0,0) \to (0,1)$" or "（0，1）". Readers of prose see these as
"A → B", "(0,0) → (0,1)" and "(0,1)".
"""

import re

_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SIGNS = {
    **_FULL_WIDTH,
    **dict.fromkeys(map(ord, "‘’"), "'"),
    **dict.fromkeys(map(ord, "“”"), '"'),
    **dict.fromkeys(map(ord, "➔➜➝➞➡⟶⇒⟹↦⟼⭢"), "→"),
    ord("⬅"): "←",
    ord("⬆"): "↑",
    ord("⬇"): "↓",
    ord("−"): "-",
    ord("、"): ",",
    ord("。"): ".",
    ord("\u3000"): " ",
    # Selects the picture of an emoji.
    ord("\ufe0f"): None,
}
_ARROW = re.compile(
    r"[-=]{1,5}>|\\(?:to|rightarrow|longrightarrow|Rightarrow|Longrightarrow|implies|mapsto)\b"
)
_BOXED = re.compile(r"\\boxed\s*\{")
_COMMAND = re.compile(r"\\(?:text|textbf|texttt|mathrm|mathbf|mathtt|operatorname)\s*\{")
_BRACE = re.compile(r"\\([{}])")
_MATHEMATICS = re.compile(r"\$+|\\[()\[\],;!:]|\\q?quad\b")
_EMPHASIS = re.compile(r"\*\*+|__+|`+")


def plain(text: str) -> str:
    """Strip a text of markup; what LaTeX puts into a box becomes "answer: ..."."""
    text = _ARROW.sub("→", text.translate(_SIGNS))
    text = _COMMAND.sub("", _BOXED.sub(" answer: ", text))
    text = _MATHEMATICS.sub(" ", _BRACE.sub(r"\1", text))
    return _EMPHASIS.sub("", text)
