"""What a rule is, what it is given, finding the rules and showing them."""
