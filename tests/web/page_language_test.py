#!/usr/bin/env python3
"""page_language_test.py, as page_case.py says: which language the page speaks, and when what it is written
with is fetched."""
import json
import os
import pathlib
import unittest

from chromium import Chromium
from page_case import FIREFOX, PICTURES, PageCase, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
# How each is called by its readers; English is what the sources say.
LANGUAGES = {path.stem: json.loads(path.read_text())['language']
             for path in sorted((ROOT / 'assets/languages').glob('*.json')) if path.stem != 'en'}


def script_of(language):
    """Characters of its texts that Inter and JetBrains Mono have not."""
    messages = json.loads((ROOT / f'assets/languages/{language}.json').read_text())['messages']
    return ''.join(sorted({c for message in messages.values() for c in message if c > '\u2e80'}))


class PageLanguageTest(PageCase):
    def draws(self, text):
        return self.browser.run(
            f'[...{json.dumps(text)}].every((c) => tilescope._tilescope_draws(c.codePointAt(0)))')

    def fetched(self):
        return [path for path in self.server.asked if 'microhei-subset' in path]

    def choose(self, language):
        self.command(f'view.language.{language}')
        self.browser.wait_for(
            f'tilescope.UTF8ToString(tilescope._tilescope_language()) === {json.dumps(language)}')

    def test_a_language_is_fetched_when_it_is_chosen(self):
        self.assertTrue(LANGUAGES)
        self.server.asked.clear()
        self.open()
        self.settle()
        self.assertEqual(self.text('language'), 'en')
        self.assertIn('legal', self.text('state_text'))
        self.assertEqual(self.fetched(), [])
        for i, (language, name) in enumerate(LANGUAGES.items()):
            with self.subTest(language=language):
                self.assertTrue(self.draws(name), 'the menu lacks its name')
                script = script_of(language)
                self.assertEqual(self.draws(script), i > 0 or not script)
                self.choose(language)
                self.assertTrue(self.draws(script))
                self.assertNotIn('legal', self.text('state_text'))
                self.browser.wait_for(f'document.documentElement.lang === {json.dumps(language)}')
                self.browser.picture(os.path.join(PICTURES, f'language_{language}.png'))
                self.choose('en')
                self.assertIn('legal', self.text('state_text'))
        self.assertEqual(len(self.fetched()), 1)

    def test_a_language_that_was_left_before_its_font_came_is_drawn_later(self):
        self.open()
        self.settle()
        language = next(iter(LANGUAGES))
        self.browser.run(f"""(() => {{ const at = tilescope._malloc(200);
            for (const id of ['{language}', 'en']) {{
              tilescope.stringToUTF8('view.language.' + id, at, 200);
              tilescope._tilescope_command(at);
            }}
            tilescope._free(at); }})()""")
        script = script_of(language)
        self.browser.wait_for(
            f'[...{json.dumps(script)}].every((c) => tilescope._tilescope_draws(c.codePointAt(0)))')
        self.assertEqual(self.text('language'), 'en')
        self.choose(language)
        self.assertTrue(self.draws(script))

    def test_the_address_names_a_language(self):
        language = next(iter(LANGUAGES))
        self.open(f'?layout=explore&language={language}')
        self.assertEqual(self.text('language'), language)
        # What the address names is nobody's choice: without it the window is English again.
        self.go('?layout=explore')
        self.assertEqual(self.text('language'), 'en')
        self.choose(language)
        self.browser.wait_for(f"""JSON.parse(localStorage.getItem('tilescope/window.json') ?? '{{}}'
            ).language === {json.dumps(language)}""")
        self.go('?layout=explore')
        self.assertEqual(self.text('language'), language)
        self.go('?layout=explore&language=en')
        self.assertEqual(self.text('language'), 'en')
        self.go('?layout=explore&language=xx')  # which there is not: as if it were not named
        self.assertEqual(self.text('language'), language)

    @unittest.skipIf(FIREFOX, 'its languages are those of its preferences')
    def test_it_speaks_as_the_browser_does(self):
        language = next(iter(LANGUAGES))
        self.browser = Chromium(800, 600)
        self.addCleanup(self.browser.close)
        self.browser.send('Emulation.setUserAgentOverride', acceptLanguage=f'{language},en',
                          userAgent=self.browser.run('navigator.userAgent'))
        self.go('?panel=fragment')
        self.assertEqual(self.text('language'), language)

    def test_a_languages_font_that_is_missing_is_one_sentence(self):
        self.open()
        self.settle()
        # What loads files, as if there were nothing behind that name.
        self.browser.run("""(() => {
            const post = Worker.prototype.postMessage;
            Worker.prototype.postMessage = function (asked, ...more) {
              if (!asked?.path?.includes('microhei-subset')) return post.call(this, asked, ...more);
              Worker.prototype.postMessage = post;
              setTimeout(() => this.onmessage({data: {path: asked.path, error: 'none of it is there.'}}));
            }; })()""")
        language = next(iter(LANGUAGES))
        self.command(f'view.language.{language}')
        self.browser.wait_for('document.getElementById("notice").textContent.includes("none of it")')
        self.assertEqual(self.text('language'), 'en')
        self.choose(language)  # again: now it is there
        self.assertEqual(self.browser.run('document.getElementById("notice").textContent'), '')


if __name__ == '__main__':
    main()
