# Wer eine Anleitung außerdem geöffnet hat.
present = Auch hier
