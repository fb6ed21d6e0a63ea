import { expect } from 'chai';
import fc from 'fast-check';
import { logoInMail } from '../../../../adapters/contracts/mail-logo.ts';
import { createLetters } from '../../../../adapters/http/ui/mail/mail-page.tsx';
import { greetable } from '../../../../core/mail/letter.ts';
import { anyText } from '../../../core/texts.ts';
import { letters, site, writeLetter } from '../../../support/letters.ts';
import { itLong } from '../../../support/required-service.ts';
import { runs } from '../../../support/runs.ts';

const tagsOf = (html: string) => html.match(/<[a-z!/][^>]*>/gi) ?? [];
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '' && word !== '--');
/** The text that a mail program shows. */
const shownIn = (html: string) =>
  html
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<\/(?:p|h1|th|td)>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');

describe('the mail', () => {
  for (const letter of letters()) {
    const { subject, text, html } = writeLetter(letter);

    describe(letter.kind, () => {
      it('greets, names the site and its address, and has one address on a line of its own', () => {
        expect(text).to.match('name' in letter ? /^Hello Zoë,\n\n/ : /^Hello,\n\n/);
        expect(text.endsWith(`\n-- \n${site.name}\n${site.url}\n`)).to.equal(true);
        const lines = text.split('\n');
        const addresses = lines.filter((line) => line.startsWith(site.url));
        expect(addresses).to.have.lengthOf(2);
        const [page = ''] = addresses;
        const { hash, pathname } = new URL(page);
        expect(pathname).to.match(/^\/shop\/[a-zA-Z0-9/-]*$/);
        if (!('token' in letter)) expect(hash).to.equal('');
        else if ('order' in letter) {
          // The link to an order works for ever, and is no secret of a form.
          expect([pathname, hash]).to.deep.equal([`/shop/orders/${letter.token}`, '']);
        } else {
          expect(hash).to.equal(`#${letter.token}`);
          expect(lines, 'the code alone').to.include(letter.token);
          expect(text).to.match(/The link works once, within (?:one hour|one day|7 days)\./);
        }
        expect(html).to.include(`href="${page}"`);
      });

      it('says the same as text and as HTML', () => {
        const shown = wordsOf(shownIn(html)).join(' ');
        for (const word of wordsOf(text)) expect(shown).to.include(word.replace(/:$/, ''));
        expect(html).to.include(`<title>${subject.replaceAll('"', '&quot;')}</title>`);
      });

      it('loads nothing, and has light and dark colors', () => {
        expect(html).to.not.match(/<(?:img|link|script|iframe|object|form|input)\b|\bsrc=|url\(|@import|\bon[a-z]+=/i);
        expect(html).to.include('prefers-color-scheme:dark').and.include('name="color-scheme"');
        for (const [, address = ''] of html.matchAll(/href="([^"]*)"/g)) {
          expect(address.startsWith(site.url), address).to.equal(true);
        }
      });
    });
  }

  it('shows the logo of the site if there is one, which is a part of the mail', () => {
    for (const hasLogo of [true, false]) {
      const { html } = createLetters(
        () => site.name,
        site.url,
        () => hasLogo,
      )({ kind: 'no-account' });
      expect([...html.matchAll(/<img src="([^"]*)"/g)].map(([, src]) => src)).to.deep.equal(
        hasLogo ? [logoInMail] : [],
      );
    }
  });

  itLong('has the same lines and elements whatever somebody typed as name, browser or key', () => {
    const plain = letters().map(writeLetter);
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.string().map((text) => `</td><img src=x>\r\n\r\n${text}`),
        ),
        (given) => {
          for (const [n, letter] of letters(given).entries()) {
            const { subject, text, html } = writeLetter(letter);
            expect(subject).to.equal(plain[n]?.subject);
            expect(text.split('\n').length).to.equal(plain[n]?.text.split('\n').length);
            const greeting = /<span dir="auto">|<\/span>/;
            const kept = (tags: string[]) => tags.filter((tag) => !greeting.test(tag));
            expect(kept(tagsOf(html))).to.deep.equal(kept(tagsOf(plain[n]?.html ?? '')));
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('greets nobody with an address or an advertisement', () => {
    for (const name of ['Zoë', 'J. R. R. Tolkien', "Sinéad O'Connor", '李小龍', 'محمد']) {
      expect(greetable(name)).to.equal(name);
    }
    for (const name of [
      'https://evil.example',
      'evil.example/win',
      'visit evil.example',
      'mail eve@example',
      'x'.repeat(61),
      '\\\\evil',
    ]) {
      expect(greetable(name), name).to.equal('');
    }
    expect(greetable('Eve\r\nBcc: you')).to.equal('');
    expect(greetable('Eve\n\u202eX')).to.equal('Eve X');
  });
});
