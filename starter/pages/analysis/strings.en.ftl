# Analyses: how they begin, their plan and their report.
new-analysis-title = New analysis
new-analysis-question = What do you want to know?
new-analysis-example = Total revenue by region and quarter, as a chart
new-analysis-files = Files
new-analysis-choose = Drop tables here, or choose them
new-analysis-choose-hint = CSV, Parquet or Excel; up to { $count } files of { $size } each
new-analysis-do = Send and plan
analysis-asked = The question
analysis-file-missing = has not arrived
analysis-chart = Chart { $name }
analysis-more-rows = The first { $count } rows; sorting orders these. The files have all.
analysis-files = Files
analysis-plan = The plan
analysis-planning = The plan is being drafted.
analysis-no-plan = A plan is drafted once all files have arrived.
analysis-understood = What was understood
understood-data = Data
understood-computed = Computed
understood-for-each = For each
understood-period = Period
understood-rows = Rows
understood-order = Order
understood-left-out = Left out
understood-guessed = Guessed
understood-to-know = To know
analysis-steps = Step by step
analysis-unknowns = What cannot be settled
analysis-unknowns-do = Change the question, or the steps, so that this does not matter.
analysis-questions = Questions
analysis-open = to be answered
analysis-other = Something else
analysis-answer = Answer
analysis-change-question = Ask something else
analysis-plan-anew = Plan that
analysis-edit-steps = Change the steps
analysis-edit-end = Leave them as they were
analysis-steps-json = As JSON, as programs send it
analysis-steps-hint = At most eight; each names the steps that it builds on. They are checked against your tables when they are saved.
analysis-save-steps = Save the steps
analysis-confirm = Confirm the plan
analysis-confirm-means = Freezes plan and data. Nothing is computed yet.
analysis-confirm-first = Answer the questions above first.
analysis-plan-again = Draft the plan again
analysis-run = Compute
analysis-run-means = Runs each step over your data, on guidesmith's own machine, without any way to the network.
analysis-answer-label = The answer
analysis-how = How it was computed
analysis-no-rows = No rows.
chart-order = Order
chart-order-computed = as computed
chart-order-most = largest first
chart-order-least = smallest first
chart-order-name = by name
chart-save-svg = Save as SVG
chart-save-png = Save as PNG
chart-values = Values of the chart; the arrow keys go from one to the next

# What the planner asks, offers and takes for granted, where it is not said in its own words, which are English.
question-goal = What is to be computed? Name a number and what it is for each of, in words of the columns.
question-which-meant = Which column is meant by “{ $words }”{ $more }?
question-which-grouped = Which column is meant by “{ $words }”, to group by?
question-which-be = Which column is to be { $words }?
question-what-be = What is to be { $words }?
question-when = Which column says when?
question-headings = { $count } columns have the heading “{ $words }”. Which is meant? ({ $more })
question-tables = Several tables hold “{ $words }”. Which is meant?
question-values = “{ $words }” is a value of several columns. Which is meant?
question-no-value = No row has { $column } “{ $words }”. Which value is meant?
question-count = No column is called “{ $words }”. What is to be counted?
question-count-or-sum = { $column } is a column of numbers. How many of them are there: what is meant?
question-share = { $column } goes from { $begin } to { $end }. Which number there is { $words }?
question-measure-named = No column is called “{ $words }”. Which column holds the numbers that are meant?
question-measure = Which column holds the numbers that are meant?
question-no-numbers-named = No column is called “{ $words }”. No column holds numbers that can be computed with. Are the rows to be counted?
question-no-numbers = No column holds numbers that can be computed with. Are the rows to be counted?
question-growth = Growth in which way, and from when to when?
question-years = Which years: one span, from the first to the last?
question-of-year = { $words } of which year?
question-unread = { $words } was not understood. Ask in other words, or say that it does not matter.
question-units = { $column } is in several units, which “{ $words }” tells. How is it to be computed?
question-called-totals = Some rows have { $words } as { $column }. Are they totals of the other rows?
question-totals = Rows with { $words } as { $column } hold what others add up to. Are they totals of them?
question-stands-in = { $column } holds { $words }, far from all others. Does that stand for “not known”?
question-texts = { $column } holds { $words } among numbers, which cannot be read as one.
question-parts = Some values of { $column } are set in, or called so: { $words }. Are they parts of the rows above them?
question-sheets = { $words } Which are meant?
option-rows = the number of rows
option-different = different values of { $column }
option-sum-of = the sum of { $column }
option-does-not-matter = does not matter
option-count-them = they are data: count them
option-leave-out = leave them out
option-all = all of them
option-as-they-stand = as the numbers stand
option-yes = yes
option-summary = a summary of every column
option-total-by = total { $column } by { $group }
option-each-rows = each row’s { $column }
option-total-of-group = the total { $column } of each group
option-for-each = for each { $column }
option-only = only { $words }
option-growth-percent = in percent, from { $begin } to { $end }
option-growth-amount = by amount, from { $begin } to { $end }
assumed-said-of = “{ $words }” is said of { $column }.
assumed-is-of = “{ $words }” is that of { $column }.
assumed-is-averaged = “{ $words }” is { $column }, and is averaged, as it was not said how.
assumed-is-added = “{ $words }” is { $column }, and is added up, as it was not said how.
assumed-averaged = { $column } is averaged, as it was not said how.
assumed-added = { $column } is added up, as it was not said how.
assumed-counted-back = “{ $words }” is counted back from the latest { $column } in the data, { $latest }.
assumed-is = “{ $words }” is { $column }.
assumed-once = Each { $column } is counted once, however many rows it has.
assumed-only-number = The number that is meant is { $column }, the only one there is.
assumed-each-is = Each { $column } is a { $every ->
    [day] day
    [week] week
    [month] month
    [quarter] quarter
   *[year] year
 }.
