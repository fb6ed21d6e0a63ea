import { expect } from 'chai';
import { footerLinksOf, mostFooterLinks } from '../../../core/site/footer-links.ts';

describe('the links at the end of pages', () => {
  it('are a title and an address in each line', () => {
    expect(
      footerLinksOf('Help https://help.example.com/a?b=c\r\n\n  Write to us   mailto:hi@example.com '),
    ).to.deep.equal([
      { title: 'Help', href: 'https://help.example.com/a?b=c' },
      { title: 'Write to us', href: 'mailto:hi@example.com' },
    ]);
    expect(footerLinksOf('')).to.deep.equal([]);
  });

  it('lead only to web pages and mail addresses', () => {
    for (const line of [
      'X javascript:alert(1)',
      'X data:text/html,x',
      'X https://user:secret@example.com',
      'X /path',
      'X example.com',
      'https://example.com',
      `${'x'.repeat(41)} https://example.com`,
      `X https://example.com/${'x'.repeat(500)}`,
      'a\u0000b https://example.com',
    ]) {
      expect(footerLinksOf(`Help https://example.com\n${line}`), line).to.deep.include({
        reason: 'not_a_link',
        figures: { line: 2 },
      });
    }
  });

  it('are not too many', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, n) => `L${n} https://example.com/${n}`).join('\n');
    expect(footerLinksOf(lines(mostFooterLinks))).to.have.lengthOf(mostFooterLinks);
    expect(footerLinksOf(lines(mostFooterLinks + 1))).to.include({ reason: 'too_many_links' });
    expect(footerLinksOf(`a${' '.repeat(5_000)}b`)).to.include({ reason: 'too_long' });
  });
});
