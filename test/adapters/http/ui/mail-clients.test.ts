import { caniemail } from 'caniemail';
import { expect } from 'chai';
import { HtmlValidate } from 'html-validate';
import { createLetters } from '../../../../adapters/http/ui/mail/mail-page.tsx';
import { letters, site, writeLetter } from '../../../support/letters.ts';
import { itLong } from '../../../support/required-service.ts';

/** The mail programs that most people use. */
const clients = ['gmail.*', 'outlook.*', 'apple-mail.*', 'yahoo.*'] as const;

/** What some of these programs cannot do at all, and what they show instead. */
const fallbacks: Readonly<Record<string, string>> = {
  '<wbr> element': 'A long address breaks by `word-break` instead.',
  '@media': 'The dark colors are missing. The light ones are in each element.',
  '<style> element': 'As above.',
  '<body> element': 'The table below it has the color, and the elements below that have all others.',
  'border-radius': 'The corners are square.',
  'display:none': 'The line before the mail has the color of its background, and is one pixel high.',
  'height property': 'No element has one: the data take `line-height` for it.',
  'role attribute': 'The mail is read as a table with one cell.',
  'word-break': 'Addresses have places to break, and keys have hyphens.',
};

/** What some of these programs can do only in part. The layout keeps to the part that they all can do. */
const inPart: Readonly<Record<string, string>> = {
  '<wbr> element': 'As above.',
  '@media': 'No height is asked for.',
  '<style> element': 'It is in the head.',
  '<body> element': 'It becomes a `div` with the same color.',
  'align attribute': 'Only on cells.',
  background: 'Only one color.',
  border: 'One pixel, around a table.',
  'border-radius': 'Only one length.',
  'dir attribute': 'Never on a link. On texts that people typed, and on the frame, which is always from left to right.',
  display: 'Only none and inline-block. A link that is not inline-block is only a smaller button.',
  'display:none': 'Not above a table or a picture.',
  'font-size': 'Only in pixels.',
  'font-weight': 'Only normal and bold.',
  'height property': 'As above.',
  'lang attribute': 'Not on cells.',
  'line-height': 'Only plain numbers.',
  margin: 'Never below 0. Not on a `span`; that of the body is for the other programs.',
  'max-width': 'On a table for Outlook, and on a `div` around it for the others.',
  padding: 'Outlook has that of cells, and `mso-padding-alt` for the button.',
  'role attribute': 'Only on tables.',
  'text-align': 'Only left.',
  'text-decoration': 'Only none. Else the button has an underlined text.',
  'width attribute': 'Only on tables.',
  'width property': 'Only on tables.',
  'word-break': 'A long word may break sooner.',
};

/** The features of one kind of issue that the data of caniemail.com tell. */
function featuresIn(html: string, kind: 'errors' | 'warnings'): string[] {
  const { issues } = caniemail({ clients: [...clients], html });
  return [...issues[kind].values()].flat().map(({ title }) => title);
}

describe('the mail in the programs of its readers', () => {
  for (const letter of letters()) {
    it(`uses only what they know, or has something else instead: ${letter.kind}`, () => {
      const { html } = writeLetter(letter);
      expect(Object.keys(fallbacks)).to.include.members(featuresIn(html, 'errors'));
      expect(Object.keys(inPart)).to.include.members(featuresIn(html, 'warnings'));
    });
  }

  itLong('has no fallback for what no mail uses', () => {
    const all = letters().map((letter) => writeLetter(letter).html);
    const used = (kind: 'errors' | 'warnings') => new Set(all.flatMap((html) => featuresIn(html, kind)));
    expect([...used('errors')]).to.have.members(Object.keys(fallbacks));
    expect([...used('warnings')]).to.have.members(Object.keys(inPart));
  });

  it('notices what they do not know', () => {
    const { html } = writeLetter({ kind: 'no-account' });
    const broken = html.replace('<h1 style="', '<h1 style="position:fixed;');
    expect(featuresIn(broken, 'errors').some((feature) => !(feature in fallbacks))).to.equal(true);
  });

  itLong('is valid HTML, with the attributes of tables that Outlook needs', async () => {
    const validator = new HtmlValidate({
      extends: ['html-validate:recommended'],
      rules: {
        'no-inline-style': 'off',
        'no-deprecated-attr': 'off',
        'doctype-style': 'off',
        'void-style': 'off',
        'long-title': 'off',
      },
    });
    const withLogo = createLetters(
      () => site.name,
      site.url,
      () => true,
    );
    for (const letter of letters()) {
      const { results } = await validator.validateString(withLogo(letter).html);
      const faults = results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
      expect(faults, letter.kind).to.deep.equal([]);
    }
  });

  it('can be told from the others in a list by the line after its subject', () => {
    const previews = letters().map(
      (letter) => /<div style="display:none[^>]*>([^<]*)</.exec(writeLetter(letter).html)?.[1],
    );
    for (const preview of previews) expect(preview).to.match(/^.{20,}$/);
  });
});
