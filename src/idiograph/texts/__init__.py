"""What is compared: texts as they are found, read, prepared and masked. Knows nothing of models or scores."""
