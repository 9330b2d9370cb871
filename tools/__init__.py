"""The tools that models may call: seven primitives, undo, a calculator and a clock."""
