/**
 * The script of `/docs`. The API reference was at this address before. Old bookmarks such as `/docs#/License/verify`
 * lead to its new address.
 */
export const referenceBookmarks = `if (location.hash.startsWith('#/')) location.replace('docs/reference' + location.hash);
`;
