import { expect } from 'chai';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { renderSellerMarkdown, type TextPlace } from '../../../../adapters/http/ui/seller-markdown.ts';
import { listingLimits } from '../../../../core/marketplace/product.ts';
import { anyText } from '../../../core/texts.ts';
import { itLong } from '../../../support/required-service.ts';
import { attacks, bombs } from './hostile-markdown.ts';

const base = 'https://shop.example/sub';
const render = (text: string, above: TextPlace['above'] = 1) => renderSellerMarkdown(text, { base, above });
const html = (text: string) => render(text).html.trim();

/** The only elements that a text of a seller may contain, with their attributes. */
const allowed: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(
    ['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'blockquote'].map((name) => [name, { dir: /^auto$/ }]),
  ),
  ...Object.fromEntries(
    ['li', 'strong', 'em', 's', 'code', 'br', 'hr', 'thead', 'tbody', 'tr'].map((name) => [name, {}]),
  ),
  ol: { dir: /^auto$/, start: /^\d{1,9}$/ },
  pre: { tabindex: /^0$/, dir: /^ltr$/ },
  div: { class: /^table$/, role: /^group$/, 'aria-label': /^Table$/, tabindex: /^0$/ },
  table: { dir: /^auto$/ },
  th: { align: /^(?:left|center|right)$/ },
  td: { align: /^(?:left|center|right)$/ },
  a: { href: /^(?:https?:\/\/|mailto:)/i, rel: /^nofollow ugc noopener$/ },
  img: { src: /^\/sub\/media\/[\w.-]+(?:\?width=1200&(?:amp;)?type=webp)?$/, alt: /^/, loading: /^lazy$/ },
};

/** Returns everything in the HTML that is not allowed, as a browser parses it. */
function faultsIn(html: string): string[] {
  const faults: string[] = [];
  // Not recursive, because the text may be nested.
  const rest: DefaultTreeAdapterTypes.ChildNode[] = [...parseFragment(html).childNodes];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (node.nodeName === '#text') continue;
    const attributes = Object.hasOwn(allowed, node.nodeName) ? allowed[node.nodeName] : undefined;
    if (attributes === undefined || !('tagName' in node)) {
      faults.push(node.nodeName);
      continue;
    }
    for (const { name, value } of node.attrs) {
      if (!attributes[name]?.test(value)) faults.push(`${node.nodeName} ${name}=${value}`);
    }
    if (node.nodeName === 'a' && !node.attrs.some(({ name }) => name === 'rel')) faults.push('a without rel');
    rest.push(...node.childNodes);
  }
  return faults;
}

