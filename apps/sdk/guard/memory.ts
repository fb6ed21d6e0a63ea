import type { GuardStorage } from '../platform.ts';

/** So that a server that asks for very many licenses does not fill its memory. */
const most = 1000;
const texts = new Map<string, string>();

/** The memory of the process, shared by all its guards. Drops the oldest text. */
export const memory: GuardStorage = {
  get: (key) => texts.get(key),
  set(key, text) {
    texts.delete(key);
    texts.set(key, text);
    const [oldest = ''] = texts.keys();
    if (texts.size > most) texts.delete(oldest);
  },
};