assumed-by-period = Time is shown by { $every ->
    [day] day
    [week] week
    [month] month
    [quarter] quarter
   *[year] year
 }, as no period was named.
assumed-first-of-all = The first { $count } are those of all groups together, not of each.
assumed-share = The share of each { $column } is given, that of all rows being 100 percent.
assumed-rows-counted = The rows are counted: each is one of the “{ $words }”.
assumed-left-out = { $words } was left out of account.
assumed-all-taken = All of them are taken: { $words }. Name one to have it alone.
assumed-counted-as = Each row is counted as one of the “{ $words }”.
assumed-no-growth = What has no number in the earlier period has no growth.
assumed-joined = Rows are joined with { $table } by { $column }.
assumed-kept = Rows that find none in { $table } are kept, with nothing in its columns.
assumed-no-numbers = { $column } holds texts; { $share } of them are no numbers and are left out.
analysis-not-yours = Editors of { $owner }'s project answer the questions and run the plan.

# What a plan says: its steps, and what was understood (activities/analysis/understanding.py).
plan-load = all rows of { $table }
plan-filter = rows where { $conditions }
plan-both = { $one } and { $other }
plan-either = { $one } or { $other }
plan-listed = { $some } and { $last }
plan-test-eq = { $column } is { $values }
plan-test-ne = { $column } is not { $values }
plan-test-lt = { $column } is less than { $values }
plan-test-le = { $column } is at most { $values }
plan-test-gt = { $column } is more than { $values }
plan-test-ge = { $column } is at least { $values }
plan-test-in = { $column } is one of { $values }
plan-test-not-in = { $column } is none of { $values }
plan-test-contains = { $column } contains { $values }
plan-test-starts-with = { $column } starts with { $values }
plan-test-ends-with = { $column } ends with { $values }
plan-test-is-null = { $column } is empty
plan-test-not-null = { $column } has a value
plan-derive = { $column } = { $formula }
plan-plus = { $left } plus { $right }
plan-minus = { $left } minus { $right }
plan-times = { $left } times { $right }
plan-divided-by = { $left } divided by { $right }
plan-part-year = year of { $column }
plan-part-quarter = quarter of { $column }
plan-part-month = month of { $column }
plan-part-week = week of { $column }
plan-part-day = day of { $column }
plan-part-weekday = weekday of { $column }
plan-part-hour = hour of { $column }
plan-number = { $column } as a number, nothing where it is none
plan-share = percent of the total of { $column }
plan-change-percent = percent change of { $column } to the { $along } before
plan-change-difference = difference of { $column } to the { $along } before
plan-running = running total of { $column } along { $along }
plan-within = { $formula } within { $columns }
plan-rows = number of rows
plan-measure-count = number of values in { $column }
plan-measure-count-distinct = number of distinct values in { $column }
plan-measure-sum = total of { $column }
plan-measure-mean = average of { $column }
plan-measure-median = median of { $column }
plan-measure-min = least of { $column }
plan-measure-max = most of { $column }
plan-for-each = { $measures } for each { $groups }
plan-over-all = { $measures } over all rows
plan-every-day = day of { $column }
plan-every-week = week of { $column }
plan-every-month = month of { $column }
plan-every-quarter = quarter of { $column }
plan-every-year = year of { $column }
plan-join = rows with { $keys }
plan-join-left = rows with { $keys }, and rows of the first that have no counterpart
plan-sort = rows by { $order }
plan-descending = { $column } (descending)
plan-ascending = { $column } (ascending)
plan-first-one = { $order }, the first one
plan-first-many = { $order }, the first { $count }
plan-chart-bar = a bar chart of { $values } over { $x }
plan-chart-line = a line chart of { $values } over { $x }
plan-chart-series = { $chart }, one for each { $series }
plan-summary = values, gaps and range of { $columns }
plan-summary-all = values, gaps and range of every column
plan-data = { $source }, { $rows } rows
plan-joined = joined by { $keys }: { $how }
plan-only = only those where { $conditions }
plan-all-rows = the number of rows
plan-computed-count = the number of values in { $column }
plan-computed-count-distinct = the number of different values in { $column }
plan-computed-sum = the total of { $column }
plan-computed-mean = the average of { $column }
plan-computed-median = the median of { $column }
plan-computed-min = the least of { $column }
plan-computed-max = the most of { $column }
plan-one-answer = nothing: one answer over all rows
plan-each-day = each day of { $column }
plan-each-week = each week of { $column }
plan-each-month = each month of { $column }
plan-each-quarter = each quarter of { $column }
plan-each-year = each year of { $column }
plan-by = by { $order }
plan-headed = { $name } (“{ $heading }”)

