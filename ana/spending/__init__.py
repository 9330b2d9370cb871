"""What models cost a person: the day's total with its budget, and all that was paid."""
