import { askServers } from '../look-up.ts';

/** Milliseconds until an unanswered question is asked again. */
const timeout = 1_500;

/** The longest name that name servers can be asked for. */
const longestName = 253;

/** Returns the texts of the TXT records of a name. Throws if there are none, and when the signal is aborted. */
export async function readRecords(
  name: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (name.length > longestName) return [];
  const records = await askServers({ servers, timeout, tries: 3 }, signal, (resolver) => resolver.resolveTxt(name));
  return records.map((parts) => parts.join('').trim());
}
