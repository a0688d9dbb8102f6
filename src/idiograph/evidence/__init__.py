"""What a score is worth: likelihood ratios, with and without training data, and how good they are.

Knows sentences and scores, not where they come from.

In reading order:

    llr               LLR, verbal scales, posterior
    trials            scores and LLRs with known answers
    methods           the list of methods; the three corrections
    cosine            n-gram and typing cosine
    closeness         how close Q and K are in topic, and what that gives a score
    repetition        what Q overuses or repeats of K
    phrases           K's own phrases, and the scores without them
    steady            score A, of the commonest n-grams
    matrix            the matrix of scores: every Q with every K
    constants         constants learnt elsewhere, and the fit that they pull
    normalised        from a matrix to LLRs
    held              the ceiling against imitators, and the flag
    kinds             whether a reference is of the case's kind
    calibration       logistic fits, leaving authors out
    metrics           Cllr, EER, curves, PAV
    intervals         intervals of all these, and what resampling cannot show of another reference
    half_samples      intervals of Cllr_min and Cllr_cal
    matching          LLRs judged among trials as close in topic
    bounds            how far an LR may be reported
    strength          what reported values were worth in the published validation
    published_trials  the published trials that bounds may count
    performance       a method's figures together
    comparators       Delta, tracing, impostors, TF-IDF, PPM and their table
    kernels           compiled loops of this layer, loaded when they are needed
"""
