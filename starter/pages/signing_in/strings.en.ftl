# Signing in.
sign-in = Sign in
sign-in-title = Sign in to guidesmith
sign-in-here = On your own machine, run this command: it prints an address that signs you in.
sign-in-led = Another site has led here, with an address that signs you in as { $name }. Go on only if you asked for it.
sign-in-as = Sign in as { $name }
sign-in-token = Or paste a token
sign-in-ticket-expired = This sign-in address has expired, was used before, or a part of it is missing. Run the command again for a new one.
sign-in-token-refused = This token does not hold: it is expired, malformed, or not for here. Get a new one, and paste all of it.
