import { existsSync, readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/**
 * The version and the optional dependencies of this package. Its `package.json` is in the folder above `apps`, or above
 * `dist`.
 */
export const { version, optionalDependencies }: Manifest = JSON.parse(readFileSync(manifest(), 'utf8'));

function manifest(): URL {
  const beside = new URL('../../package.json', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../../package.json', import.meta.url);
}
