"""The words and phrases of spoken English instructions: verbs, cues, fillers, asides, announcements.

Vocabulary only; ``utterances.py`` reads sentences with it. Every pattern ignores case and is matched against one
sentence, most of them at its start.
"""

import re


def _phrases(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


def _pattern(*pieces: str) -> re.Pattern[str]:
    return re.compile("".join(pieces), re.IGNORECASE)


VERBS = frozenset(
    (
        *("accept", "activate", "add", "adjust", "agree", "align", "allow", "answer", "apply", "archive"),
        *("arrange", "assign", "attach", "authorize", "browse", "build", "call", "cancel", "change", "check"),
        *("choose", "clear", "click", "clone", "close", "collapse", "combine", "commit", "compare", "complete"),
        *("configure", "confirm", "connect", "continue", "convert", "copy", "correct", "create", "crop"),
        *("customize", "cut", "deactivate", "define", "delete", "deploy", "deselect", "disable", "disconnect"),
        *("dismiss", "double-click", "download", "drag", "draw", "drop", "duplicate", "edit", "eject"),
        *("enable", "enter", "erase", "execute", "exit", "expand", "export", "extract", "fasten", "fill"),
        *("filter", "find", "finish", "fix", "flip", "fold", "follow", "format", "give", "go", "grab", "grant"),
        *("group", "head", "hide", "highlight", "hit", "hold", "hover", "import", "insert", "install"),
        *("invite", "join", "jump", "keep", "label", "launch", "leave", "left-click", "link", "list", "load"),
        *("lock", "log", "long-press", "long-tap", "look", "lower", "make", "map", "mark", "measure", "merge"),
        *("middle-click", "minimize", "mix", "mount", "move", "mute", "name", "navigate", "open", "paste"),
        *("pause", "pay", "pick", "pin", "pinch", "place", "plug", "point", "post", "pour", "press", "preview"),
        *("print", "proceed", "provide", "publish", "pull", "push", "put", "reboot", "record", "redo"),
        *("refresh", "register", "release", "reload", "remove", "rename", "reopen", "repeat", "replace"),
        *("reply", "reset", "resize", "restart", "restore", "resume", "return", "review", "right-click"),
        *("rotate", "run", "save", "scan", "schedule", "scroll", "search", "select", "send", "set", "share"),
        *("sign", "skip", "slide", "sort", "specify", "split", "start", "stop", "submit", "subscribe", "swap"),
        *("swipe", "switch", "sync", "tag", "take", "tap", "test", "tick", "tighten", "toggle", "trim"),
        *("triple-click", "try", "turn", "type", "uncheck", "undo", "ungroup", "unhide", "uninstall", "unlock"),
        *("unmute", "unplug", "unscrew", "untick", "unzip", "update", "upgrade", "upload", "use", "validate"),
        *("verify", "wait", "wipe", "wrap", "write", "zip", "zoom"),
    )
)
"""Verbs that people are told to do with software and with their hands. Saying, seeing and knowing are no steps."""


GERUNDS: dict[str, str] = {}
"""``clicking`` to ``click``, for every verb of :data:`VERBS`."""
PASTS: dict[str, str] = {}
"""``clicked`` to ``click``, of those that are built so."""

for _verb in VERBS:
    if _verb.endswith("e") and not _verb.endswith("ee"):
        GERUNDS[_verb[:-1] + "ing"] = _verb
        PASTS[_verb + "d"] = _verb
    else:
        GERUNDS[_verb + "ing"] = _verb
        PASTS[_verb + "ed"] = _verb
        if _verb[-1] not in "aeiouwxyh":
            GERUNDS[_verb + _verb[-1] + "ing"] = _verb
            PASTS[_verb + _verb[-1] + "ed"] = _verb

NOT_VERBS = frozenset(
    (
        *("is", "are", "was", "were", "am", "be", "been", "has", "have", "had", "do", "does", "did", "will", "would"),
        *("can", "could", "should", "may", "might", "must", "see", "know", "want", "need", "get", "think", "notice"),
        *("like", "love", "hope", "guess", "mean", "understand", "remember", "show", "explain", "say", "tell", "talk"),
        *("hear", "feel", "believe", "got", "there", "here", "when", "if", "that", "this", "because", "since", "as"),
        *("with", "for", "from", "in", "on", "at", "by", "to", "of", "and", "or", "but", "so", "while", "after"),
        *("before", "until", "once", "not", "all", "what", "where", "which", "how", "who", "let", "cover", "discuss"),
        *("inside", "under", "over", "into", "through", "above", "below", "behind", "beside", "during", "without"),
        *("than", "per", "via", "plus", "is", "isn't", "aren't", "consider", "enjoy", "wonder", "said", "went", "was"),
    )
)
"""Words that stand before 'the' or 'it' and are no instruction, for verbs that :data:`VERBS` does not know."""

OBJECT_WORDS = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "those", "it", "them", "your", "my", "our", "his", "her", "their"),
        *("to", "on", "in", "into", "at", "up", "down", "back", "over", "out", "off", "through", "for", "from", "and"),
        *("until", "while", "whether", "if", "how", "what", "which", "where", "all", "any", "each", "every", "another"),
        *("some", "one", "two", "three", "both", "again", "here", "there", "with", "as", "by", "sure"),
    )
)
"""Words that follow a verb rather than a noun used as one."""

