# The list of jobs.
jobs-none = No jobs yet
jobs-none-do = Record your screen, talk while you work, and drop the recording here.

search-jobs = Title, file or prompt
jobs-none-fit = No jobs fit
jobs-none-fit-do = Change what you look for.
jobs-all = Show all jobs
