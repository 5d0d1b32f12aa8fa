# Exporting an instruction.
export-title = Export { $title }
export-new = New file
export-version = Version
export-newest = newest
export-failing = This version has problems that the editor shows. It can be exported all the same.
export-format = Format
export-format-PDF = PDF
export-format-PDF-is = Ready to print and send
export-format-DOCX = Word
export-format-DOCX-is = To go on writing elsewhere
export-format-HTML = Web page
export-format-HTML-is = One file, pictures inside
export-format-MD_ZIP = Markdown
export-format-MD_ZIP-is = A ZIP with its pictures
export-format-SRT = SRT captions
export-format-SRT-is = For video players
export-format-VTT = WebVTT captions
export-format-VTT-is = For web pages
export-format-MP4 = Video
export-format-MP4-is = The recording cut to its steps, with captions
export-format-MP4_VOICE = Video, read out
export-format-MP4_VOICE-is = The same, read by a voice
export-format-SITE = Website
export-format-SITE-is = A page of a site, with its pictures
export-format-CONFLUENCE = Confluence
export-format-CONFLUENCE-is = A page of your wiki, kept up to date by the next export
export-format-NOTION = Notion
export-format-NOTION-is = A page under yours, kept up to date by the next export
export-open-place = Open the page
export-do = Export
export-earlier = Exported before
export-none = Nothing exported yet
export-none-do = Choose a version and a format, and press Export. The file is here as soon as it is ready.
export-status = { $status ->
    [REQUESTED] Waiting
    [RUNNING] Being made
    [SUCCEEDED] Ready
   *[FAILED] Failed
 }
export-of-version = Version { $number }
export-download = Download
export-download-which = Download { $name }
export-preview = Look at the pages
export-preview-which = Look at the pages of { $name }
export-pages = { $count ->
    [one] One page
   *[other] { $count } pages
 }
export-page = Page { $number } of { $count }
export-pages-title = Pages of { $name }
export-pages-more = Only the first { $count } pages are shown here. Download the file for the rest.
export-pane = Pages of the file
export-pages-hint = Make or choose a PDF to look at its pages here.
export-took = made in { $seconds } s
export-again = Export the same version in the same format again to try once more.
export-warnings = What to know about this file
export-provenance = Where it comes from
export-provenance-frozen = Final since
export-provenance-version = Version
export-provenance-model = Written by
export-provenance-hand = hand
export-provenance-prompt = Prompt
export-provenance-pictures = Pictures
export-brand = Made with the brand of
export-provenance-brand = Brand
export-provenance-set = Set of pictures
export-provenance-checksum = SHA-256 of the file
export-older = Older files
export-newer = Newest files
