"""The frames of the worker's protocol, as they may come."""
import io
import json
import unittest

from tilescope import Failed, frames


def header(**fields):
    return "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in fields.items()).encode() + b"\r\n"


class Frames(unittest.TestCase):
    def test_what_is_written_is_read(self):
        sent = {"jsonrpc": "2.0", "id": 7, "params": {"text": "µ"}}
        stream = io.BytesIO(frames.encode(sent) + frames.encode({}))
        self.assertEqual(frames.read(stream).document(), sent)
        self.assertFalse(frames.read(stream).binary)
        self.assertIsNone(frames.read(stream))

    def test_a_binary_frame_names_its_call(self):
        frame = frames.read(io.BytesIO(header(
            content_length=3, CONTENT_TYPE=frames.BINARY, Tilescope_Id=9,
            Tilescope_Type="trace.raw") + b"a\r\n"))
        self.assertTrue(frame.binary)
        self.assertEqual((frame.call, frame.type, frame.body), (9, "trace.raw", b"a\r\n"))

    def test_what_a_login_shell_says_first_is_skipped(self):
        stream = io.BytesIO(b"Welcome!\nnews: tilescope-worker 1\nContent-Length: 2\n\n{}")
        frames.skip_to_magic(stream)
        self.assertEqual(frames.read(stream).document(), {})

    def refused(self, read, data, words):
        with self.assertRaises(Failed) as raised:
            read(io.BytesIO(data))
        self.assertIn(words, str(raised.exception))
        self.assertEqual(raised.exception.code, 4)

    def test_a_worker_that_is_none_is_refused(self):
        self.refused(frames.skip_to_magic, b"no such command\n", "ended before it announced")
        self.refused(frames.skip_to_magic, b"x" * frames.MAX_JUNK + b"y", "did not announce itself")
        self.refused(frames.skip_to_magic, b"tilescope-worker 2\n", "speaks protocol 2")

    def test_what_is_cut_short_or_too_long_is_refused(self):
        self.refused(frames.read, b"Content-Length: 5\r\n\r\nabc", "inside of a frame")
        self.refused(frames.read, b"Content-Length: 5\r\n", "cut short")
        self.refused(frames.read, b"Content-Length\r\n\r\n", "without a colon")
        self.refused(frames.read, b"Content-Length: -1\r\n\r\n", "frame of -1 bytes")
        self.refused(frames.read, b"A: 1\r\n\r\n", "frame of no bytes")
        self.refused(frames.read, header(Content_Length=frames.MAX_FRAME + 1), "the limit is")
        self.refused(frames.read, b"A: " + b"b" * frames.MAX_HEADER + b"\r\n", "too long")

    def test_no_message_is_larger_than_a_frame(self):
        with self.assertRaises(Failed):
            frames.encode({"ptx": "x" * frames.MAX_FRAME})
        self.assertLess(len(json.dumps({})), frames.MAX_FRAME)


if __name__ == "__main__":
    unittest.main()
