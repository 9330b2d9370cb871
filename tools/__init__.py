"""What the model may do: seven primitives, undo, a calculator and a clock."""
