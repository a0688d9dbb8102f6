"""The case a user brings: planned, audited, validated under its own conditions, scored, explained and sealed.

In reading order:

    case            case.toml, and what is asked of a plan
    verification    the result and its JSON
    case_folder     the folder, its runs and trail
    inputs          texts read and masked
    case_index      texts indexed, problems scored
    findings        every finding: name, threshold, sentence, why, remedy
    copies          texts that share runs of words
    registers       is Q, is K, of the register of the reference?
    audit           the checks
    other_language  what is said of a case in another language
    published       error rates published for other conditions
    taking_part     who can take part in a validation, with what
    plan            `plan`
    case_matrix     the matrix of a case
    validation      the matrix of a case judged
    variants        the same comparison with one thing changed
    holding         the value held against imitators
    explanation     which tokens speak for what
    concordance     where the texts have a word or a pattern
    text_map        how alike the texts are to Q and to K
    sentences       numbers in words
    verify          `idiograph.verify`, and `idiograph.normalised`: its number from texts in one call
    replay          inputs found again, values compared
    seal            a case sealed
    demonstration   the texts of an example
"""
