"""Rule-based policies for every family, to compare language models with."""

if __name__ != "coordgym.baselines":
    raise ImportError("import coordgym.baselines, not baselines")
