/** Which validator checks metadata.name of a kind: the catalogue's word, turned into a function. */