POINTING = frozenset(("click", "press", "tap", "hit", "select", "choose", "type", "enter", "tick", "untick", "pick"))
"""Verbs that stand before names ("click add member") and are no nouns themselves."""

NO_STEP = _pattern(
    _phrases(
        r"\w+ (?:that's|it's|there's|what's|you're|we're|i'm|yeah)\b",
        r"take a (?:quick )?look",
        r"look (?:at|like|how)\b",
        r"keep in mind",
        r"make (?:sure|sense)\b",
        r"go (?:over(?! to\b)|through|with|into(?! (?-i:[A-Z])))\b(?! the menu)",
        r"leave (?:a|your) (?:comment|like)\b",
        r"hit (?:the )?(?:like|subscribe)\b",
        r"subscribe\b",
        r"give (?:you|us|me|this video)\b",
        r"use case",
        r"start(?:ed)? (?:with )?an? (?:quick )?(?:overview|introduction)",
        r"call it a day",
        r"jump (?:right )?in\b",
        r"find (?:out|that|myself|yourself)\b",
        r"turns? out",
        r"go(?: ahead)?$",
        r"start with \w+$",
        r"head (?!to\b|over\b|back\b|into\b)",
    )
)
"""Idioms that begin like a step and are none."""

VERB_AS_NOUN = re.compile(
    r"\w[\w-]*(?: [a-z][\w-]*){0,2} (?:is|are|was|were|has|have|had|will|can|appears?|opens?|shows?|lives?|works?|"
    r"varies|vary|contains?|means?)\b"
)
"""'search results appear', 'export settings are below': no instruction. Case counts: names are no such nouns."""

MUMBLE = _pattern(
    r"(?:,\s*)?\b(?:u+h+m*|u+m+|e+r+m*|h+m+|m+hm+)\b[,.]?|(?<=\bto), at\b|, at(?= (?:",
    "|".join(sorted(VERBS)),
    r")\b)",
)
"""Also "at" where no preposition can stand: how a recogniser writes an "uh"."""
QUESTION = _pattern(
    r"(?:(?:and|but|so|okay|or|then|now|wait|oh|ah|hm|right|cool|great|yes|no)\b,?\s+)*",
    _phrases(
        r"(?:where|what|how|which|why|who|when)(?: \w+){0,2}? (?:do|does|did|should|shall|can|could|would|will|is|are)"
        r" (?:i|we|you|it|that|this|they|the)\b",
        r"(?:do|does|did|should|shall|can|could|would|will|may|am|is|are)"
        r" (?:i|we|you|it|that|this|they|there|everybody)\b",
    ),
)
_TAKEN_BACK = _phrases(
    *(
        "no,? wait",
        "wait,? no",
        r"wait(?! (?:for|until|till|a|an|some|here|while)\b)",
        "oh,? no",
        "no,? sorry",
        "sorry",
        "i mean",
        "or rather",
        "scratch that",
    ),
    *(
        "actually,? no",
        "oops",
        "whoops",
        "my (?:mistake|bad)",
        "hang on",
        "hold on",
        "that's wrong",
        "not that one",
        "not yet",
    ),
)
CORRECTION = _pattern(
    rf"[,;.\u2026-]+\s*(?:(?:uh|um|oh|ah),?\s+)?(?:{_TAKEN_BACK}|no)\b[,.!]+\s*(?:(?:{_TAKEN_BACK}|no)\b[,.!]+\s*)*"
)
"""Within a sentence: what stands before it is taken back by what follows."""
CORRECTS = _pattern(
    rf"(?:(?:uh|um|oh|ah|and|but|so),?\s+)*(?:{_TAKEN_BACK}|no)\b[,.!]*\s+(?:(?:{_TAKEN_BACK}|no)\b[,.!]+\s*)*"
)
"""At a sentence's start: it takes back what was said before."""
ADDS = _pattern(
    r"(?:before (?:that|this|you|we|i)|first|also|(?:i|we|you) (?:forgot|also|should also|have to first))\b"
)
"""Behind that: it takes nothing back, but adds what has to be done, too."""
BEFORE = _pattern(r"before (?:that|this|doing (?:that|this|so)),")
"""An order that is not the one in which it is told: it stays in the heading."""
OWN = _pattern(r"\b(?:i|i'\w+|me|my|mine|myself|we|we'\w+|us|our|ours)\b")
"""Who speaks of himself."""
PARENTHESIS = _pattern(
    r",\s*", _phrases("you know", "i mean", "let me see", "let's see", "sort of", "kind of", "let's say"), r"\s*,"
)

