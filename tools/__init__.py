"""What the model may do: seven primitives, a calculator and a clock."""
