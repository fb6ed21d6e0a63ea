export const list = {
  find: 'Find',
  clear: 'Show all',
  pages: 'Pages of the list',
  first: 'First page',
  more: 'More',
  none: 'Nothing found',
  noneAdvice: 'Try other words, or show everything.',
} as const;
