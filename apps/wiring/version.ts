import { existsSync, readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** This package's version, and what it can be installed without. Its `package.json` lies above `apps`, or above the `dist` that holds it. */
export const { version, optionalDependencies }: Manifest = JSON.parse(readFileSync(manifest(), 'utf8'));

function manifest(): URL {
  const beside = new URL('../../package.json', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../../package.json', import.meta.url);
}
