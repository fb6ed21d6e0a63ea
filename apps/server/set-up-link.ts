import { Unavailable } from '../../core/unavailable.ts';
import type { Parts } from '../wiring/compose.ts';
import type { Config } from '../wiring/config.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';

/**
 * Returns a link to the page that makes the first administrator, if there is no administrator and this process serves the
 * page. The link works for 30 minutes. If the database cannot be written, there is no link, but the server still starts.
 */
export async function setUpLink(parts: Parts, { SURFACE, BASE_URL }: Config): Promise<string | undefined> {
  if (!servesAccounts(SURFACE)) return undefined;
  try {
    const token = await (await parts.get(t.signUp)).setUpToken();
    return token && `${BASE_URL}/setup#${token}`;
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
}
