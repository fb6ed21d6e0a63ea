import { shortestPassword } from '../../core/accounts/password.ts';
import type { CommonPasswords } from '../../core/ports/common-passwords.ts';
import { onceMade } from '../once-made.ts';

/** Knows the 50,000 most common passwords of zxcvbn. They are loaded when the first password is checked. */
export function createCommonPasswords(): CommonPasswords {
  return { includes: async (password) => (await known()).has(password) };
}

const known = onceMade(load);

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= shortestPassword));
}
