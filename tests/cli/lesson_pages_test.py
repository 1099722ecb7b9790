"""`lessons --html`: pages for a browser. They are whole HTML, each step is there with its picture and with
what was found, in either language, and what cannot be written is one sentence."""
import os
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser

CLI = sys.argv[1]
EMPTY = {'meta', 'link', 'img', 'source', 'br', 'hr'}
LESSONS = ('03_banks', '02_coalescing')


class Page(HTMLParser):
    """What a page holds; its tags must close in order."""

    def __init__(self, path):
        super().__init__()
        self.open_tags, self.steps, self.files, self.links, self.text = [], [], [], [], ''
        self.language = None
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())
        assert not self.open_tags, self.open_tags

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in EMPTY:
            self.open_tags.append(tag)
        if tag == 'html':
            self.language = attrs['lang']
        if tag == 'section':
            self.steps.append(attrs['id'])
        if tag in ('img', 'source'):
            self.files.append(attrs.get('src') or attrs.get('srcset'))
        if tag == 'img':
            assert attrs['alt'], attrs
        if tag == 'a':
            self.links.append(attrs['href'])

    def handle_endtag(self, tag):
        assert self.open_tags and self.open_tags.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


def write(*arguments):
    return subprocess.run([CLI, 'lessons', '--html', *arguments], capture_output=True, text=True, timeout=600)


class LessonPages(unittest.TestCase):
    def pages(self, *arguments, lessons=LESSONS):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        out = os.path.join(folder.name, 'made', 'by it')
        done = write(out, *lessons, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return out

    def test_each_step_has_its_picture_and_what_was_found(self):
        out = self.pages()
        index = Page(os.path.join(out, 'index.html'))
        self.assertEqual(index.links, [f'{name}.html' for name in sorted(LESSONS)])
        for name in LESSONS:
            page = Page(os.path.join(out, f'{name}.html'))
            self.assertEqual(page.language, 'en')
            self.assertEqual(page.steps, [f'step-{i + 1}' for i in range(len(page.steps))])
            self.assertGreaterEqual(len(page.files), 2)
            self.assertEqual(page.text.count('What is found'), len(page.steps))
            self.assertEqual(page.text.count("./run --open 'tilescope:1."), len(page.steps))
            for file in page.files:
                with open(os.path.join(out, file), encoding='utf-8') as svg:
                    text = svg.read()
                self.assertIn('<svg', text)
                self.assertGreater(len(text), 3000, file)
            for link in page.links:
                self.assertTrue(os.path.exists(os.path.join(out, link)), link)

    def test_in_chinese_and_with_links_into_the_web_page(self):
        out = self.pages('--language', 'zh-CN', '--page', '../index.html?a=1&b=2', lessons=['03_banks'])
        page = Page(os.path.join(out, '03_banks.html'))
        self.assertEqual(page.language, 'zh-CN')
        self.assertNotIn('What is found', page.text)
        into = [link for link in page.links if link.startswith('../index.html?a=1&b=2#1.')]
        self.assertEqual(len(into), len(page.steps))
        self.assertNotIn('./run', page.text)

    def test_what_cannot_be_is_one_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'a file')
            with open(file, 'w', encoding='utf-8'):
                pass
            for arguments in ([os.path.join(file, 'below')], [folder, 'no_such'],
                              [folder, '03_banks', '--language', 'xx']):
                done = write(*arguments)
                with self.subTest(arguments=arguments):
                    self.assertNotEqual(done.returncode, 0)
                    self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
                    self.assertTrue(done.stderr.startswith('tilescope'), done.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
