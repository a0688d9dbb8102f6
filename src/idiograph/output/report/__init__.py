"""The report of a case: one document, its figures and heat map, printed as HTML, DOCX and PDF."""
