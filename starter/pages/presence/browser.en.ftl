# What modules here say in the browser. Sent with every page: keep it short.
present-you = Another tab of yours
present-here = { $name } has this guide open
present-in = { $name } is at { $label }
present-writing-in = { $name } is writing in { $label }
present-is-here = { $name } is here
present-writes = { $name } is writing
present-same-block = { $count ->
    [one] { $names } is writing in this block too. Whoever saves second puts both texts together.
   *[other] { $names } are writing in this block too. Whoever saves later puts the texts together.
 }
