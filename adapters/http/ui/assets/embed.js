/*
 * Shows a product on the page of another site, after the script that loads this. The server puts the facts of the product
 * in the place of FACTS. It sets styles one by one, because many policies forbid style sheets in pages. It keeps nothing in
 * the browser.
 */
{
  /** @type {{ page: string, buy: string, title: string, price: string, picture: string, accent: string }} */
  const { page, buy, title, price, picture, accent } = JSON.parse('FACTS');
  const script = document.currentScript;

  /**
   * @template {keyof HTMLElementTagNameMap} Name
   * @param {Name} name
   * @param {Partial<HTMLElementTagNameMap[Name]>} facts
   * @param {Partial<CSSStyleDeclaration>} style
   * @param {Element[]} content
   */
  const make = (name, facts, style, ...content) => {
    const made = Object.assign(document.createElement(name), facts);
    Object.assign(made.style, style);
    made.append(...content);
    return made;
  };

  const tab = { target: '_blank', rel: 'noopener' };
  const button = make(
    'a',
    { ...tab, href: buy || page, textContent: price, className: 'latchkey-buy' },
    {
      display: 'inline-block',
      padding: '10px 16px',
      borderRadius: '8px',
      background: accent,
      color: '#fff',
      font: '600 16px system-ui, sans-serif',
      textDecoration: 'none',
    },
  );
  const asButton = script?.dataset.look === 'button';
  const card = () =>
    make(
      'div',
      { className: 'latchkey-card' },
      {
        display: 'grid',
        gap: '12px',
        width: '320px',
        maxWidth: '100%',
        font: '16px system-ui, sans-serif',
        overflowWrap: 'anywhere',
      },
      make(
        'a',
        { ...tab, href: page, dir: 'auto' },
        { display: 'grid', gap: '12px', color: 'inherit', fontWeight: '600', textDecoration: 'none' },
        ...(picture
          ? [
              make(
                'img',
                { src: picture, alt: '', width: 320, height: 180 },
                { width: '100%', height: 'auto', aspectRatio: '16 / 9', objectFit: 'cover', borderRadius: '8px' },
              ),
            ]
          : []),
        make('span', { textContent: title }, {}),
      ),
      make('div', {}, {}, button),
    );
  script?.after(asButton ? button : card());
}
