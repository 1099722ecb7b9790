"""Shapes of networks' layers: tokens × outputs × inputs of one matrix product. What the launches that the
model is fitted to and judged by are made of; each row may say the layout and the types that its rungs take
where they have them (else a rung's own)."""

# tokens, outputs, inputs, layout, types
SHAPES = [
    (16, 4096, 14336, None, None),  # Llama 3 8B, down
    (16, 28672, 8192, None, None),  # Llama 3 70B, up and gate
    (32, 6144, 4096, None, None),  # Llama 3 8B, q, k and v
    (48, 18944, 3584, "NN", ["bf16", "bf16", "f32"]),  # Qwen 2.5 7B, up
    (64, 5120, 13824, None, None),  # Llama 2 13B, down
    (96, 8192, 8192, None, ["f16", "f16", "f16"]),  # Llama 3 70B, output
    (128, 13824, 5120, None, None),  # Llama 2 13B, up
    (197, 4096, 1024, None, None),  # ViT-L of one picture
    (256, 3584, 18944, "TT", None),  # Qwen 2.5 7B, down
    (384, 10240, 2560, None, ["bf16", "bf16", "f32"]),  # Phi-2, up
    (512, 28672, 4096, None, None),  # Llama 3 8B, up and gate
    (577, 4096, 1024, "TT", None),  # ViT-L at 336, up
    (768, 50257, 768, None, None),  # GPT-2, logits
    (1000, 4096, 4096, None, None),
    (1024, 3072, 768, "NT", None),  # GPT-2, up
    (1536, 1024, 4096, None, ["f16", "f16", "f16"]),  # BERT-large, down
    (2048, 4096, 14336, None, None),  # Llama 3 8B, down
    (2048, 2304, 768, None, None),  # GPT-2, q, k and v
    (3072, 3072, 768, None, None),
    (4096, 6144, 4096, None, None),  # Llama 3 8B, q, k and v
    (4096, 5120, 5120, "NT", ["bf16", "bf16", "f32"]),
    (8192, 1280, 5120, None, None),  # GPT-2 large, down
    (8192, 4096, 4096, None, None),
    (8192, 8192, 8192, None, None),
]
