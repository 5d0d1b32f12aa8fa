# The lifecycles of jobs.
lifecycles-are = Every kind of job has a table of the moves it may make. These are drawn from the code that checks each move.
lifecycles-drawing = The { $kind } lifecycle
lifecycles-everywhere = From every status that is not an end: { $statuses }.
lifecycles-no-ops = A move to the status that a job has already is a success that changes nothing.
lifecycles-rows = Every legal move
lifecycles-from = From
lifecycles-to = To
lifecycles-by = By
lifecycles-note = When
