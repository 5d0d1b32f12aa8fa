"""How instructions are given in German, Spanish and French: imperatives, lead-ins, courtesies, what is no step.

Only what is built in the same way for every verb (a form and its place) and the few words that these languages put
around it; verbs that neither has are found by the screen that answers them.
"""

import re
from dataclasses import dataclass

_IGNORE = re.IGNORECASE


def _words(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


@dataclass(frozen=True)
class LanguageRules:
    """One language. All patterns are matched at a sentence's start, but for ``own``, which is searched.

    Args:
        lead_in: What is left out before an instruction ("zuerst", "luego", "ensuite").
        setting: When, where or what for, before an instruction.
        imperative: An instruction, behind the lead-ins.
        question: A sentence that asks, for recognisers that forget the mark.
        courtesy: Greetings, thanks and farewells.
        note: Warnings and reminders.
        own: Words of somebody who speaks of himself.
        title: What announces the topic (group ``topic``).
        section: What announces the next topic (group ``topic``).
        correction: What takes back the words before it.
        refused: A word that looks like an imperative and is none.
        inverted: Verb and doer (groups 1 and 2) where a lead-in had put them the other way round.
    """

    lead_in: re.Pattern[str]
    setting: re.Pattern[str]
    imperative: re.Pattern[str]
    question: re.Pattern[str]
    courtesy: re.Pattern[str]
    note: re.Pattern[str]
    own: re.Pattern[str]
    title: re.Pattern[str]
    section: re.Pattern[str]
    correction: re.Pattern[str]
    refused: re.Pattern[str]
    inverted: re.Pattern[str] | None = None


def _compiled(**patterns: str) -> LanguageRules:
    return LanguageRules(**{name: re.compile(pattern, _IGNORE) for name, pattern in patterns.items()})


_DE_FINITE = (
    "kann|können|könnt|muss|müssen|soll|sollen|sollten|will|wollen|werden|wird|würde|möchte|möchten|lassen|lässt|dürfen|"
    "darf|um|sie|wir|ich|du|man|er|es|zu|wer|was|wie|wo|ist|sind|hat|haben|beim|nicht"
)
"""Words of a sentence that says something of somebody, or has its verb governed: no bare infinitive."""
_DE_DOING = (
    "klicken|wählen|drücken|öffnen|geben|tragen|speichern|bestätigen|kreuzen|aktivieren|deaktivieren|schalten|ziehen|"
    "kopieren|fügen|löschen|schließen|tippen|laden|melden|legen|starten|stellen|senden|schicken|ändern|entfernen|füllen"
)
"""Infinitives of what is done on a screen, perhaps behind a particle ("auswählen", "eingeben")."""
_DE_CALLS = "klicke?|geh|wähle?|drücke?|öffne|tippe?|gib|speichere?|bestätige|aktiviere|ziehe?|kopiere|lösche|schließe?"
"""What one says to a friend, or several: "klick auf Speichern", "klickt auf Speichern"."""
_DE_PERCEIVING = (
    "seht|habt|könnt|müsst|möchtet|wollt|seid|wisst|kennt|findet|bekommt|braucht|hört|lernt|solltet|werdet|dürft|nicht"
)
"""What several do that is no step."""
_DE_PLACES = "im|in|auf|unter|oben|unten|links|rechts|bei|über|neben|mit|für"
_DE_ORDINAL = r"(?:erste|zweite|dritte|vierte|fünfte|sechste|nächste|letzte)[nrsm]?"
_ES_ORDINAL = r"(?:primer|segund|tercer|cuart|quint|siguiente|próxim|últim)[oa]?"
_FR_ORDINAL = r"(?:premi(?:er|ère)|deuxième|second|troisième|quatrième|cinquième|proch(?:ain|aine)|derni(?:er|ère))"

RULES: dict[str, LanguageRules] = {
    "de": _compiled(
        lead_in=_words(
            r"(?:und|also|so|okay|ok|gut|ja|nein|jetzt|nun|dann|danach|anschließend|zuerst|zunächst|hier|dort|da)\b",
            r"(?:als (?:erstes|nächstes|letztes)|zum schluss|zuletzt|am ende|schließlich|im nächsten schritt)\b",
            r"(?:äh+m?|hm+|genau|bitte|einfach|noch|dazu)\b",
        )
        + r"[,.:]?\s+",
        setting=_words(
            rf"(?:um|sobald|nachdem|(?:wenn|falls)(?! (?:sie|du|ihr|man|wir|ich)\b)|{_DE_PLACES})\b[^,]*,\s+",
            rf"(?:{_DE_PLACES})\b(?: \w[\w-]*){{0,6}}? (?=\w{{3,}}(?:e?n sie|t (?-i:ihr))\b)",
            r"(?:(?:man|sie|wir|ich) (?:muss|müssen|sollten?)|(?:muss|müssen|sollten?) (?:man|sie|wir|ich))\b"
            r"(?: (?:noch|jetzt|dann|nur|einfach))*\s+",
        ),
        imperative=_words(
            r"\w{3,}e?n sie\b(?! mich| sich| alles)",
            rf"(?!.*\b(?:{_DE_FINITE})\b)(?:[\w-]+,? ){{1,9}}\w*(?<!zu)(?:{_DE_DOING})(?: und \w+en)?[.!]?$",
            r"\w{3,}n wir\b",
            # "Ihr Passwort", "steht Ihr Name" and "mit ihr" speak to nobody
            r"(?:(?!mit|seit|statt)\w{2,}t (?-i:ihr)|ihr (?-i:[a-zäöü]{2,}t)|\w{2,}st du)\b(?! mich| mir| uns)",
            rf"(?:{_DE_CALLS})t?\b(?! ich| du| er| sie| es| man)",
            r"(?:ich|wir|man|du|sie) (?:klick|wähl|drück|öffn|geb|gib|tipp|trag|setz|geh|schreib|mach|aktivier|lösch|"
            r"speicher|zieh|schließ|start|such|füg)\w*\b",
            r"\w{3,}e (?:ich)\b(?! ihnen| euch| mal| das gefühl)",
        ),
        question=r"(?:was|wo|wie|warum|wann|wer|welche[rsnm]?|muss ich|soll ich|kann ich|darf ich|haben sie|können sie|"
        r"möchten sie|wollen sie|sehen sie\b.*\?)\b",
        courtesy=r"(?:so,? |und |also )*(?:hallo|guten (?:tag|morgen|abend)|herzlich willkommen|willkommen|vielen dank|"
        r"danke|tschüss|bis (?:zum|bald|dann)|auf wiedersehen|das war(?: es|'s| alles)|viel (?:spaß|erfolg)|"
        r"schön,? dass)\b",
        note=r"(?:achtung|vorsicht|wichtig|achten sie|beachten sie|denken sie daran|vergessen sie nicht|bitte beachten|"
        r"passen sie auf|hinweis|tipp\b|nie(?:mals)?\b|immer\b)",
        own=r"\b(?:ich|mir|mich|mein\w*|wir|uns|unser\w*)\b",
        title=r".*?\b(?:wie (?:man|sie|du|wir|ich) (?P<topic>.+)|(?:geht|dreht) es (?:sich )?um (?P<about>[^,]+))",
        section=rf"(?:.*\b)?(?:zum|mit dem|der|die|das|zu) {_DE_ORDINAL} (?:thema|teil|punkt|abschnitt|kapitel)\b"
        r"(?: ist| geht es um|,|:)*\s+(?P<topic>.+)",
        correction=r"(?:nein|stopp|moment|halt|entschuldigung|sorry|quatsch|falsch|ach nein|nicht)\b[,.!]?\s*"
        r"(?:nein|moment|sorry|doch)?",
        refused=rf"(?:{_DE_PERCEIVING}) ihr|ihr (?:{_DE_PERCEIVING})\b|"
        r"(?:siehst|hast|kannst|musst|möchtest|willst|bist|weißt|kennst|findest|bekommst|"
        r"brauchst|hörst|lernst|solltest|wirst|darfst) du|"
        r"(?:wenn|wann|denn|dann|sehen|haben|können|müssen|sollten|möchten|wollen|werden|sind|wissen) sie|"
        r"(?:finden|bekommen|brauchen) sie|"
        r"(?:zeige|denke|glaube|finde|habe|bin|hoffe|möchte) ich|(?:sehen|haben|können|werden|sind|wollen|lernen) wir",
        inverted=r"^(\w+) (ich|wir|ihr|du)\b",
    ),
    "es": _compiled(
        lead_in=_words(
            r"(?:y|entonces|bueno|vale|bien|sí|no|ahora|luego|después|primero|aquí|finalmente|ya)\b",
            r"(?:por último|a continuación|en primer lugar|para terminar|en segundo lugar|por fin|al final|de nuevo)\b",
            r"(?:eh+|em+|pues|simplemente|por favor)\b",
        )
        + r"[,.:]?\s+",
        setting=r"(?:para|en|cuando|una vez|después de|antes de|arriba|abajo|con)\b[^,]*,\s+",
        imperative=_words(
            r"(?:haga|haz|hagamos|hacemos|hacer|hago) clic",
            r"(?:abr(?:a|e|amos|imos)|vaya|ve a|vamos a|seleccion[ea]|elij[ao]|elige|escog[ea]|escoja|escrib[ae])\b",
            r"(?:introdu(?:zca|ce)|ingres[ea]|puls[ea]|presion[ea]|puls[ae]|marqu?[ae]|desmarqu?[ae]|activ[ea]|copi[ea])\b",
            r"(?:peg(?:ue|a)|guard[ea]|cierr[ea]|cre[ea]|añad[ae]|agregu?[ea]|arrastr[ea]|busqu?[ea]|cambi[ea]|confirm[ea])\b",
            r"(?:descargu?[ea]|sub[ae]|elimin[ea]|borr[ea]|reinici[ea]|conect[ea]|instal[ea]|rellen[ea]|complet[ea])\b",
            r"(?:le das (?:a|clic)|(?:haces|das) clic|(?:puls|seleccion|marc|desmarc|guard|copi|peg|cre|arrastr)as|"
            r"(?:busc|cambi|confirm|descarg|entr|borr|activ)as|(?:escrib|abr|elig|escog|introduc|añad|sub|pon)es|"
            r"vas a(?! ver))\b",
            r"(?:inici[ea]|pong?a|pon|ponga|teclee|desplác(?:e|a)\w*|utilic?e|us[ea]|mantenga|espere|toque|envíe)\b",
        ),
        question=r"¿|(?:qué|dónde|cómo|por qué|cuándo|quién|cuál|debo|puedo|tengo que)\b",
        courtesy=r"(?:y |bueno,? )*(?:hola|buenos días|buenas|bienvenid\w+|(?:muchas )?gracias|adiós|hasta l\w+|"
        r"eso es todo|y eso es|nos vemos|espero que)\b",
        note=r"(?:atención|cuidado|importante|recuerde|recuerda|tenga en cuenta|ten en cuenta|no olvide|no olvides|"
        r"asegúrese|asegúrate|nota|consejo|nunca|siempre)\b",
        own=r"\b(?:yo|me|mí|mi|mis|nos|nuestr\w+|nosotros|creo|recuerdo)\b",
        title=r".*?\b(?:c[óo]mo (?P<topic>.+)|(?:sobre|acerca de) (?P<about>[^,]+))",
        section=rf"(?:.*\b)?(?:al?|con el|con la|el|la) {_ES_ORDINAL} (?:tema|parte|punto|sección|capítulo)\b"
        r"(?: es| trata de|,|:)*\s+(?P<topic>.+)",
        correction=r"(?:no|espera|espere|perdón|perdona|mejor dicho|digo)\b[,.!]\s*(?:espera|perdón|no)?",
        refused=r"vamos a (?:ver|hablar|empezar|aprender|explicar|mostrar|enseñar|comenzar)",
    ),
    "fr": _compiled(
        lead_in=_words(
            r"(?:et|alors|donc|bon|bien|ok|oui|non|maintenant|ensuite|puis|ici|là|enfin|après|voilà)\b",
            r"(?:d'abord|tout d'abord|pour (?:finir|commencer|terminer)|en (?:premier|dernier) lieu|pour cela)\b",
            r"(?:euh+|hein|simplement|s'il vous plaît)\b",
        )
        + r"[,.:]?\s+",
        setting=r"(?:pour|afin de|dans|sur|sous|en|quand|lorsque|une fois|dès que|après|avant de|avec)\b[^,]*,\s+",
        imperative=_words(
            r"(?:[a-zàâçéèêëîïôûùüÿœ]{3,}ez)\b(?!-vous)",
            r"(?:vous|on|je|nous|tu) (?:cliqu|ouvr|sélectionn|choisi|sais|tap|appu|coch|décoch|entr|all|va|vais|vas|"
            r"remplis|enregistr|valid|fai|met|coll|copi|activ|télécharg|press|glisse)\w*\b",
            r"(?:cliqu|sélectionn|coch|entr|tap|appuy|activ|enregistr|valid)er\b",
            r"(?:clique|ouvre|choisis|saisis|tape|coche|entre|va|appuie|sélectionne|enregistre)\b(?! est| n'est)",
        ),
        question=r"(?:qu'est-ce|est-ce|où|comment|pourquoi|quand|qui|quel\w*|combien|dois-je|puis-je|avez-vous|"
        r"pouvez-vous|voulez-vous|savez-vous)\b",
        courtesy=r"(?:et |bon,? |voilà,? )*(?:bonjour|bonsoir|salut|bienvenue|merci|au revoir|"
        r"à (?:bientôt|la prochaine)|"
        r"c'est tout|voilà|j'espère)\b",
        note=r"(?:attention|important|n'oubliez pas|pensez à|notez|veillez à|assurez-vous|remarque|conseil|jamais|"
        r"toujours|faites attention)\b",
        own=r"\b(?:je|j'\w+|me|moi|mon|ma|mes|nous|notre|nos)\b",
        title=r".*?\b(?:comment (?P<topic>.+)|(?:porte sur|au sujet de|consacrée? à) (?P<about>[^,]+))",
        section=rf"(?:.*\b)?(?:au|à la|avec l[ea]|le|la) {_FR_ORDINAL} (?:thème|partie|point|sujet|section|chapitre)\b"
        r"(?: est| porte sur|,|:)*\s+(?P<topic>.+)",
        correction=r"(?:non|attendez|attends|pardon|désolé|plutôt|enfin non)\b[,.!]?\s*(?:non|pardon|plutôt)?",
        refused=r"(?:vous |on |nous )?(?:avez|voyez|pouvez|savez|verrez|devez|allez voir|regardez|imaginez|n'oubliez|"
        r"notez)\b",
    ),
}