# What is to be known of the tables (activities/analysis/reading/inputs.py).
note-encoding-guessed = The text is not UTF-8 and was read as { $words }. Check letters with accents.
note-letters-lost = Some letters were lost before the file was sent (� stands for them): names may look alike.
note-letters-garbled = Some letters were written in one encoding and read in another before the file was sent (as “{ $words }”): names may stand there twice.
note-control-characters-removed = Control characters in the text were left out.
note-preamble-skipped = Lines above the heading were left out.
note-rows-twice-guessed = Rows that are there twice, to the letter, are computed with as often: { $words } of them.
note-rows-short-guessed = Some rows have fewer cells than the heading; the last ones are taken to be missing.
note-rows-apart-guessed = Some rows stand below a blank line, and are taken for rows of the same table.
note-cells-in-error-guessed = Some cells are in error (#REF! and the like). They count as empty.
note-remarks-left-out = Lines below the table that hold one text only were left out: { $words }.
note-remarks-among-left-out = Lines that begin with # and hold nothing else were left out: { $words }.
note-heading-repeated = Rows that repeat the heading were left out: { $words }.
note-heading-missing = The table has no heading, so its columns are numbered.
note-totals-left-out = Rows that add up the others were left out: { $words }.
note-totals-suspected = Some rows are called { $words }. They do not add up the others, and are taken for data.
note-sums-guessed = The numbers of { $words } are those of other rows added up, or their average. They may be totals, and are taken for data.
note-stand-ins-guessed = { $column } holds { $words }, apart from the others: it may stand for no value, and is computed with.
note-sheets-hidden = Hidden sheets were left out: { $words }.
note-hidden-counted-guessed = Some rows or columns of the sheet are hidden, as by a filter. They are computed with.
note-rows-grouped-guessed = Some rows of the sheet are grouped, as the parts of a sum are. All are taken for data.
note-formulas-empty-guessed = Some cells hold formulas that no program has computed yet, and count as empty. Open the workbook and save it.
note-labels-filled-guessed = { $column } names each group in its first row only, and the rows below were taken for rows of that group: { $words }.
note-merged-cells-filled = A name in merged cells was taken for each of their rows; a number in them counts once.
note-formats-unseen-guessed = In this kind of workbook only the values are read, and not what is hidden nor how numbers are shown: in which currency, or as percent. Save it as .xlsx where that matters.
note-shown-as-percent = { $column } is shown as percent: 0.12 is 12%.
note-percent-among-guessed = { $column } is shown as percent in some cells, and as plain numbers in others. All are taken as they are stored: 12% as 0.12.
note-currencies-of-formats = Only the format of the cells tells the currency of some numbers: { $words }.
note-sheets-together = Alike, and taken together: { $words }. The column { $column } tells them apart.
note-numbers-cleaned = { $column } was read as numbers, without signs and separators: { $words }.
note-number-format-guessed = { $column } was read as numbers, and nothing in the file tells which sign stands before decimals. Check that { $words }.
note-numbers-mixed = { $column } holds numbers with points and with commas before decimals ({ $words }), so it stays text.
note-units-mixed = { $column } holds numbers in several units ({ $words }), so it stays text.
note-texts-among-numbers = { $column } holds texts among numbers: { $words }.
note-identifiers-kept = { $column } holds numbers of 16 digits or more, kept to the digit, as text.
note-digits-lost = { $column } holds numbers of 16 digits or more, of which a workbook keeps 15: the rest is lost.
note-durations-as-hours = { $column } holds durations, read as hours and minutes and given in hours: { $words }.
note-date-order-of-file = { $column } was read as { $words }, as another column of the file is.
note-date-order-guessed = { $column } was read as { $words }; no date in it tells. Write dates as 2024-12-31.
note-century-guessed = { $column } has years of two digits, read as those from 1969 to 2068: { $words }.
note-era-guessed = { $column } holds years far ahead or long past, read as those of the common era: { $words }.
note-exponents-kept-guessed = { $column } holds texts such as { $words }, which may be names or numbers. They are taken for names.
note-dates-mixed = { $column } holds days before months and months before days, so it stays text.
note-zone-as-written = { $column } holds times with a zone ({ $words }), which are taken as they are written.
note-zones-as-utc = { $column } holds times of several zones ({ $words }), which were brought to UTC.
note-column-empty = { $column } holds no values.
note-column-left-out = Columns of binary data were left out.
note-units-row-left-out = A row of units below the heading was left out: { $words }.
note-table-below-guessed = What stands below a blank line, from { $words } on, has other columns and was left out. Send it in a file of its own.
note-parts-overlap-guessed = Rows that stand in several of the parts, to the letter, are computed with as often: { $words } of them.
note-units-partly-guessed = { $column } is in { $words } in some rows, and in nothing that is written in others. All are taken for the same.
note-days-as-hours-guessed = { $column } holds durations, given in hours, with a day as 24 of them: { $words }. Where a day of work is meant, write hours.

analysis-rows = { $count ->
    [one] one row
   *[other] { $count } rows
 }
analysis-rests = What it rests on
analysis-table = { $source }: { $rows ->
    [one] one row
   *[other] { $rows } rows
 }, { $columns ->
    [one] one column
   *[other] { $columns } columns
 }, as { $name }
analysis-of-inputs = To know of the files:
analysis-was-asked = Asked and answered:
analysis-csv-guard = In the CSV files, texts that a spreadsheet might take for a formula begin with an apostrophe; the Parquet files hold the values as they are.

# What the planner asks and offers more, and what no answer settles.
question-signs = { $column } has no signs, and “{ $words }” tells what comes in and what goes out: which?
question-percent = { $column } is percent, which has no sum. What is meant?
option-averaged = the average
option-added-up = add them up all the same
unknown-no-dates = The question speaks of time, and no column holds dates. Send data with dates (as 2024-12-31), or leave time out of the question.
unknown-apart = { $column } lies in { $one }, and other numbers in { $other }. Ask for them one at a time.
unknown-no-key = The tables { $one } and { $other } have no column in common that tells the rows of { $other } apart.
unknown-other-type = { $column } is of one type in { $one } and of another in { $other }. Write it in one way in both.
unknown-groups = At most { $count } groups fit beside a period. Leave out one of { $words }.
unknown-identifier = { $column } tells things apart: it is counted or grouped by, and nothing is computed with it.
unknown-ambiguous = Several columns have the heading of { $column }. Say which is meant.
unknown-lost = { $column } has lost digits in its workbook, and different values may be one. Send it as CSV.
unknown-multiplied = { $column } is joined to several rows each, and would count as often. Compute it before the join.
unknown-percent = { $column } is percent, which has no sum. Take its average.
unknown-units = { $column } is in several units, which { $words } tells. Group by it, or keep one of them.
unknown-counted = Rows are counted, and a total or an average is asked for. Say which column holds it.
unknown-sums = Rows with { $words } as { $column } hold what others add up to. Leave them out.
unknown-stand-ins = { $column } holds { $words }, which stands for no value. Leave these rows out.

# What is to be known of what a plan computes.
note-no-row = { $column } goes from { $least } to { $most }: no row meets the condition on it.
note-made-empty = { $column } is empty in { $count } of { $rows } rows: { $words } is, too.
note-time-empty = { $column } is empty in { $count } of { $rows } rows: they are in no period.
note-number-empty = { $column } is empty in { $count } of { $rows } rows: they count as nothing.
note-group-empty = { $column } is empty in { $count } of { $rows } rows: they are a group of their own.
note-rates-mixed = { $column } goes from { $least } to { $most }: parts of one and percent may be mixed.
note-rates-added = { $column } looks like rates or averages, which are added up here as they stand.
note-rates-averaged = { $column } looks like rates or averages: in their average each row counts the same.
note-parts-added = { $column } holds parts of one: they are added up here as they stand.
note-ranks-added = { $column } holds 1 to { $most }, each once, as ranks do: they are added up here as they stand.
note-states-added = { $column } looks like what there was at a time: of several times, it is added up as often.
note-versions = { $column } tells versions apart: all rows are computed with, also those that others replace.
note-alike = { $column } has values that are written differently, and are counted apart: { $words }.
note-model-answer = The language model answered twice with something that is no plan for these tables, so the built-in planner drafted this one. Check it, or configure another model.

# Titles that the planner gives steps.
title-all-rows = All rows of { $words }
title-with = With { $words }
title-groups-meant = The groups that are meant
title-rows-meant = The rows that are meant
title-as-numbers = { $words } as numbers
title-share = Share of { $words }, percent
title-change = Change of { $words }, percent
title-running = Running { $words }
title-two-periods = The two periods
title-growth = Growth of { $words }
title-became = What became of them
title-first-one = First one by { $words }, { $way ->
    [ascending] ascending
   *[descending] descending
 }
title-first = First { $count } by { $words }, { $way ->
    [ascending] ascending
   *[descending] descending
 }
title-ordered = In order of { $words }, { $way ->
    [ascending] ascending
   *[descending] descending
 }
title-summary = Summary
title-by = { $words } by { $groups }

# What a report found.
finding-none = **{ $words }**: no value
finding-no-rows = **Nothing to compute with**: no row meets the conditions
finding-gaps = **Gaps**: { $every ->
    [day] days
    [week] weeks
    [quarter] quarters
    [year] years
   *[month] months
 } between the first and the last that have no rows and are not listed: { $count }
finding-same = **{ $words }**: { $value } in each
finding-extremes = **{ $words }**: most in { $where } ({ $most }), least in { $other } ({ $least })
finding-trend = **{ $words }** went from { $first } ({ $begin }) to { $last } ({ $end }){ $change ->
    [none] {""}
   *[other] , { $change } %
 }; most: { $most } ({ $when })
finding-not-alone = **Not alone**: { $count } more left out with the same { $words } as the last row here.
finding-value = **{ $words }**: { $value }

# What the planner calls the numbers that it computes.
number-rows = number of rows
number-count = number of { $column }
number-sum = total { $column }
number-mean = average { $column }
number-median = median { $column }
number-least = least { $column }
number-most = most { $column }
question-size = { $column } counts in { $size }, and goes from { $begin } to { $end }. Which number there is { $words }?
question-which-number = Which number is { $words }?
question-time-or-value = “{ $words }” is a time, and a value of { $column }. Which is meant?
question-which-year = { $column } is not the year of { $other } in all rows. Which year is meant?
question-together = { $column } is one of several years, which { $other } tells. Are they taken together?
question-of-a-row = { $column } may have several rows. Is { $number } that of one of them, or of all together?
question-rows-of = The rows of which table are “{ $words }”?
question-count-of = { $column } is in { $words }. Those of which are counted?
option-the-time = the time
option-years-together = all years together
option-of-a-row = the { $column } of a row
unknown-keys = None of { $column } of { $one } ({ $words }) is in { $other }. Write them in one way.
assumed-keys = { $count } of { $all } { $column } are not in { $table }: { $words }.
note-remark-counted-guessed = The last row, { $words }, begins as a remark does, and is taken for data.
note-tables-beside-guessed = An empty column stands between { $words }. What is on both sides is taken for one table.
note-spellings-guessed = { $column } has names that are written in several ways, and are counted apart: { $words }.
note-set-in-guessed = Some values of { $column } are set in, as parts of the rows above are: { $words }. All are taken for data.
note-digits-short-guessed = { $column } holds numbers of which only the first digits were kept ({ $words }). Numbers that differ behind them are taken for one.
note-cells-struck-guessed = Some cells of the sheet are struck out. They are computed with.
note-numbers-unseen-guessed = Some numbers of the sheet have a format that shows nothing (;;;). They are computed with.
note-empty-kept = { $column } is empty in { $count } of { $rows } rows: they are kept, too.
note-weights-ignored = { $column } may say how much a row counts; in { $words } each counts the same.
note-percent-factor = { $column } is percent: in { $words } the number before the sign counts, 12 of 12%.
assumed-alone = “{ $words }” is taken alone, and not { $others }.
assumed-averaged-within = The average is that of the rows of each { $column }, not of what each comes to.
assumed-change-of-rows = A change is that since the last period that has rows; from 0 there is none.
question-best = Which { $column } is the { $way ->
    [best] best
   *[worst] worst
 }: the highest, or the lowest?
option-highest = the highest
option-lowest = the lowest
