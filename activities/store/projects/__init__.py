"""Who is in a project: members, invitations, what somebody is to a thing, and whose a project is."""
