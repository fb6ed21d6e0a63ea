import { compared, fromEachStart, searchable, typed } from '../search-texts.ts';
import type { User } from './user.ts';

/**
 * Returns the name and the e-mail address, each from the start of every word on. A search finds a user if one of these
 * texts begins with it. The last part of a domain, such as `com`, is left out.
 */
export function searchTexts({ name, email }: Pick<User, 'name' | 'email'>): string[] {
  const ofAddress = fromEachStart(searchable(email)).filter((text, index) => index === 0 || /[.@]/.test(text));
  return [...new Set([...fromEachStart(searchable(name).trim()), ...ofAddress].map(compared))];
}

/** The text that the search texts of a user must begin with. Empty if all users match. */
export function searched(search = ''): string {
  return compared(typed(search).replace(/^@/, ''));
}
