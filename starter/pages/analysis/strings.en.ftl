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
assumed-no-growth = What has no number in the earlier period has no growth.
assumed-joined = Rows are joined with { $table } by { $column }.
assumed-kept = Rows that find none in { $table } are kept, with nothing in its columns.
assumed-no-numbers = { $column } holds texts; { $share } of them are no numbers and are left out.
analysis-not-yours = Editors of { $owner }'s project answer the questions and run the plan.
