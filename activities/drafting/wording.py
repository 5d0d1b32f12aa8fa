"""The few words of the drafter's own: how a step is put that nobody told."""

from activities.drafting.acts import Act
from domain.recordings.screen import ChangeKind

_CLICK = {"de": "Klicken Sie auf {}", "es": "Haga clic en {}", "fr": "Cliquez sur {}"}
_TICK = {"de": "Setzen Sie den Haken bei {}", "es": "Marque {}", "fr": "Cochez {}"}
_UNTICK = {"de": "Entfernen Sie den Haken bei {}", "es": "Desmarque {}", "fr": "Décochez {}"}
_CHOOSE = {"de": "Wählen Sie {} bei {}", "es": "Elija {} en {}", "fr": "Choisissez {} dans {}"}
_OPEN = {"de": "Öffnen Sie die Seite {}", "es": "Abra la página {}", "fr": "Ouvrez la page {}"}
_TYPE = {"de": "Füllen Sie {} aus", "es": "Rellene {}", "fr": "Remplissez {}"}


def shown_heading(act: Act, language: str) -> str:
    """A heading read from the screen: "Click Invite members", "Type in Email address"."""
    if act.chosen is not None:
        return _CHOOSE.get(language, "Choose {} in {}").format(act.chosen, act.label)
    if act.marked is not None:
        pattern = _TICK.get(language, "Tick {}") if act.marked else _UNTICK.get(language, "Untick {}")
        return pattern.format(act.label)
    if act.in_sidebar:
        return _OPEN.get(language, "Open {} in the sidebar").format(act.label)
    typed = act.kind is ChangeKind.TYPING
    pattern = (_TYPE if typed else _CLICK).get(language, "Type in {}" if typed else "Click {}")
    return pattern.format(act.label)
