"""What is allowed, decided from values alone: rules, approval verdicts, effective permissions."""
