"""Who makes what a generation job asks for: texts, the text of pages, speech; and what providers made, looked at."""
