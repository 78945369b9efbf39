"""The rules: a folder per section of the catalogue, a file and a page per fault. ``registry`` finds them."""
