#!/usr/bin/env python3
"""page_test.py PAGE_FOLDER PICTURES_FOLDER [--firefox] [TEST...]: the page in a headless browser, Chromium
unless told, as a person has it: each panel, sliders, kernels, a link, a dropped file, a tile without a
pack, a worker that ends, what is saved."""
import base64
import json
import os
import struct
import unittest

from chromium import Chromium
from page_case import FIREFOX, PICTURES, PageCase, main

# What a test knows of where things are, in a window of 1280 × 800 that nobody has changed.
RASTER = ((136, 425), (94, 425))  # the slider's knob, and a place for a smaller one

# In the Fragment panel alone, 800 × 600: "Copy as", and of its menu what saves a picture.
COPY_AS = (425, 36)
SAVE_AS = {'svg': (482, 147), 'pdf': (482, 165), 'png': (482, 183)}
SAVE = (287, 36)  # from there


# A kernel of somebody's own, as small as one can be.
OWN_PTX = """.version 7.0
.target sm_80
.address_size 64
.visible .entry own_kernel(.param .u64 p)
{
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r1;
  ret;
}
"""


class PageTest(PageCase):
    def test_opens_on_the_default_kernel_and_runs_it(self):
        self.open()
        self.settle()
        self.assertIn('right', self.text('state_text'))
        self.assertEqual(self.browser.run('document.getElementById("notice").textContent'), '')
        self.browser.listen(1)
        words = self.browser.run('document.getElementById("state").textContent')
        self.assertIn('legal', words)

    def test_lessons_are_the_front_door(self):
        def wait_for_layout(name):
            self.browser.wait_for(f"""(() => {{
                const kept = localStorage.getItem('tilescope/window.json');
                return kept && JSON.parse(kept).layout === '{name}';
            }})()""")
        self.open('')
        self.settle()
        wait_for_layout('learn')
        # Another one that was chosen is there the next time.
        self.command('view.layout.tune')
        self.settle()
        wait_for_layout('tune')
        self.go('')
        self.settle()
        # The window writes what it shows with the next thing that it keeps.
        self.command('view.theme.dark')
        self.browser.wait_for("""JSON.parse(
            localStorage.getItem('tilescope/window.json')).theme === 'dark'""")
        wait_for_layout('tune')

    def test_a_lessons_page_leads_to_its_step(self):
        self.open()
        self.browser.go(self.url + 'lessons/index.html')
        self.browser.wait_for('document.querySelectorAll("li a").length > 10')
        self.browser.go(self.url + 'lessons/03_banks.html')
        # The page before has no pictures: all of them are there at once.
        self.browser.wait_for('''document.querySelector("#step-4 .link a") &&
            [...document.images].every((i) => i.complete && i.naturalWidth > 0)''')
        link = self.browser.run('document.querySelector("#step-4 .link a").href')
        self.browser.picture(os.path.join(PICTURES, 'lesson_page.png'))
        self.browser.go(link)
        self.browser.wait_for('window.tilescope && !window.before')
        self.settle()
        self.assertEqual(self.rung()['kernel'], 'mma_sync')
        self.assertEqual(self.rung()['tile']['swizzle'], 1)  # XOR: the step's; before it there was none

    def test_each_panel_is_drawn(self):
        self.open(width=800, height=600)
        panels = self.text('panels').split('\n')
        self.assertGreater(len(panels), 10)
        for panel in panels:
            with self.subTest(panel=panel):
                self.go(f'?panel={panel}')
                self.settle()
                path = os.path.join(PICTURES, f'panel_{panel}.png')
                self.browser.picture(path)
                self.assertGreater(os.path.getsize(path), 6000, 'an empty picture')
                self.assertEqual(self.browser.complaints(), [])

    @unittest.skipIf(FIREFOX, 'its driver gives no scale')
    def test_a_dense_screen_shows_the_same_places(self):
        self.open(scale=2)
        self.settle()
        before = self.rung()['tile']['raster']
        self.browser.drag(*RASTER)
        self.assertLess(self.rung()['tile']['raster'], before)

    def test_a_slider_is_dragged(self):
        self.open()
        self.settle()
        before = self.rung()
        self.browser.drag(*RASTER)
        self.settle()
        after = self.rung()
        self.assertLess(after['tile']['raster'], before['tile']['raster'])
        # Few tiles have code here, and this is none of them: it says so, and leads to one.
        self.assertIn('no compiled code', self.text('state_text'))
        self.browser.picture(os.path.join(PICTURES, 'a_tile_without_code.png'))
        self.command('edit.runnable')
        self.settle()
        self.assertNotEqual(self.rung()['tile'], after['tile'])
        self.assertIn('right', self.text('state_text'))
        self.command('edit.undo')
        self.command('edit.undo')
        self.assertEqual(self.rung()['tile'], before['tile'])

    def test_kernels_are_changed(self):
        self.open()
        kernel = self.rung()['kernel']
        for name in ('naive', 'thread_tile_2d', 'mma_stream_k', kernel):
            self.command(f'kernel.{name}')
            self.settle()
            self.assertEqual(self.rung()['kernel'], name)
            self.assertIn('right', self.text('state_text'))

    def test_the_address_holds_the_state(self):
        self.open()
        self.command('kernel.naive')
        self.settle()
        self.browser.wait_for('location.hash.length > 1')
        self.browser.listen(1)
        link = self.browser.run('location.hash')
        state = self.rung()
        self.assertLessEqual(len(link), 2048)
        self.browser.close()
        self.open(link)  # a fresh browser, which knows nothing
        self.settle()
        self.assertEqual(self.rung(), state)

    def test_a_hostile_or_newer_link_is_one_sentence(self):
        self.open()
        for link, words in (('#1.%00%ff', 'link'), ('#99.eNpLtDK0BgAD', 'newer'),
                            ('#1.' + 'A' * 3000, 'link')):
            with self.subTest(link=link[:20]):
                self.go(link)
                self.browser.wait_for(
                    f'tilescope.UTF8ToString(tilescope._tilescope_state_text()).includes("{words}")')

    def test_the_session_is_kept(self):
        self.open()
        self.command('kernel.vectorized')
        self.browser.wait_for('localStorage.getItem("tilescope/session.json")?.includes("vectorized")')
        self.go('')
        self.assertEqual(self.rung()['kernel'], 'vectorized')

    def test_a_dropped_ptx_is_opened(self):
        self.open()
        self.settle()
        self.browser.run(f'''(() => {{
            const data = new DataTransfer();
            data.items.add(new File([{json.dumps(OWN_PTX)}], 'own.ptx'));
            for (const kind of ['dragenter', 'dragover', 'drop']) {{
              document.getElementById('canvas').dispatchEvent(
                  new DragEvent(kind, {{dataTransfer: data, bubbles: true, cancelable: true}}));
            }} }})()''')
        self.browser.wait_for("""JSON.stringify(tilescope.UTF8ToString(
            tilescope._tilescope_state_text())).length > 0""")
        self.settle()
        self.browser.frames(20)
        self.assertIn('own.ptx', json.dumps(self.state()['edit']))
        self.assertNotIn('cannot', self.text('state_text'))

    def test_a_chosen_ptx_is_opened(self):
        self.open()
        self.settle()
        # The browser's own dialogue is nobody's to click: what it answers.
        self.browser.run(f'''(() => {{
            HTMLInputElement.prototype.click = function () {{
              const data = new DataTransfer();
              data.items.add(new File([{json.dumps(OWN_PTX)}], 'chosen.ptx'));
              this.files = data.files;
              this.dispatchEvent(new Event('change'));
            }};
            tilescope.chooseFile(); }})()''')
        self.browser.frames(20)
        self.settle()
        self.assertIn('chosen.ptx', json.dumps(self.state()['edit']))
        self.assertNotIn('cannot', self.text('state_text'))

    def paste(self, text):
        self.browser.run(f'''(() => {{
            const data = new DataTransfer();
            data.setData('text/plain', {json.dumps(text)});
            // A ClipboardEvent of Firefox takes nobody's data.
            window.dispatchEvent(Object.assign(new Event('paste'), {{clipboardData: data}})); }})()''')

    def test_a_link_is_pasted(self):
        self.open()
        self.command('kernel.naive')
        self.browser.wait_for('location.hash.length > 1')
        link = self.browser.run('location.href')
        self.command('kernel.vectorized')
        self.paste(link)
        self.command('file.paste_state')
        self.assertEqual(self.rung()['kernel'], 'naive')

    def test_a_menu_asks_for_the_clipboard(self):
        self.open()
        self.command('kernel.naive')
        state = json.dumps(self.state())
        self.command('kernel.vectorized')
        self.browser.run(f'''void Object.defineProperty(navigator, 'clipboard', {{value: {{
            writeText: async () => {{}}, readText: async () => {json.dumps(state)}}}}})''')
        self.command('file.paste_state')
        self.browser.frames(4)
        self.assertEqual(self.rung()['kernel'], 'naive')
        self.browser.run('void (navigator.clipboard.readText = async () => { throw new Error("no"); })')
        self.command('file.paste_state')
        self.browser.frames(4)
        self.assertIn('press Ctrl+V', self.text('state_text'))

    def test_a_worker_ends_in_the_middle(self):
        self.open()
        self.settle()
        self.command('run.again')
        self.browser.run('''tilescope.workers.running.get('emulator')
            .onerror(new ErrorEvent('error', {message: 'ended by the test'}))''')
        self.browser.frames(5)
        self.command('kernel.naive')
        self.settle()
        self.assertIn('right', self.text('state_text'))

    def test_pictures_are_saved(self):
        self.open('?panel=fragment', width=800, height=600)
        self.settle()
        self.browser.run('''(() => {
            window.saved = {};
            const make = URL.createObjectURL.bind(URL);
            let last;
            URL.createObjectURL = (blob) => { last = blob; return make(blob); };
            HTMLAnchorElement.prototype.click = function () { window.saved[this.download.split('.').pop()] = last; };
            })()''')
        for kind, place in SAVE_AS.items():
            self.browser.click(*COPY_AS)
            self.browser.frames(5)
            self.browser.click(*place)
            self.browser.frames(5)
            self.browser.click(place[0] + SAVE[0], place[1] + SAVE[1])
            self.browser.wait_for(f'saved.{kind}')
        saved = {kind: base64.b64decode(self.browser.run(f'''new Promise((done) => {{
            const reader = new FileReader();
            reader.onload = () => done(reader.result.split(',')[1]);
            reader.readAsDataURL(saved.{kind}); }})''')) for kind in SAVE_AS}
        for kind, content in saved.items():
            with open(os.path.join(PICTURES, f'saved.{kind}'), 'wb') as out:
                out.write(content)
        self.assertTrue(saved['svg'].startswith(b'<svg '))
        self.assertIn(b'>T31<', saved['svg'])
        self.assertTrue(saved['pdf'].startswith(b'%PDF-1.4'))
        self.assertTrue(saved['pdf'].rstrip().endswith(b'%%EOF'))
        self.assertTrue(saved['png'].startswith(b'\x89PNG\r\n\x1a\n'))
        width, height = struct.unpack('>II', saved['png'][16:24])
        self.assertGreater(min(width, height), 300)
        self.assertGreater(len(saved['png']), 10000, 'an empty picture')

    def ground(self):
        """Brightness of the window's empty ground, 0 to 255."""
        return self.browser.run('''new Promise((done) => {
            const look = () => {
              tilescope._tilescope_wake();
              const copy = document.createElement('canvas').getContext('2d');
              copy.drawImage(document.getElementById('canvas'), 0, 0);
              const [r, g, b] = copy.getImageData(5, 140, 1, 1).data;
              if (r + g + b > 0) return done((r + g + b) / 3);
              requestAnimationFrame(look);  // this frame was not drawn
            };
            requestAnimationFrame(look); })''')

    @unittest.skipIf(FIREFOX, 'its wishes are the system\'s')
    def test_it_looks_as_the_system_wants(self):
        seen = {}
        for scheme in ('dark', 'light'):
            for contrast in ('no-preference', 'more'):
                self.browser = Chromium(800, 600)  # which knows nothing
                self.addCleanup(self.browser.close)
                self.browser.send('Emulation.setEmulatedMedia', features=[
                    {'name': 'prefers-color-scheme', 'value': scheme},
                    {'name': 'prefers-contrast', 'value': contrast},
                    {'name': 'prefers-reduced-motion', 'value': 'reduce'}])
                self.go('?panel=fragment')
                self.settle()
                seen[scheme, contrast] = self.ground()
                self.browser.picture(os.path.join(PICTURES, f'wish_{scheme}_{contrast}.png'))
                if (scheme, contrast) != ('light', 'more'):
                    self.browser.close()
        self.assertLess(seen['dark', 'more'], seen['dark', 'no-preference'])
        self.assertLess(seen['dark', 'no-preference'], 80)
        self.assertGreater(seen['light', 'no-preference'], 180)
        self.assertGreater(seen['light', 'more'], seen['light', 'no-preference'])

    def test_it_begins_in_the_windows_size(self):
        sizes = (2560, 1440, 1), *([] if FIREFOX else [(1280, 800, 2), (640, 480, 1.5)])
        for i, (width, height, scale) in enumerate(sizes):
            with self.subTest(width=width, scale=scale):
                if i > 0:
                    self.browser.close()
                self.open(width=width, height=height, scale=scale)
                canvas = self.browser.run('[canvas.width, canvas.height, innerWidth * devicePixelRatio]')
                self.assertEqual(canvas[:2], [round(width * scale), round(height * scale)])
                self.assertEqual(canvas[0], round(canvas[2]))

    def test_it_follows_the_windows_size(self):
        self.open()
        for width, height, scale in ((900, 700, 1), *([] if FIREFOX else [(1280, 800, 2), (640, 480, 1.5)])):
            self.browser.resize(width, height, scale)
            self.browser.wait_for(
                f'document.getElementById("canvas").width === {round(width * scale)}')
            self.browser.frames(5)
            self.assertEqual(self.browser.run('document.getElementById("canvas").clientWidth'), width)


if __name__ == '__main__':
    main()