FILLER = _pattern(
    _phrases(
        r"(?:okay|ok|so|alright|all right|anyways?|basically|obviously|essentially)\b[,.!]?",
        r"(?:well|right|now|and|oh|ah|yeah|yes|cool|great|perfect|good|actually|like|you know|i mean)[,.!]",
        r"(?:and|now|but)\b",
    ),
    r"\s*",
)
"""At a sentence's start: says nothing, and is left out."""

_WHO = r"(?:i|we|you guys|you)"
_BEING = r"(?:'m| am|'re| are)"
_MODAL = r"(?:'ll|'d| will| would like to| want you to| should| must| can)"
_MEANING_TO = r"(?: going to| gonna| about to| want to| wanna| need to| have to| gotta| should| can| must)"
_ADVERBS = "(?: just| simply| then| now| first| next)*"
_NUMBER = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)"
_WHICH = r"(?:very first|first|second|third|fourth|next|last|final|other|only)"
_USUALLY = "(?: usually| always| normally| typically| generally)?"
_THEY_DO = (
    rf"{_WHO}(?:{_BEING}|'ll| will)?{_USUALLY}(?:{_MEANING_TO}| like to| prefer to| tend to)?(?: do)?"
    "(?: next| now| here| first| then)*"
)

CUE = _pattern(
    _phrases(
        r"first(?:ly)?(?: of all| off| up| things first)?",
        r"(?:second|third|fourth)(?:ly)?",
        r"finally|lastly",
        r"next(?: up| step)?",
        r"then|after that|afterwards?|at this point",
        rf"(?:number )?{_NUMBER}(?=[,:])",
        r"from (?:here|there)|(?:in )?(?:here|there)(?=,? (?:you|we|i)\b)",
        r"once (?:that's|that is|it's|you're) (?:done|finished|complete|there|ready)",
        r"to (?:start|begin)(?: with| off)?",
        rf"step (?:number )?{_NUMBER}(?: is(?: to)?)?",
        rf"(?:the )?{_WHICH}(?: and (?:final|last))? (?:thing|step)(?: that)?(?: {_THEY_DO})? is(?: to)?",
        rf"what {_THEY_DO} is(?: to)?",
        rf"the way (?:that )?{_THEY_DO} (?:it|this|that) is(?: to)?",
        rf"(?:the )?{_WHICH} (?:thing|step)(?= (?:you|we|i)\b)",
        r"all (?:you|we) (?:have to|need to|gotta) do is(?: to)?",
    ),
    r"\b[,:;]?\s*",
)
"""At a sentence's start: an instruction is about to be given."""

SOFTENER = _pattern(
    _phrases("please", "just", "simply", "go ahead and", "quickly", "now", "then", "first", "again", "next"),
    r"\b,?\s+(?=\S)",
)

SUBJECT = _pattern(
    _phrases(
        r"let me",
        r"let's|let us|lets",
        rf"{_WHO}(?:{_MODAL}|'ve got to| have got to)?{_BEING}?{_ADVERBS}{_MEANING_TO}{{0,2}}",
    ),
    r"\s+",
)
"""Who does it and how sure they are: what an imperative goes without."""

