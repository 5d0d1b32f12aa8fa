# Credits, what things cost, and all that is a person's.
credits-available = Can be spent
credits-reserved = Held for running jobs
credits-balance = In all
credits-entries = Entries
credits-when = When
credits-what = What
credits-account = Account
credits-amount = Amount
credits-job = its job
credits-none = Nothing has moved yet.
credits-nothing = You have nothing to spend. { $admin ->
    [yes] Give yourself some credits here.
   *[no] Ask whoever runs this for credits.
 }
credits-prices = Prices
credits-free = Everything else costs nothing.
posting-grant = Given
posting-reserve = Held for a job
posting-capture = Paid for a job
posting-release = Given back, unspent
posting-deduct = Paid for a job
posting-refund = Refunded
account-available = can be spent
account-reserved = held
account-issued = issued
account-earned = earned
price-image = Picture
price-copy = Copy
price-scrape = A web page's text
price-static_ad = Ad
price-ugc_video = Video
price-tts = Speech
grant-title = Give credits
grant-to = To whom
grant-reason = Why
grant-do = Give
account-title = Your data
account-export-is = Everything that is yours as one ZIP: jobs, documents, files, credits.
account-export = Download everything
account-delete-is = Every job with its files, every project and webhook is removed. The books keep what was posted, without your name.
account-delete = Delete everything
account-delete-title = Delete everything that is yours?
account-delete-means = It cannot be undone.
account-delete-name = To confirm, write { $name }
balances-title = What everybody has
balances-none = Nobody fits.
