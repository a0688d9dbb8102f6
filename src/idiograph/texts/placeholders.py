"""The words that preparing puts where something was taken out; masking keeps each as one token, unmasked."""

PLACEHOLDERS = ("<url>", "<email>", "<emoji>", "userid")
