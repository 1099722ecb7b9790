#!/usr/bin/env python3
"""licences_test.py FOLDER: each font in a page's folder has its licence beside it, as text, and so has each library;
the page leads there."""
import os
import re
import sys
import tempfile
import unittest

FOLDER = sys.argv[1]
ROW = re.compile(r'<li><a href="([^"]+)">[^<]*</a>(.*)</li>')


def faults_of(folder):
    """A sentence for each font that has no licence."""
    def read(name):
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            return ''
        with open(path, encoding='utf-8') as text:
            return text.read()

    licence_of = {}
    for row in ROW.finditer(read('licences.html')):
        for font in re.findall(r'<code>([^<]+)</code>', row.group(2)):
            licence_of[font] = row.group(1)
    faults = []
    for file in sorted(os.listdir(os.path.join(folder, 'fonts'))):
        font = file.removesuffix('.zst')
        if font not in licence_of:
            faults.append(f'licences.html does not name {font}')
            continue
        text = read(licence_of[font])
        # Of what is named by where Debian has it, too.
        named = re.findall(r'/usr/share/common-licenses/(\w+)', text)
        if 'Copyright: ' not in text or 'License: ' not in text:
            faults.append(f'{licence_of[font]}, of {font}, is no licence')
        elif 'Apache' in named and 'TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION' not in text:
            faults.append(f'{licence_of[font]}, of {font}, names the Apache License and lacks it')
    return faults


def links_of(folder):
    """What licences.html leads to, and the texts that are there; both of them, or one is lost."""
    with open(os.path.join(folder, 'licences.html'), encoding='utf-8') as text:
        linked = set(re.findall(r'href="licences/([^"]+)"', text.read()))
    return linked, set(os.listdir(os.path.join(folder, 'licences')))


class LicencesTest(unittest.TestCase):
    def test_each_font_has_its_licence(self):
        self.assertGreater(len(os.listdir(os.path.join(FOLDER, 'fonts'))), 4)
        self.assertEqual(faults_of(FOLDER), [])

    def test_each_text_is_linked_and_is_a_licence(self):
        linked, there = links_of(FOLDER)
        self.assertEqual(linked, there)
        self.assertGreater(len(there), 12)
        for file in there:
            with open(os.path.join(FOLDER, 'licences', file), encoding='utf-8') as text:
                self.assertRegex(text.read(), r'(?i)copyright[\s\S]*(licen[sc]e|permission|redistribution)', file)

    def test_the_page_leads_there(self):
        with open(os.path.join(FOLDER, 'index.html'), encoding='utf-8') as text:
            self.assertIn('<a href="licences.html">', text.read())

    def test_a_font_without_one_is_found(self):
        whole = 'Copyright: 2020 Somebody\nLicense: OFL-1.1\n'
        apache = whole + "in full in '/usr/share/common-licenses/Apache-2.0'.\n"
        row = '<li><a href="licences/some.txt">Some</a>: <code>Some.ttf</code></li>'
        for files, trouble in (
                ({'licences.html': row, 'licences/some.txt': whole}, None),
                ({'licences.html': '', 'licences/some.txt': whole}, 'does not name Some.ttf'),
                ({'licences/some.txt': whole}, 'does not name Some.ttf'),
                ({'licences.html': row}, 'is no licence'),
                ({'licences.html': row, 'licences/some.txt': ''}, 'is no licence'),
                ({'licences.html': row, 'licences/some.txt': apache}, 'lacks it')):
            with self.subTest(files=files), tempfile.TemporaryDirectory() as folder:
                for name, text in {'fonts/Some.ttf.zst': '', **files}.items():
                    path = os.path.join(folder, name)
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, 'w', encoding='utf-8') as file:
                        file.write(text)
                faults = faults_of(folder)
                self.assertEqual(len(faults), 0 if trouble is None else 1)
                self.assertIn(trouble or '', ''.join(faults))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
