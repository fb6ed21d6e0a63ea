import { embed, type Latchkey } from '../../apps/embed.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Terms } from '../../core/licensing/terms.ts';

/** A service in memory that tests call over HTTP. */
export interface Service extends Latchkey {
  get(path: string, query?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(path: string, init?: RequestInit): Promise<Answer>;
  license(terms?: Partial<Terms>): Promise<LicenseKey>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as a client does
  readonly body: any;
}

export const by = { actor: 'test', reason: 'test' };

export async function startService(settings: Parameters<typeof embed>[0] = {}): Promise<Service> {
  const latchkey = await embed(settings);
  const { url } = latchkey;
  const product = await latchkey.products.add({ title: 'Sample DEX', ownerId: null }, by);
  const send = async (path: string, init?: RequestInit) => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
  return {
    ...latchkey,
    send,
    get: (path, query = {}, headers = {}) => send(`${path}?${new URLSearchParams(query)}`, { headers }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async license(terms = {}) {
      const [key] = await latchkey.issuing.issue(
        { productId: product.id, maxDomains: 1, expiresAt: null, ...terms },
        1,
        by,
      );
      if (key === undefined) throw new Error('No license was issued.');
      return key;
    },
  };
}
