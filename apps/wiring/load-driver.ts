import { codeOf } from '../../adapters/system-error.ts';
import { optionalDependencies } from './version.ts';

/** A package, or the part of it that is made for each machine, is missing: one line that says what to do. */
class MissingDriver extends Error {
  override readonly name = 'MissingDriver';
}

/** What Node says of a missing package, and the loader of a missing or wrong binary. */
const missing = /^(?:Cannot find (?:package|module) '[^./]|Could not locate the bindings file)/;

/** Loads a module; throws `MissingDriver` with the advice if a package that it needs is missing or unusable. */
export async function loadDriver<T>(load: () => Promise<T>, advice: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (codeOf(error) === 'ERR_DLOPEN_FAILED' || (error instanceof Error && missing.test(error.message))) {
      throw new MissingDriver(advice, { cause: error });
    }
    throw error;
  }
}

/** Advice on an optional dependency: the package, or all packages of a scope, in the versions that this program was made with. */
export function installAdvice(setting: string, what: string, packageOrScope: string): string {
  const packages = Object.entries(optionalDependencies)
    .filter(([name]) => name === packageOrScope || name.startsWith(`${packageOrScope}/`))
    .map(([name, range]) => `${name}@${range}`);
  return `${setting} needs ${what}, which is not installed. Run: npm install ${packages.join(' ')}`;
}

/** Advice on SQLite, whose driver has a part that is downloaded or compiled when it is installed. */
export const sqliteAdvice =
  'SQLite has no driver for this machine: the package sqlite3 was installed without its scripts, or elsewhere. Run: npm rebuild sqlite3 --ignore-scripts=false';

export const inMemoryAdvice = `Data in memory are kept by SQLite. ${sqliteAdvice}`;
