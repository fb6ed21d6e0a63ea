import { expect } from 'chai';
import fc from 'fast-check';
import { createElement, Fragment } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { fill, html, opening } from '../../../../adapters/http/ui/html.ts';

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', '/', '=') }),
);

describe('HTML from a text with gaps', () => {
  it('is the same as that of JSX, whatever stands in the gaps', () => {
    fc.assert(
      fc.property(texts, texts, (title, text) => {
        const child = createElement('b', {}, text);
        const jsx = createElement('td', { title: `x${title}` }, text, child, [text, child], null, 7);
        const made = html`<td title="x${title}">${text}${child}${[text, child]}${null}${7}</td>`;
        expect(renderToString(made)).to.equal(renderToString(jsx));
      }),
    );
  });

  it('can stand in another one, and among elements', () => {
    const inner = html`<i>${'<'}</i>`;
    const outer = createElement(Fragment, {}, html`<p>${inner}${false}${undefined}</p>`, '&');
    expect(renderToString(outer)).to.equal('<p><i>&lt;</i></p>&amp;');
  });

  it('has parts that are made once, and attributes that are left out', () => {
    const parts = [`${opening('td', { class: undefined, 'data-title': '"<' })}`, '</td>'];
    expect(renderToString(fill(parts, ['<']))).to.equal('<td data-title="&quot;&lt;">&lt;</td>');
  });
});
