/** Waits in the page until its fonts are there, and plots have the size of the window. */
export const drawn =
  'document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))';

/**
 * Looks for what axe-core does not see. Runs in the page, so it uses nothing from outside, and returns one line for each fault. It
 * finds: a page wider than its window, a cell narrower than three characters, text over the edge of its box, texts on top of each other,
 * columns that cannot be reached, a heading that a phone shows too low, and a page without a title or a description.
 */
function faults(): string[] {
  const found = new Set<string>();
  const window = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > window) found.add('the page scrolls sideways');
  const nameOf = (element: Element) =>
    `<${element.localName} class="${element.className}"> "${(element.textContent ?? '').trim().slice(0, 40)}"`;
  const isShown = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  /** What one can scroll to is in order. */
  const scroller = (element: Element): Element | null => {
    for (let one: Element | null = element; one !== null; one = one.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(one).overflowX)) return one;
    }
    return null;
  };

  if (document.title.trim() === '') found.add('the page has no title');
  const descriptions = [...document.querySelectorAll('meta[name="description"]')];
  if (descriptions.length !== 1 || !descriptions[0]?.getAttribute('content')?.trim())
    found.add('it has no description');
  // What has just happened stands above the heading.
  const top = (document.querySelector('.notice, h1')?.getBoundingClientRect().top ?? 0) + scrollY;
  if (window < 400 && top > 200) found.add(`the heading begins at ${Math.round(top)} px`);

  for (const cell of document.querySelectorAll('main dd, main td, main th')) {
    const style = getComputedStyle(cell);
    if (style.display === 'none' && isShown(cell.parentElement ?? cell)) found.add(`a hidden column: ${nameOf(cell)}`);
    const text = (cell.textContent ?? '').trim();
    const room = cell.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    const isNarrow = room < 3 * Number.parseFloat(style.fontSize) && cell.scrollWidth > cell.clientWidth;
    const content = document.createRange();
    content.selectNodeContents(cell);
    const lineHeight = Number.parseFloat(style.lineHeight) || 1.2 * Number.parseFloat(style.fontSize);
    const lines = content.getBoundingClientRect().height / lineHeight;
    const isSqueezed = text.length > 3 && lines > 5 && room < 40;
    const isRead = isShown(cell) && style.clipPath === 'none';
    if (isRead && text !== '' && (isNarrow || isSqueezed)) found.add(`a narrow cell: ${nameOf(cell)}`);
  }

  const texts: { readonly element: Element; readonly box: DOMRect }[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element === null || (node.textContent ?? '').trim() === '' || !isShown(element)) continue;
    // Cut on purpose, and read in full with the pointer.
    if (getComputedStyle(element).textOverflow === 'ellipsis' && element.getAttribute('title')) continue;
    if (element.closest('svg, select, textarea, option, noscript, .unseen, .skip') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      texts.push({ element, box });
      const scrolls = scroller(element);
      if (scrolls === null && box.right > window + 1) found.add(`text out of reach: ${nameOf(element)}`);
      for (
        let one: Element | null = element;
        one !== null && one !== scrolls && one.localName !== 'body';
        one = one.parentElement
      ) {
        const style = getComputedStyle(one);
        const isBox = style.borderRightStyle !== 'none' && Number.parseFloat(style.borderRightWidth) > 0;
        const { left, right } = one.getBoundingClientRect();
        if ((isBox || style.overflowX !== 'visible') && (box.right > right + 1 || box.left < left - 1)) {
          if (style.textOverflow !== 'ellipsis') found.add(`text over its box: ${nameOf(element)} in ${nameOf(one)}`);
          break;
        }
      }
    }
  }

  const isLifted = (element: Element) => {
    for (let one: Element | null = element; one !== null; one = one.parentElement) {
      if (/absolute|fixed|sticky/.test(getComputedStyle(one).position)) return true;
    }
    return false;
  };
  const flat = texts.filter(({ element }) => !isLifted(element)).sort((a, b) => a.box.top - b.box.top);
  flat.forEach(({ element, box }, index) => {
    for (const other of flat.slice(index + 1)) {
      if (other.box.top >= box.bottom) break;
      const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      const isReachable = scroller(element) === scroller(other.element);
      if (wide > 2 && high > 0.4 * Math.min(box.height, other.box.height) && isReachable)
        found.add(`texts on top of each other: ${nameOf(element)} and ${nameOf(other.element)}`);
    }
  });
  return [...found];
}

/** Evaluates to the faults in the layout of the open page, one a line. tsx calls `__name` in functions that it has read. */
export const layoutFaults = `{ const __name = (one) => one; (${faults})().join('\\n') }`;
