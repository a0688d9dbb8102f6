"""The pages: a second door to the library beside the command line, in a browser on this machine alone. No science.

In reading order:

    server        the routes, and the server
    guard         who may ask what
    site          what every page needs
    words         what pages say
    uploads       names and files that a browser sends
    controls      settings as controls, and messages that name them
    forms         fields from settings
    drafts        a case or study being written, its texts and bins
    cases         cases and their runs as they lie there
    previews      the texts given so far, and their table
    told          a filed run as its page tells it
    case_pages    a case's pages, its texts
    result_pages  what was filed, and the work on it
    study_pages   studies
    jobs          the queue of work
    worker        the process that does it
"""
