"""How well it works: problems with known answers, their trials, and the tables made of them.

In reading order:

    settings     study.toml whole
    attack       what an attack puts into Qs
    outside      scores of other programs
    corpora      the corpora of a study, masked and indexed
    material     texts, authors, roles of one index
    writers      names that are one writer
    drawing      an author's Q and K
    topics       draws near and far in topic, impostors
    problems     pairs, folds, halves: the plan
    trial_table  trials as Parquet, and for idiolect
    chunks       a study in pieces, here or on a cluster
    attacks      Qs under attack, and what it does
    case_draws   judged draws that their reference is not drawn as
    llrs         an LLR per method and trial
    topic_control  what topic does to each method
    summary      figures of a study beside the paper's
    results      the folder of results
    study        `idiograph.study`
    joining      `idiograph.join_studies`
    paper        the paper's protocol on a folder of corpora
"""
