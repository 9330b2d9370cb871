"""A person's spending on models: the day's total with its budget, and all payments."""
