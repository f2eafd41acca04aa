"""The generated parts of the documentation; ``generate_docs.py`` puts them into the pages."""
