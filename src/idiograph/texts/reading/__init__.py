"""From the files people have to texts: every change on record, nothing lost in silence.

In reading order:

    options       how files are read
    file_kinds    the list of file kinds
    folders       the files of a folder
    authors       who wrote which
    decoding      bytes to characters
    wrapping      hard line breaks
    report        what reading did to a text
    tables        plain text, tables, text masked already
    documents     Word and PDF
    pdf_pages     the script that the PDF process runs
    mail          mail and its bodies
    memory        lists of strings and data frames
    problem_sets  PAN and other sets of problems
    read          `idiograph.read`
"""
