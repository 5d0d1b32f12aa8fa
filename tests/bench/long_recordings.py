"""Screen recordings of any length and size: the sample, over and over, its packets copied and not encoded again."""

from fractions import Fraction
from math import ceil
from pathlib import Path

import av

PAUSE_S = Fraction(1, 20)
"""Between two rounds, so that a track which ends a little later than the others does not run into its next round."""


def lasting(minutes: float, recording: Path, out: Path) -> Path:
    """Write ``recording`` to ``out`` as often as it takes to last ``minutes``. An hour takes some seconds."""
    with av.open(str(recording)) as source, av.open(str(out), "w") as sink:
        copies = {stream: sink.add_stream_from_template(stream) for stream in source.streams}
        packets = [packet for packet in source.demux() if packet.dts is not None]
        whole_s = max(((packet.pts or 0) + (packet.duration or 0)) * packet.time_base for packet in packets) + PAUSE_S
        held = [
            (packet, copies[packet.stream], packet.time_base, packet.pts or 0, packet.dts or 0) for packet in packets
        ]
        for number in range(ceil(minutes * 60 / whole_s)):
            for packet, copy, tick, pts, dts in held:
                later = round(number * whole_s / tick)
                packet.stream, packet.time_base = copy, tick  # muxing left the copy's own clock in it
                packet.pts, packet.dts = pts + later, dts + later
                sink.mux(packet)
    return out


def enlarged(recording: Path, out: Path, *, high: int) -> Path:
    """Write ``recording`` to ``out`` with pictures ``high`` pixels high, encoded as by a screen recorder, and its
    sound."""
    with av.open(str(recording)) as source, av.open(str(out), "w") as sink:
        pictures, sound = source.streams.video[0], source.streams.audio[0]
        wide = round(pictures.width * high / pictures.height / 2) * 2
        encoder = sink.add_stream("libx264", rate=pictures.average_rate, options={"crf": "23", "preset": "veryfast"})
        encoder.width, encoder.height, encoder.pix_fmt = wide, high, "yuv420p"
        copy = sink.add_stream_from_template(sound)
        for packet in source.demux(pictures, sound):
            if packet.dts is None:
                continue
            if packet.stream is sound:
                packet.stream = copy
                sink.mux(packet)
                continue
            for frame in pictures.decode(packet):
                sink.mux(encoder.encode(frame.reformat(wide, high, format="yuv420p", interpolation="BICUBIC")))
        sink.mux(encoder.encode(None))
    return out
