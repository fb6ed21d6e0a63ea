import { codeOf } from '../../adapters/system-error.ts';
import { optionalDependencies } from './version.ts';

/** A package or its native binary is missing. The message is one line that says what to do. */
class MissingDriver extends Error {
  override readonly name = 'MissingDriver';
}

/** The messages of Node for a missing package, and of the loader for a missing or wrong binary. */
const missing = /^(?:Cannot find (?:package|module) '[^./]|Could not locate the bindings file)/;

/** Loads a module. Throws `MissingDriver` with the advice if a package that it needs is missing or unusable. */
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

/** Advice on an optional dependency: all packages of a scope, in the versions that this program needs. */
export function installAdvice(setting: string, what: string, packageOrScope: string): string {
  const packages = Object.entries(optionalDependencies)
    .filter(([name]) => name === packageOrScope || name.startsWith(`${packageOrScope}/`))
    .map(([name, range]) => `${name}@${range}`);
  return `${setting} needs ${what}, which is not installed. Run: npm install ${packages.join(' ')}`;
}

/** Advice on SQLite. Its driver has a binary that is downloaded or compiled at installation. */
export const sqliteAdvice =
  'SQLite has no driver for this machine: the package sqlite3 was installed without its scripts, or on another machine. Run: npm rebuild sqlite3 --ignore-scripts=false';

export const inMemoryAdvice = `A database in memory needs SQLite. ${sqliteAdvice}`;
