"""The pages where people work, served by the API process: templates, what runs in the browser, sessions."""
