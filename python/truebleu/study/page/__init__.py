"""One HTML file that shows a study: values go in, and text comes out; nothing is counted here.

`page` makes the file, `sections` chooses what each section shows, `svg` draws the figures, `verdict` says in words who
wins, `methods` writes what a paper needs, and `characters` finds what must not act in the page.
"""
