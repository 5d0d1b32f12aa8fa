# The editor of an instruction, and the tabs above all pages of one.
instruction-pages = Pages of this instruction
instruction-tab-editor = Editor
instruction-tab-transcript = Transcript
instruction-tab-versions = Versions
instruction-tab-export = Export
instruction-tab-job = Job
