"""How well the policies tell honest drafts from false ones."""
