import { expect } from 'chai';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { layoutFaults } from '../support/layout.ts';
import { needing } from '../support/required-service.ts';

const cases = [
  ['a page in order', '<p>One text</p>', /^$/],
  ['a page wider than its window', '<div style="width: 700px">text</div>', /scrolls sideways/],
  [
    'a value one letter a line',
    '<table><td style="display: block; width: 8px; overflow-wrap: anywhere">forever</table>',
    /a narrow cell/,
  ],
  ['a hidden column', '<table><tr><td>seen<td style="display: none">hidden</table>', /a hidden column/],
  [
    'a sum over its card',
    '<div style="width: 60px; border: 1px solid; white-space: nowrap">$1,234,567.00 in all</div>',
    /text over its box/,
  ],
  [
    'a text out of reach',
    '<div style="overflow: hidden; width: 60px; white-space: nowrap">$1,234,567.00 in all</div>',
    /text over its box/,
  ],
  [
    'a wide table in a box that scrolls',
    '<div style="overflow: auto; width: 60px; border: 1px solid; white-space: nowrap">$1,234,567.00 in all</div>',
    /^$/,
  ],
  [
    'two texts at one place',
    '<p style="margin: 0; height: 3px">one text</p><p style="margin: 0">another text</p>',
    /on top of each other/,
  ],
  ['a page without a title', '<p>One text</p>', /no title/, { title: '' }],
  ['a page without a description', '<p>One text</p>', /no description/, { description: '' }],
  ['a heading that begins too low', '<div style="height: 200px">a menu</div><h1>Licenses</h1>', /heading begins at/],
] as const;

const usual = { title: 'Licenses', description: 'What was sold.' };

needing(chromium.skip).describe('the layout check', () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser?.close());

  for (const [name, html, expected, own] of cases) {
    const { title, description } = { ...usual, ...own };
    it(`${expected.source === '^$' ? 'accepts' : 'finds'} ${name}`, async () => {
      const page = await browser.newPage();
      await page.setViewport({ width: 390, height: 900 });
      const head = `<title>${title}</title><meta name="description" content="${description}">`;
      await page.setContent(`<!doctype html>${head}<main>${html}</main>`);
      expect(await page.evaluate(layoutFaults)).to.match(expected);
      await page.close();
    });
  }
});