PROGRESSIVE = _pattern(_BEING, r"(?: \w+)?\s+$")
OPTION = _pattern(
    r"(?:i|we|you) (?:can|could|may|might) (?:also|always|even|either)\b|"
    r"you(?:'ll| can| could| will| should) (?:find|see)\b|"
    r"(?:(?:and|but|so),?\s+)?if\b[^,]*,\s*(?:then )?(?:i|we|you) (?:can|could|may|might)\b"
)
IF = _pattern(r"\W*(?:(?:and|but|so|or),?\s+)*if\b")
POSSIBLE = re.compile(r"\b(?:i|we|you) (?:can|could|may|might)\b", re.IGNORECASE)
"""What could be done ("you can rename it whenever you like")."""
SO_PRESS = _pattern(
    r",?\s+so,?\s+(?:(?:just|simply|then|now|go ahead and|let's|let me|(?:i|we|you)(?:'ll| will| can)?)\s+)*"
    rf"(?=(?:(?:double|right)[- ])?(?:{'|'.join(sorted(POINTING | {'uncheck', 'toggle'}))})\s)"
)
"""Where what is to be done follows why ("it asks once more, so click Yes"). With other verbs it is often a manner of
speaking ("so give it a second")."""
AIMED_AT = _pattern(r"\b(?:need|needs|want|wants|have|like|going|gonna|wanna|gotta|trying)\b")
"""In the words before that: what is wanted, which the pressing does."""
AIM = _pattern(r"(?:in order to|to|for)\s")
"""At a sentence's start: what for."""
STARTING_BY = _pattern(r"(?:start|begin|continue|finish)(?: off| out)? by\s+")
MOUSE_BUTTON = _pattern(r"(?P<how>(?:right|double|left|middle|triple)(?=.click)|long(?=.(?:press|tap)))[ -](?=\w)")
"""How something is pressed, which is part of its verb."""
PRESS_ON = _pattern(
    r"((?:(?:right|double|left|middle|triple)-)?click|(?:long-)?(?:tap|press)|hit)(?: down)? on\b(?! and off)"
)

_PLACES = "in|on|at|from|under|inside|within"
SETTING = _pattern(
    rf"(?:in order to|as soon as|{_PLACES}|with|for|to|once|when|after|before|while|here|using|over|up|down|by|because|"
    r"since|underneath|below|above|next to|(?:as|like) (?:i|we) (?:said|mentioned))\b[^,]*,\s+"
)
"""When, where or what for: 'In the top right corner, …'. Not 'if': an instruction under a condition is an aside."""

SETTING_WITHOUT_COMMA = re.compile(
    rf"(?i:{_PLACES})(?: \w[\w-]*){{1,6}}? (?=(?:click|tap|choose|select|press|pick|type|enter)\b(?: on)? "
    r"(?:(?:the|a|an|your|this|that)\b|[A-Z]))"
)

AIM_WITHOUT_COMMA = re.compile(
    r"(?i:to|in order to) (?!(?:the|a|an|your|this|that)\b)\w[\w-]*(?: \w[\w-]*){1,6}? "
    r"(?=(?i:click|tap|press|hit|choose|select)\b(?: on)? (?i:the|a|an|your|this|that|control|ctrl|command|alt|shift|"
    r"option|escape|enter|[A-Z])\b)",
)
"""What for, of a recogniser that hears no pause: "To undo this press Control Z"."""

NOTE = _pattern(
    _phrases(
        r"(?:please )?note\b",
        r"remember\b",
        r"(?:keep|bear) in mind",
        r"be (?:careful|aware|sure)",
        r"careful\b",
        r"important(?:ly)?\b",
        r"by the way",
        r"warning\b",
        r"(?:a |one |pro |quick )*tips?\b",
        r"as a (?:side )?note",
        r"make sure",
        r"(?:don't|do not|never|always)\b",
        r"just so you know",
        r"one thing to (?:note|remember|watch)",
    )
)

_FILLERS = r"okay|ok|alright|all right|so|great|perfect|yeah|yes|cool|um|uh"
BEGINS_WITH_FILLER = _pattern(_phrases(_FILLERS), r"\b")
COURTESY = _pattern(
    r"(?:(?:so|and|well|okay|ok|alright|all right),? )*",
    _phrases(
        r"hi|hello|hey|welcome(?: back)?",
        r"good (?:morning|afternoon|evening)",
        r"thanks|thank you",
        r"see you|bye|goodbye|cheers|take care",
        r"have a (?:nice|good|great)",
        r"let's (?:get started|go$|jump (?:right )?in|dive (?:right )?in)",
        _FILLERS,
    ),
    r"\b",
)
COURTESY_WORDS = 9
"""A longer sentence says something besides."""

