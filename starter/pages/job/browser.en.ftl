# What modules here say in the browser. Sent with every page: keep it short.
retry-began = The job goes on.
job-delete-title = Delete this job?
job-delete-means = Its recording, text, pictures and exports are removed. It cannot be undone.
job-delete-yes = Delete the job
recording-delete-title = Delete the recording?
recording-delete-means = Text, pictures and exports stay. No further pictures can be taken from it. It cannot be undone.
recording-delete-yes = Delete the recording
