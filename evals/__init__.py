"""What measures the assistant: benches and generated documentation."""
