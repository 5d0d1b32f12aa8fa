"""The few words that a publication adds to the writer's own, in the language of the document."""

from dataclasses import dataclass

RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})


@dataclass(frozen=True, slots=True)
class Labels:
    """``step`` and ``version`` stand before a number, ``outcome`` above a picture of what came of a step, ``whole``
    below a part of a picture."""

    contents: str
    step: str
    note: str
    source: str
    version: str
    outcome: str
    whole: str
    warning: str


ENGLISH = Labels("Contents", "Step", "Note", "Made from", "Version", "Result", "Whole picture", "Warning")

_BY_LANGUAGE = {
    "ar": Labels("المحتويات", "الخطوة", "ملاحظة", "المصدر", "الإصدار", "النتيجة", "الصورة كاملة", "تحذير"),
    "de": Labels("Inhalt", "Schritt", "Hinweis", "Erstellt aus", "Version", "Ergebnis", "Ganzes Bild", "Warnung"),
    "en": ENGLISH,
    "es": Labels(
        "Índice", "Paso", "Nota", "Hecho a partir de", "Versión", "Resultado", "Imagen completa", "Advertencia"
    ),
    "fr": Labels(
        "Sommaire", "Étape", "Remarque", "Réalisé à partir de", "Version", "Résultat", "Image entière", "Attention"
    ),
    "he": Labels("תוכן העניינים", "שלב", "הערה", "מקור", "גרסה", "תוצאה", "התמונה המלאה", "אזהרה"),
    "it": Labels(
        "Indice", "Passaggio", "Nota", "Ricavato da", "Versione", "Risultato", "Immagine intera", "Attenzione"
    ),
    "ja": Labels("目次", "手順", "注", "元の録画", "版", "結果", "全体の画像", "警告"),
    "ko": Labels("목차", "단계", "참고", "원본", "버전", "결과", "전체 그림", "경고"),
    "nl": Labels(
        "Inhoud", "Stap", "Opmerking", "Gemaakt van", "Versie", "Resultaat", "Hele afbeelding", "Waarschuwing"
    ),
    "pl": Labels("Spis treści", "Krok", "Uwaga", "Na podstawie", "Wersja", "Wynik", "Cały obraz", "Ostrzeżenie"),
    "pt": Labels("Índice", "Passo", "Nota", "Feito a partir de", "Versão", "Resultado", "Imagem completa", "Aviso"),
    "ru": Labels(
        "Содержание", "Шаг", "Примечание", "Источник", "Версия", "Результат", "Всё изображение", "Предупреждение"
    ),
    "uk": Labels("Зміст", "Крок", "Примітка", "Джерело", "Версія", "Результат", "Повне зображення", "Попередження"),
    "zh": Labels("目录", "步骤", "注意", "来源", "版本", "结果", "完整图片", "警告"),
}


def primary_language(tag: str | None) -> str:
    """The language of a BCP 47 tag (``pt-BR`` → ``pt``); English where there is none or it is not well formed."""
    language = (tag or "").replace("_", "-").split("-")[0].lower()
    return language if language.isascii() and language.isalpha() and 2 <= len(language) <= 3 else "en"


def labels_of(tag: str | None) -> Labels:
    """The labels in the document's language, else in English."""
    return _BY_LANGUAGE.get(primary_language(tag), ENGLISH)