describe('the Markdown of sellers', () => {
  it('renders what descriptions are made of', () => {
    expect(html('**Fast** and *small*, ~~not~~ `code`.')).to.equal(
      '<p dir="auto"><strong>Fast</strong> and <em>small</em>, <s>not</s> <code>code</code>.</p>',
    );
    expect(html('- one\n- two').replace(/\n/g, '')).to.equal('<ul dir="auto"><li>one</li><li>two</li></ul>');
    expect(html('3. one').replace(/\n/g, '')).to.equal('<ol dir="auto" start="3"><li>one</li></ol>');
    expect(html('> said').replace(/\n/g, '')).to.equal('<blockquote dir="auto"><p>said</p></blockquote>');
    expect(html('a\n\n---')).to.equal('<p dir="auto">a</p>\n<hr>');
    expect(html('|a|b|\n|-|-:|\n|1|2|').replace(/\n/g, '')).to.equal(
      '<div class="table" role="group" aria-label="Table" tabindex="0"><table dir="auto"><thead><tr><th>a</th><th align="right">b</th></tr></thead><tbody><tr><td>1</td><td align="right">2</td></tr></tbody></table></div>',
    );
  });

  it('keeps the line breaks of plain texts, and takes neither indents for code nor underlines for headings', () => {
    expect(html('One\nTwo\n\nThree')).to.equal('<p dir="auto">One<br>\nTwo</p>\n<p dir="auto">Three</p>');
    expect(html('One\r\nTwo')).to.equal('<p dir="auto">One<br>\nTwo</p>');
    expect(html('Title\n=====')).to.equal('<p dir="auto">Title<br>\n=====</p>');
    expect(html('Title\n-----')).to.equal('<p dir="auto">Title</p>\n<hr>');
    expect(html('One\n\n      two')).to.equal('<p dir="auto">One</p>\n<p dir="auto">two</p>');
    expect(html('')).to.equal('');
  });

  it('puts headings below that of the page, and leaves out no level', () => {
    const levels = (text: string, above: TextPlace['above'] = 1) =>
      Array.from(render(text, above).html.matchAll(/<h(\d)/g), ([, level]) => Number(level));
    expect(levels('# a\n## b\n### c\n## d')).to.deep.equal([2, 3, 4, 3]);
    expect(levels('### a\n###### b\n# c')).to.deep.equal([2, 3, 2]);
    expect(levels('# a\n## b\n### c\n#### d\n##### e\n###### f')).to.deep.equal([2, 3, 4, 5, 6, 6]);
    expect(levels('# a\n### b', 2)).to.deep.equal([3, 4]);
    expect(html('## a')).to.equal('<h2 dir="auto">a</h2>');
  });

  it('shows HTML as text', () => {
    expect(html('<b onclick="x()">a</b>')).to.equal('<p dir="auto">&lt;b onclick=&quot;x()&quot;&gt;a&lt;/b&gt;</p>');
    expect(html('<script>alert(1)</script>')).to.equal('<p dir="auto">&lt;script&gt;alert(1)&lt;/script&gt;</p>');
  });

  it('links only to web pages and mail addresses', () => {
    const rel = 'rel="nofollow ugc noopener"';
    expect(html('[a](https://x.example/?a=1&b=2)')).to.include(`<a href="https://x.example/?a=1&amp;b=2" ${rel}>a</a>`);
    expect(html('<mailto:a@b.example>')).to.include(`<a href="mailto:a@b.example" ${rel}>`);
    for (const address of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'java&#x73;cript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'ftp://x.example',
      '//x.example',
      '/account',
      '/media/a.png',
      'account',
      '#details',
      'https://',
      'https://bank.example@x.example',
      'https://bank.example:secret@x.example',
    ]) {
      expect(html(`[a](${address})`), address).to.not.include('<a');
    }
    expect(html('[**a** b](/media/a.png)')).to.equal('<p dir="auto"><strong>a</strong> b</p>');
  });

  it('has no links by reference, and none with an address of more than 2,048 characters', () => {
    expect(html('[a]\n\n[a]: https://x.example')).to.equal(
      '<p dir="auto">[a]</p>\n<p dir="auto">[a]: https://x.example</p>',
    );
    const address = (length: number) => `https://x.example/${'a'.repeat(length - 18)}`;
    expect(html(`[a](${address(2048)})`)).to.include('<a');
    expect(html(`[a](${address(2049)})`)).to.not.include('<a');
    expect(html(`![a](https://x.example/${'中'.repeat(226)})`), 'as it is encoded').to.not.include('<a');
    expect(html(`<${address(2049)}>`)).to.not.include('<a');
  });

  it('is shown as it is written if it would become too long, also where a text may be longer', () => {
    const picture = `![](https://x.example/${'中'.repeat(225)})`;
    const text = `<b>\n${picture.repeat(200)}`;
    expect(html(text)).to.equal(`<p dir="auto">&lt;b&gt;<br>\n${picture.repeat(200)}</p>`);
  });

  it('shows the pictures of this service only; others become links', () => {
    const own = '<img src="/sub/media/9b2e.png?width=1200&amp;type=webp" alt="A &quot;wallet&quot;" loading="lazy">';
    expect(html('![A "wallet"](/media/9b2e.png)')).to.equal(`<p dir="auto">${own}</p>`);
    expect(html('![A "wallet"](https://shop.example/sub/media/9b2e.png)')).to.equal(`<p dir="auto">${own}</p>`);
    expect(html('![A](https://x.example/sub/media/a.png)')).to.include(
      '<a href="https://x.example/sub/media/a.png" rel="nofollow ugc noopener">A</a>',
    );
    expect(html('![](https://x.example/a.png)')).to.include('>https://x.example/a.png</a>');
    expect(html('[![A](https://x.example/a.png)](https://y.example)')).to.equal(
      '<p dir="auto"><a href="https://y.example" rel="nofollow ugc noopener">A</a></p>',
    );
    expect(html('![A](mailto:a@b.example)')).to.not.include('<img');
    for (const address of [
      '/media/../account',
      '/media/a/b.png',
      '/media/',
      '/media/a.png?x',
      '/files/a.png',
      '/media/%2e%2e',
      'https://shop.example/sub/media/../../account',
      'https://shop.example.x.example/sub/media/a.png',
      'data:image/png;base64,AA',
    ]) {
      expect(html(`![a](${address})`), address).to.not.include('<img');
    }
  });

  it('has a summary without formatting', () => {
    expect(render('# Swap\n\n**Fast**\nand [small](https://x.example) `code`.').summary).to.equal(
      'Swap Fast and small code.',
    );
    expect(render('').summary).to.equal('');
    const long = render('word '.repeat(100)).summary;
    expect(long).to.match(/^word.*word…$/);
    expect(long.length).to.be.at.most(201);
    expect(render('🦄'.repeat(150)).summary).to.equal(`${'🦄'.repeat(100)}…`);
  });

  itLong('contains no element and no attribute outside of a short list, for known attacks', () => {
    expect(faultsIn('<p onclick="x"><b>a</b></p><a href="https://x">a</a>')).to.have.lengthOf(3);
    for (const attack of attacks) {
      for (const text of [attack, `a ${attack} b`, `# ${attack}`, `- ${attack}`, `|${attack}|\n|-|\n|${attack}|`]) {
        expect(faultsIn(html(text)), text).to.deep.equal([]);
      }
      for (const text of [
        `[${attack}](${attack})`,
        `![${attack}](<${attack}>)`,
        `<${attack}>`,
        `[a]: ${attack}\n\n[a]`,
      ]) {
        expect(faultsIn(html(text)), text).to.deep.equal([]);
      }
    }
  });

  itLong('contains no element and no attribute outside of a short list, for any text', () => {
    const piece = fc.constantFrom(
      ...[
        '[',
        ']',
        '(',
        ')',
        '![',
        '](',
        '<',
        '>',
        '`',
        '```\n',
        '*',
        '**',
        '_',
        '~~',
        '|',
        '-',
        ':',
        '\n',
        '\n\n',
        '# ',
      ],
      ...[
        '> ',
        '- ',
        '1. ',
        '\\',
        '&',
        '&#x6a;',
        '"',
        "'",
        '    ',
        '\t',
        'a',
        'javascript:',
        'https://x.example/',
        ' ',
      ],
      ...[
        '/media/a.png',
        'onerror=',
        '<img src=',
        '<!--',
        '-->',
        '<![CDATA[',
        '</p>',
        '\0',
        '\ud800',
        '\u202e',
        'م',
        '|-|',
      ],
    );
    const written = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.oneof(written, anyText, fc.constantFrom(...attacks)), written, (one, other) => {
        expect(faultsIn(html(one + other))).to.deep.equal([]);
      }),
      { numRuns: 2000 },
    );
  });

  itLong(
    'returns at most some hundred thousand characters for any text of the allowed length, also for hostile ones',
    () => {
      for (const [name, bomb] of Object.entries(bombs(listingLimits.description))) {
        const rendered = html(bomb);
        expect(bomb.length, name).to.be.at.most(listingLimits.description);
        expect(rendered.length, name).to.be.below(400_000);
        expect(faultsIn(rendered), name).to.deep.equal([]);
      }
    },
  );
});
