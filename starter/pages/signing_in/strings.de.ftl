# Anmelden.
sign-in = Anmelden
sign-in-title = Bei guidesmith anmelden
sign-in-here = Führen Sie auf Ihrem eigenen Rechner diesen Befehl aus: Er gibt eine Adresse aus, die Sie anmeldet.
sign-in-led = Eine andere Website hat hierher geführt, mit einer Adresse, die Sie als { $name } anmeldet. Machen Sie nur weiter, wenn Sie das wollten.
sign-in-as = Als { $name } anmelden
sign-in-token = Oder fügen Sie ein Token ein
sign-in-ticket-expired = Diese Anmeldeadresse ist abgelaufen, wurde schon benutzt, oder ein Teil von ihr fehlt. Führen Sie den Befehl noch einmal aus, um eine neue zu bekommen.
sign-in-token-refused = Dieses Token gilt nicht: Es ist abgelaufen, fehlerhaft oder nicht für hier. Holen Sie ein neues, und fügen Sie es ganz ein.
