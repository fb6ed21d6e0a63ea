/**
 * The script of the first page. The API reference was there before, so bookmarks such as `/docs#/License/verify` are sent
 * on to it.
 */
export const referenceBookmarks = `if (location.hash.startsWith('#/')) location.replace('docs/reference' + location.hash);
`;
