"""The same results for readers: figures, heat maps, reports, pages of studies, the filed case. Computes no number.

In reading order:

    document      blocks of a document, numbered
    scripts       right-to-left writing, fonts
    plot          a figure as SVG and PNG
    figures       the figures of reports and studies
    heatmap       tokens by their part in λG, and the colours
    glossary      every word explained, once
    report_text   cells and lines of figures
    report        the report
    annexes       the annexes
    html          a document as HTML
    notebook      what a notebook shows of a value; heat map and table of a score's tokens
    docx          as DOCX
    pdf           as PDF
    filing        a case filed: report, annexes, tables, manifest
    replaying     a filed case made again and compared, whole
    case_figures  a plan and the map of a case's texts, drawn into a file
    study_tables  the tables of a study
    study_page    its page, with all its curves, small
    bundle        a study to hand on, without names
    forecast      how long a study takes
"""
