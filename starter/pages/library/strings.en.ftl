# The library.
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
