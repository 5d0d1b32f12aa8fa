# Webhooks and their deliveries.
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
