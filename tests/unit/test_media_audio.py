"""Sound: extracted in step with the picture, from the right track."""

from collections.abc import Callable, Sequence
from pathlib import Path

import av
import numpy as np
import pytest

from activities.media.audio import AudioFacts, extract_audio
from activities.media.probe import probe
from activities.media.sound import Samples, mono_weights
from activities.media.tracks import pick_speech_track
from domain.errors import Cancelled, MediaCodecUnsupported, MediaHasNoContent
from tests import recordings

Maker = Callable[[Path], Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "recordings"


def extracted(path: Path, tmp_path: Path, track: int = 0) -> tuple[AudioFacts, Samples]:
    """Extract the recording's n-th audio track and read the result back."""
    out = tmp_path / "sound.flac"
    facts = extract_audio(path, probe(path).audio[track].index, out)
    with av.open(str(out)) as written:
        (stream,) = written.streams.audio
        assert (stream.codec_context.name, stream.codec_context.sample_rate, stream.codec_context.channels) == (
            "flac",
            16_000,
            1,
        )
        samples = np.concatenate([frame.to_ndarray()[0] for frame in written.decode(audio=0)])
    return facts, (samples / 32768).astype(np.float32)


def beeps_heard_ms(samples: Samples) -> list[float]:
    """When loud stretches begin that at least 100 ms of quiet precede."""
    loud = np.nonzero(np.abs(samples) > 0.04)[0]
    starts = loud[np.diff(loud, prepend=-16_000) > 1_600]
    return [float(start) / 16 for start in starts]


@pytest.mark.parametrize(
    "make",
    [
        recordings.mp4,
        recordings.mp4_faststart,
        recordings.mp4_fragmented,
        recordings.mp4_variable_frame_rate,
        recordings.mp4_rotated,
        recordings.mp4_broken_tags,
        recordings.mov,
        recordings.mkv,
        recordings.webm,
        recordings.webm_without_duration,
        recordings.mpegts,
        recordings.avi,
        recordings.mkv_surround,
        recordings.mp4_surround_of_eight,
        recordings.mkv_with_a_hole_in_its_sound,
        recordings.mkv_with_a_damaged_sound_packet,
        recordings.wav,
        recordings.mp3,
        recordings.mp3_with_cover_art,
        recordings.m4a,
        recordings.ogg,
        recordings.flac,
    ],
)
def test_given_beeps_at_known_times_then_they_are_heard_at_these_times(
    make: Maker, folder: Path, tmp_path: Path
) -> None:
    facts, samples = extracted(make(folder), tmp_path)
    assert beeps_heard_ms(samples) == pytest.approx(recordings.BEEPS_MS, abs=50)
    assert facts.duration_ms == pytest.approx(len(samples) / 16, abs=1)
    assert facts.duration_ms == pytest.approx(recordings.DURATION_MS, abs=100)
    assert not facts.is_silent
    assert facts.peak_dbfs == pytest.approx(20 * np.log10(np.max(np.abs(samples))), abs=0.1)


def test_given_sound_that_starts_late_then_silence_stands_in_for_it(folder: Path, tmp_path: Path) -> None:
    facts, samples = extracted(recordings.mp4_with_late_sound(folder), tmp_path)
    due = [recordings.LATE_MS + beep for beep in recordings.BEEPS_MS]
    assert beeps_heard_ms(samples) == pytest.approx(due, abs=50)
    assert facts.filled_ms == pytest.approx(recordings.LATE_MS, abs=50)


def test_given_lost_packets_then_as_much_silence_is_filled_in(folder: Path, tmp_path: Path) -> None:
    facts, _ = extracted(recordings.mkv_with_a_hole_in_its_sound(folder), tmp_path)
    start, end = recordings.GAP_MS
    assert facts.filled_ms == pytest.approx(end - start, abs=50)


def test_given_a_clock_that_drifts_then_times_follow_the_timestamps(folder: Path, tmp_path: Path) -> None:
    _, samples = extracted(recordings.mkv_with_drifting_clock(folder), tmp_path)
    due = [1.02 * beep for beep in recordings.BEEPS_MS]
    assert beeps_heard_ms(samples) == pytest.approx(due, abs=60)


def test_given_a_damaged_packet_then_it_is_counted_and_the_rest_is_kept(folder: Path, tmp_path: Path) -> None:
    facts, _ = extracted(recordings.mkv_with_a_damaged_sound_packet(folder), tmp_path)
    assert 1 <= facts.damaged_packets <= 3


@pytest.mark.parametrize("make", [recordings.mkv_surround, recordings.mp4_surround_of_eight])
def test_given_dialogue_in_the_centre_then_the_mix_keeps_it_well_audible(
    make: Maker, folder: Path, tmp_path: Path
) -> None:
    facts, _ = extracted(make(folder), tmp_path)
    assert facts.peak_dbfs > -15  # the centre itself peaks at -6


@pytest.mark.parametrize(
    ("layout", "shares"),
    [
        ("stereo", (1, -1)),
        ("stereo", (1, -0.7)),
        ("3.0", (1, -1, 0)),
        ("5.1", (0, 0, 0, 0, 0, 1)),
        ("5.1", (0, 0, 0, 1, 0, 0)),
        ("5.1", (1, -1, 0, 1, 0, 0)),
        ("quad", (1, -1, 1, -1)),
    ],
)
def test_given_channels_that_cancel_each_other_out_or_a_voice_on_one_then_it_is_heard(
    layout: str, shares: Sequence[float], tmp_path: Path
) -> None:
    path = tmp_path / "phase.mkv"
    sound = np.outer(shares, recordings.beeps()).astype(np.float32)
    recordings.write(path, tracks=[recordings.Track(sound, codec="pcm_s16le", layout=layout)])
    facts, samples = extracted(path, tmp_path)
    assert facts.peak_dbfs > -8  # a beep peaks at -6
    assert beeps_heard_ms(samples) == pytest.approx(recordings.BEEPS_MS, abs=20)


def test_given_a_voice_of_opposite_phase_over_music_that_both_channels_share_then_it_is_heard(tmp_path: Path) -> None:
    path = tmp_path / "phase.mkv"
    music = 0.1 * np.sin(2 * np.pi * 110 * np.arange(recordings.beeps().size) / 48_000)
    sound = np.stack([music + recordings.beeps(), music - recordings.beeps()]).astype(np.float32)
    recordings.write(path, tracks=[recordings.Track(sound, codec="pcm_s16le", layout="stereo")])
    facts, _ = extracted(path, tmp_path)
    assert facts.peak_dbfs > -8  # a beep peaks at -6, the music at -20


def test_given_samples_that_are_no_numbers_then_the_others_are_heard(tmp_path: Path) -> None:
    path = tmp_path / "overflowed.mkv"
    sound = np.stack([recordings.beeps(), recordings.beeps()])
    sound[0, 60_000:60_100] = np.nan
    sound[1, 70_000] = np.inf
    recordings.write(path, tracks=[recordings.Track(sound, codec="pcm_f32le", layout="stereo")])
    facts, samples = extracted(path, tmp_path)
    assert np.isfinite(facts.rms_dbfs) and beeps_heard_ms(samples)[:1] == pytest.approx(recordings.BEEPS_MS[:1], abs=20)
    assert beeps_heard_ms(samples)[-1] == pytest.approx(recordings.BEEPS_MS[-1], abs=20)


def test_given_a_voice_on_one_side_then_the_usual_mix_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "left.mkv"
    sound = np.outer((1, 0), recordings.beeps()).astype(np.float32)
    recordings.write(path, tracks=[recordings.Track(sound, codec="pcm_s16le", layout="stereo")])
    assert extracted(path, tmp_path)[0].peak_dbfs == pytest.approx(-12, abs=0.5)


def test_given_silence_then_the_facts_say_so(folder: Path, tmp_path: Path) -> None:
    facts, samples = extracted(recordings.mp4_silent(folder), tmp_path)
    assert facts.is_silent
    assert facts.duration_ms == pytest.approx(recordings.DURATION_MS, abs=100)
    assert not samples.any()


def test_given_a_track_without_any_packet_then_the_facts_say_so_and_the_file_still_opens(tmp_path: Path) -> None:
    path = tmp_path / "empty-track.mkv"
    nothing = recordings.Track(recordings.beeps(), codec="pcm_s16le", keep=lambda _ms: False)
    recordings.write(path, film=recordings.STORYBOARD, tracks=[nothing])
    facts, samples = extracted(path, tmp_path)
    assert (facts.duration_ms, facts.is_silent, facts.damaged_packets) == (0, True, 0)
    assert len(samples) == 1_600


def test_given_a_track_of_noise_then_it_is_refused_and_no_file_is_left(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "noise.mkv"
    path.write_bytes(recordings.mkv(folder).read_bytes())
    with av.open(str(path)) as source:
        packets = {bytes(packet) for packet in source.demux(audio=0) if packet.size}
    for packet in packets:
        recordings.patch(path, packet, b"\xff" * len(packet))
    out = tmp_path / "sound.flac"
    with pytest.raises(MediaCodecUnsupported):
        extract_audio(path, 1, out)
    assert not out.exists()


def test_given_a_cancelled_job_then_extraction_stops_and_leaves_no_file(folder: Path, tmp_path: Path) -> None:
    def cancel(_position_ms: int) -> None:
        raise Cancelled("stop")

    out = tmp_path / "sound.flac"
    with pytest.raises(Cancelled):
        extract_audio(recordings.mp4(folder), 1, out, on_progress=cancel)
    assert not out.exists()


def test_given_the_same_recording_then_the_file_has_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.flac", tmp_path / "second.flac"
    for out in (first, second):
        extract_audio(recordings.mp4(folder), 1, out)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("channels", "shares"),
    [
        (["FC"], [1]),
        (["FL", "FR"], [0.5, 0.5]),
        (["FL", "FR", "FC", "LFE", "BL", "BR"], [0.2, 0.2, 0.5, 0, 0.05, 0.05]),
        (["LFE"], [1]),
    ],
)
def test_given_a_layout_then_no_mix_can_clip(channels: Sequence[str], shares: Sequence[float]) -> None:
    assert mono_weights(channels) == pytest.approx(shares)


# --- which track ---------------------------------------------------------------------------------------------------


def test_given_one_track_then_it_is_taken_unheard(folder: Path) -> None:
    path = recordings.mp4_silent(folder)
    choice = pick_speech_track(path, probe(path))
    assert (choice.index, choice.reason, choice.levels) == (1, "only_track", ())


def test_given_an_empty_default_track_then_the_one_with_sound_is_chosen(folder: Path) -> None:
    path = recordings.mp4_first_audio_track_empty(folder)
    choice = pick_speech_track(path, probe(path))
    assert (choice.index, choice.reason) == (2, "only_audible")
    assert [level.peak_dbfs < -100 for level in choice.levels] == [True, False]


def test_given_silent_tracks_then_the_first_is_chosen(folder: Path) -> None:
    path = recordings.mp4_all_audio_tracks_silent(folder)
    choice = pick_speech_track(path, probe(path))
    assert (choice.index, choice.reason) == (1, "all_silent")


def test_given_two_audible_tracks_then_the_one_with_more_speech_is_chosen(folder: Path) -> None:
    path = recordings.mkv_two_audible_tracks(folder)

    def beeps_are_speech(samples: Samples) -> Sequence[tuple[int, int]]:
        return [(0, samples.size // 2)] if len(beeps_heard_ms(samples)) == len(recordings.BEEPS_MS) else []

    choice = pick_speech_track(path, probe(path), judge=beeps_are_speech)
    assert (choice.index, choice.reason) == (2, "most_speech")


def loud_is_speech(samples: Samples) -> Sequence[tuple[int, int]]:
    return [(int(ms * 16), int(ms * 16) + 3_200) for ms in beeps_heard_ms(samples)]


def test_given_a_faint_and_a_loud_copy_then_the_loud_one_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "copies.mkv"
    copies = (0.01 * recordings.beeps(), recordings.beeps())
    recordings.write(path, tracks=[recordings.Track(each, codec="pcm_s16le") for each in copies])
    info = probe(path)
    choice = pick_speech_track(path, info, judge=lambda samples: [(0, samples.size // 2)])
    assert (choice.index, choice.also) == (info.audio[1].index, ())


OTHERS_MS, OWN_MS = range(200, 2_900, 300), range(3_050, 5_700, 300)


@pytest.mark.parametrize("own", [1.0, 0.1])
def test_given_two_tracks_that_speak_in_turn_then_both_are_heard_at_their_times(own: float, tmp_path: Path) -> None:
    path = tmp_path / "meeting.mkv"
    others, mine = recordings.beeps(at_ms=OTHERS_MS), own * recordings.beeps(at_ms=OWN_MS)
    recordings.write(path, tracks=[recordings.Track(each, codec="pcm_s16le") for each in (others, mine)])
    info = probe(path)

    def judge(samples: Samples) -> Sequence[tuple[int, int]]:
        return loud_is_speech(samples / max(1e-3, float(np.abs(samples).max(initial=0))))

    choice = pick_speech_track(path, info, judge=judge)
    assert {choice.index, *choice.also} == {each.index for each in info.audio}
    out, positions = tmp_path / "sound.flac", list[int]()
    facts = extract_audio(path, choice.index, out, also=choice.also, on_progress=positions.append)
    with av.open(str(out)) as written:
        samples = (
            np.concatenate([frame.to_ndarray()[0] for frame in written.decode(audio=0)]).astype(np.float32) / 32768
        )
    assert beeps_heard_ms(np.asarray(samples, dtype=np.float32)) == pytest.approx([*OTHERS_MS, *OWN_MS], abs=20)
    assert facts.duration_ms == pytest.approx(recordings.DURATION_MS, abs=100)
    assert positions == sorted(positions)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["meeting.mkv", "sound.flac"]


def test_given_a_second_track_that_repeats_the_first_then_one_is_heard(tmp_path: Path) -> None:
    path = tmp_path / "twice.mkv"
    tracks = [recordings.beeps(), 0.5 * recordings.beeps(at_ms=[each + 30 for each in recordings.BEEPS_MS])]
    recordings.write(path, tracks=[recordings.Track(each, codec="pcm_s16le") for each in tracks])
    assert pick_speech_track(path, probe(path), judge=loud_is_speech).also == ()


def test_given_two_audible_tracks_without_speech_then_the_louder_is_chosen(folder: Path) -> None:
    path = recordings.mkv_two_audible_tracks(folder)
    choice = pick_speech_track(path, probe(path))
    levels = {level.index: level for level in choice.levels}
    assert choice.reason == "loudest"
    assert choice.index == max(levels, key=lambda index: levels[index].rms_dbfs)


def test_given_a_long_recording_then_windows_all_over_it_are_heard(tmp_path: Path) -> None:
    """Two minutes; the second track speaks up only in the second one."""
    length_ms = 120_000
    path = tmp_path / "long.mkv"
    late = recordings.beeps(at_ms=range(60_000, 119_000, 400), duration_ms=length_ms)
    tracks = [recordings.Track(sound, codec="pcm_s16le") for sound in (recordings.silence(duration_ms=length_ms), late)]
    recordings.write(path, tracks=tracks)
    heard: list[int] = []
    choice = pick_speech_track(path, probe(path), heard.append)
    assert (choice.index, choice.reason) == (1, "only_audible")
    assert heard


def test_given_no_track_then_it_is_refused(folder: Path) -> None:
    path = recordings.mp4_without_sound(folder)
    with pytest.raises(MediaHasNoContent):
        pick_speech_track(path, probe(path))
