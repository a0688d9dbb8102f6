"""From the files people have to texts: one module a kind of file, every change on record, nothing dropped unsaid."""