_SUBORDINATE = "when|where|if|as|since|it|you|we|this|that|there|but|i|like"
CLAUSE = _pattern(
    _phrases(
        r",?\s+(?:so that|so (?:you|we|i|it|that)|which|because|in order to|where (?:you|we|it))\b",
        r",?\s+(?:as (?:you|we) can see|if you)\b",
        r",?\s+and (?:you|we|it|that|this|there|i|they|he|she|boom|voilà)(?:'ll|'re|'s|'m)?(?=[ ,])",
        r"[;:]\s",
        rf",\s+(?=(?:{_SUBORDINATE})\b)",
        r"\s+-\s+",
    )
)
"""Where the instruction ends and its explanation begins."""

SEQUENCE = _pattern(r"[,;]?\s+(?:and\s+)?(?:then|after that|finally|afterwards)\b,?\s+|[,;]\s+(?:and\s+)?|\.\.\.\s+")
"""Where one action may follow another."""
JOINED_VERB = _pattern(r"(?:\b(?:and|then)|,)\s+(?:then\s+)?([a-z-]+)\b( (?:it|them)\b)?")
"""Where a word stands that may be another action, and whether it is done to something: "and unplug it"."""
AND_CLICK = re.compile(
    r"(?<!\bcopy)(?<!\bcut),?\s+and\s+(?="
    r"(?:(?:left|right|double)[ -])?(?:click|press|tap|hit|untick|uncheck)\s+(?!of\b|and\b|or\b)|"
    r"(?:enter|type|choose|select|pick|paste|open|tick|upload)\s+(?:the|a|an|your|my|our|this|that)\s)",
    re.IGNORECASE,
)
"""Where one surely does, though grammar may take the verb for a noun ("select order 5,521 and click refund order")."""

_SHOW = _phrases(
    *("video", "tutorial", "guide", "lesson", "screencast", "demo", "demonstration", "walkthrough", "overview"),
    *("introduction", "recording", "course", "session"),
)
_THIS_SHOW = rf"in (?:this|today's) (?:\w+ )?{_SHOW}"

GREETING = _pattern(r"(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^,.]{0,30}[,.]\s+(?:and )?")
HOW_TO = _pattern(r"\bhow (?:to|you can|we can|do (?:you|we|i)|you|we|i) (?P<topic>[a-z].+)")
ASKED = _pattern(r"\b(?:ask|asks|asked|asking|wondering|wanted to know|want to know|question)\b")
"""What somebody asked is what the recording answers."""
ANNOUNCES = _pattern(
    r"\b",
    _phrases(
        *(_SHOW, "today", "show", "teach", "walk", "learn", "demonstrate", "explain", "going to", "gonna", "i'll"),
        *("we'll", "let me", "see", "look", "this is", "here's", "here is", "cover"),
    ),
    r"\b",
)
WELCOME = _pattern(
    r"welcome(?: back)? to (?P<topic>(?:(?:the|this|our|my) )?(?:[\w-]+ ){0,4}?",
    rf"(?:{_SHOW}|training|workshop|class|onboarding)\b.*)",
)
"""A course is called what it is welcomed as: "welcome to the administrator training for Orbit Desk"."""
THIS_IS_ABOUT = _pattern(
    rf"(?:this|today's|the) (?:[\w-]+ )?{_SHOW} (?:is (?:all )?about|covers|deals with|explains|shows(?: you)?)",
    r" (?P<topic>.+)",
)
ABOUT = _pattern(
    r"\b(?:this is|welcome to|welcome back to|here's|here is)(?: \w+){0,3}? ",
    rf"(?:\w+ )?{_SHOW} (?:on|to|about|for|of|covering) (?P<topic>.+)",
)
QUICK_ONE = _pattern(
    rf"(?:just )?(?:a )?(?:quick|short|brief) (?:one|{_SHOW}|tip|note)(?: (?:today|for you|here))*,?",
    r" (?:on|about) (?P<topic>.+)",
)
PLAN = _pattern(
    rf"(?:{_THIS_SHOW}|today)\b,? {_WHO}(?:'ll|'re| will| are|'m| am)?(?: be)?(?: going to| gonna)? (?P<topic>\w.+)"
)
WILL = _pattern(r"(?:we|i)(?:'ll| will|(?:'re| are|'m| am) (?:going to|gonna)) (?P<topic>\w.+)")
TO_DO = _pattern(
    r"(?:in order )?to (?P<topic>(?!(?:start|begin|finish|end|continue|go|do|get|keep|try|use|make)\b)",
    r"[\w-]+ \w[^,]*),\s",
)
"""How one begins that says what its first step is for: "to turn on dark mode, …"."""
HERE_WE = _pattern(r"here,? (?:we|i)(?:'ll| will|'re going to| are going to)? (?P<topic>\w.+)")
"""How a recording begins that says at once what is done in it: "we will install Orbit on Windows"."""
TOPIC_END = _pattern(
    rf"[.!?;:]|,\s|\s+(?:{_THIS_SHOW}|today|so (?:that|you|let)|and (?:then )?(?:i|we|you|it|how)|because|which)\b"
)
TOPIC_LIMIT = 90
"""Characters of a topic that can be a title."""

