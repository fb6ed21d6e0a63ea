import { existsSync, readFileSync } from 'node:fs';

/** This package's version. Its `package.json` lies above `apps`, or above the `dist` that holds it. */
export const version: string = JSON.parse(readFileSync(manifest(), 'utf8')).version;

function manifest(): URL {
  const beside = new URL('../package.json', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../package.json', import.meta.url);
}
