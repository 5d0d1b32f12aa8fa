# What the page of credits says in the browser.
account-going = Everything of yours is being removed.
account-other-name = That is not your name: nothing was deleted.
