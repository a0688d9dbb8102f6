"""From the files people have to texts: one module per kind of file, every change on record, nothing lost in silence."""
