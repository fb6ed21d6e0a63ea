import { createHash } from 'node:crypto';
import {
  type InnerList,
  type Item,
  parseDictionary,
  serializeDictionary,
  serializeInnerList,
} from 'structured-headers';
import type { LeaseKeys } from '../../../core/licensing/lease-keys.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { SigningKey } from '../../../core/ports/lease-signing.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import type { Context } from '../state.ts';

/** In characters. A longer header is ignored. */
const longestHeader = 1_000;

/** The id of the endpoint whose answers can be signed. */
const signed = 'verify';

/** The names of the components that a signature can cover. `true`: the component is a part of the request, not of the answer. */
const components = new Map([
  ['@status', false],
  ['content-digest', false],
  ['@path', true],
  ['@query', true],
]);

/** A request for a signature that can be fulfilled. */
interface Wanted {
  readonly label: string;
  readonly covered: readonly Item[];
  readonly nonce: string | undefined;
  readonly tag: string | undefined;
}

/**
 * Returns a function that signs an answer to `verify` if the request asks for it (RFC 9421, section 5). If it cannot make the
 * signature that the request asks for, or if the keys cannot be read, the answer has no signature. The RFC allows this.
 */
export function createAnswerSigning(
  leaseKeys: Pick<LeaseKeys, 'currentKey'>,
  clock: Clock,
): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    if (ctx.state.endpoint !== signed || ctx.method !== 'GET') return;
    const asked = ctx.get('Accept-Signature');
    if (asked === '') return;
    const key = await leaseKeys.currentKey().catch(unlessUnavailable);
    const wanted = key && wantedIn(asked, key.kid);
    if (key !== undefined && wanted !== undefined) sign(ctx, wanted, key, Math.floor(clock.now() / 1000));
  };
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error;
}

/** Returns the first request for a signature in the header that this service can fulfil. */
function wantedIn(header: string, kid: string): Wanted | undefined {
  if (header.length > longestHeader) return undefined;
  for (const [label, [covered, parameters]] of dictionaryIn(header)) {
    if (!Array.isArray(covered) || !covered.every(isOffered) || !isSet(covered)) continue;
    const { created = true, nonce, tag, keyid = kid, alg = algorithm, ...others } = Object.fromEntries(parameters);
    const isPossible = created === true && keyid === kid && alg === algorithm && Object.keys(others).length === 0;
    if (isPossible && isTextOrNothing(nonce) && isTextOrNothing(tag)) return { label, covered, nonce, tag };
  }
  return undefined;
}

const algorithm = 'ed25519';

/** A field that is malformed counts as none: RFC 9651, section 4.2. */
function dictionaryIn(header: string): Iterable<[string, Item | InnerList]> {
  try {
    return parseDictionary(header);
  } catch {
    return [];
  }
}

function isOffered([name, parameters]: Item): boolean {
  const isOfRequest = typeof name === 'string' ? components.get(name) : undefined;
  if (isOfRequest === undefined) return false;
  return isOfRequest ? parameters.size === 1 && parameters.get('req') === true : parameters.size === 0;
}

function isSet(covered: readonly Item[]): boolean {
  return covered.length > 0 && new Set(covered.map(([name]) => name)).size === covered.length;
}

function isTextOrNothing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function sign(ctx: Context, { label, covered, nonce, tag }: Wanted, key: SigningKey, created: number): void {
  const digest = createHash('sha256').update(bodyOf(ctx)).digest('base64');
  ctx.set('Content-Digest', `sha-256=:${digest}:`);
  const url = ctx.req.url ?? '';
  const mark = url.indexOf('?');
  const values = new Map([
    ['@status', String(ctx.status)],
    ['content-digest', `sha-256=:${digest}:`],
    ['@path', mark < 0 ? url : url.slice(0, mark)],
    ['@query', mark < 0 ? '?' : url.slice(mark)],
  ]);
  const parameters = new Map<string, string | number>([
    ['created', created],
    ['keyid', key.kid],
    ['alg', algorithm],
    ...(nonce === undefined ? [] : ([['nonce', nonce]] as const)),
    ...(tag === undefined ? [] : ([['tag', tag]] as const)),
  ]);
  const input: InnerList = [[...covered], parameters];
  const lines = covered.map(([name]) => {
    const text = String(name);
    return `"${text}"${components.get(text) ? ';req' : ''}: ${values.get(text)}`;
  });
  const base = [...lines, `"@signature-params": ${serializeInnerList(input)}`].join('\n');
  ctx.set('Signature-Input', serializeDictionary(new Map([[label, input]])));
  ctx.set('Signature', `${label}=:${Buffer.from(key.sign(base)).toString('base64')}:`);
  expose(ctx);
}

/** Pages of other origins may read the signature. Other answers do not name these headers, which would only cost bytes. */
function expose(ctx: Context): void {
  const exposed = String(ctx.res.getHeader('Access-Control-Expose-Headers') ?? '');
  if (exposed !== '') ctx.set('Access-Control-Expose-Headers', `${exposed},Content-Digest,Signature,Signature-Input`);
}

/** The bytes of the answer as they are sent. */
function bodyOf({ body }: Context): string | Buffer {
  return Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body ?? '');
}
