# Lifecycles, library, credits and webhooks.
lifecycles-are = Every kind of job has a table of the moves it may make. These are drawn from the code that checks each move.
lifecycles-drawing = The { $kind } lifecycle
lifecycles-everywhere = From every status that is not an end: { $statuses }.
lifecycles-no-ops = A move to the status that a job has already is a success that changes nothing.
lifecycles-rows = Every legal move
lifecycles-from = From
lifecycles-to = To
lifecycles-by = By

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

library-medium = Sort
library-none = Nothing here yet
library-none-start = Start something
library-none-do = Pictures, clips, captions and speech that your jobs make are kept here.
medium-picture = Pictures
medium-audio = Sound
medium-video = Videos
medium-document = Documents
medium-one = { $medium ->
    [picture] Picture
    [audio] Sound
    [video] Video
   *[document] Document
 }
asset-open = Open “{ $name }”

webhooks-are = Addresses of yours that are told what happens to your jobs, signed by Standard Webhooks.
webhooks-made = The endpoint is made
webhooks-secret = Keep this secret: it signs what is sent, and is not shown again.
webhooks-none = No endpoints yet
webhooks-none-do = Add an address to be told when a job ends.
webhooks-new = New endpoint
webhooks-url = Address
webhooks-description = What it is for
webhooks-events = Events
webhooks-events-none = None chosen: everything is told.
webhooks-everything = everything
webhooks-add = Add
webhooks-delete = Delete
webhooks-delete-title = Delete this endpoint?
webhooks-delete-means = Nothing more is sent there, not even what is on its way.
webhooks-deliveries = Deliveries
webhooks-redeliver = Send once more
webhooks-attempts = { $count ->
    [one] 1 request
   *[other] { $count } requests
}
deliveries-none = Nothing was sent there yet
deliveries-none-do = The next thing that happens to a job of yours will be.
delivery-pending = On its way
delivery-delivered = Delivered
delivery-failed = Failed
lifecycles-note = When
