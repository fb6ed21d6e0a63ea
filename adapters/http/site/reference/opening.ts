/**
 * The script of `/docs`, which was the address of the API reference before. It sends old bookmarks such as
 * `/docs#/License/verify` to the new address. The script there finds the right part.
 */
export const referenceBookmarks = `if (location.hash.startsWith('#/')) location.replace('docs/reference' + location.hash);
`;

/**
 * The script of the API reference. It unfolds the part that the address names. Old bookmarks such as
 * `#/License/verify`, and `#/License` for a group, lead to their parts.
 */
export const referenceOpening = `const [, group = '', call] = /^#\\/([^/]+)(?:\\/([^/]+))?$/.exec(location.hash) ?? [];
if (group) location.replace('#' + (call ?? 'tag-' + decodeURIComponent(group).toLowerCase().replaceAll(' ', '-')));
const unfold = () => {
  const part = document.getElementById(location.hash.slice(1));
  if (!(part instanceof HTMLDetailsElement)) return;
  part.open = true;
  part.scrollIntoView();
};
addEventListener('hashchange', unfold);
unfold();
`;