EMPTY_TITLE_WORDS = frozenset(
    {"the", "a", "an", "it", "this", "that", "do", "use", "get", "started", "work", "works", "in"}
)

_ORDINAL = _phrases(
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "next", "last"),
    *("final", "other", "following"),
)
_PART = _phrases("topic", "part", "section", "chapter", "module", "lesson", "subject", "unit", "area", "block")
_NUMBERED = rf"(?:(?:the |our )?(?:very )?{_ORDINAL}(?: and (?:final|last))? {_PART}|{_PART} (?:number )?{_NUMBER})"
_ABOUT = (
    r"(?:,? we(?:'ll| will| are going to) (?:look at|talk about|cover|see)|,? (?:which|that) is"
    r"|,? (?:is|will be|covers|deals with|called|on|of the \w+)|,|:)*(?: all)?(?: about)?,? "
)
SECTION = _pattern(
    r"(?:(?:and|so|now|okay|then|right|next|well),? )*",
    r"(?:in |(?:(?:let's|let us|we'll|we will|we|i'll|i will|i'm going to|we're going to|we can|let me)"
    r"(?: now| then)? )?"
    r"(?:start|begin|move|go|continue|turn|come|get|jump|switch|proceed|head|look|talk)(?: on| over| off)?"
    r"(?: with| to| into| at| about)? |(?:that|this) brings us to |on to |moving on to |coming to |welcome to )?",
    _NUMBERED,
    _ABOUT,
    r"(?P<topic>\w.*)",
)
"""The next topic, called one: "let's move on to the third topic, billing"."""
NEXT_TOPIC = _pattern(
    r"(?:(?:and|so|now|okay|then|right|well),? )*",
    _phrases(
        r"next up(?:,| is| are|:| we have)",
        r"(?:let's|let us|we'll|i'll|let me)(?: now)? (?:move on to|turn to|talk about|continue with|go on with)",
        r"(?:moving on to|that brings us to|this brings us to|on to|coming to|now for)",
        r"(?:next|now),? (?:let's|let us|we'll) (?:talk about|look at|turn to)",
    ),
    r"(?: the)? (?P<topic>\w.*)",
)
"""The next topic, perhaps: so can a step be announced, which the screen then answers."""

OUTRO = _pattern(
    _phrases(
        r"(?:that|this|it)(?:'s| is| was| will be)(?: (?:about|basically|pretty much|really|all|just))*"
        r" (?:all|it|everything|how|the (?:whole|end|last)|there is|we have)\b",
        r"(?:that|this) (?:concludes|completes|wraps|brings us to the end)",
        r"(?:and )?(?:we're|we are|you're|you are|i'm) (?:all )?(?:done|finished|good)\b",
        r"(?:i )?hope (?:that|this|it|you)",
        r"(?:if you (?:have|liked|enjoyed)|let me know|feel free|please subscribe|until next|good luck|enjoy)\b",
        r"(?:great|perfect|cool|super)?,? ?(?:thanks|thank you|bye|cheers|see you"
        r"|take care|have a (?:nice|good|great|lovely))\b",
    )
)
"""At the end of a recording: the speaker takes his leave."""
RESULT = _pattern(
    r"(?:here |now |then |there )*(?:you|we|i)(?:'ll| will| should| can|'re going to)*(?: now| then| also)* "
    r"(?:see|notice|get|find|have|hear)\b"
)
"""What came of an action: no step."""
