# Everybody's jobs, for administrators.
nav-administration = Administration
administration-jobs = Everybody's jobs
administration-job = Job
administration-place = Kind and state
administration-all-of = { $kind }: all
administration-user = User
administration-to-review = Only given up, and not reviewed
administration-retry = Give it another attempt
administration-review = Review
administration-note = What was found
administration-reviewed = Note it as reviewed
actor-owner = by its owner
