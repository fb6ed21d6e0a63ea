import { Agent, request } from 'node:http';
import { type Call, neverSent } from './history.ts';
import { describeStatus } from './model.ts';

/** An HTTP client that keeps connections and never sends a request twice. */
export interface Client {
  /** The answer in the model's words, or `undefined` if the outcome of the call is unknown. */
  call(url: string, licenseKey: string, call: Call): Promise<string | undefined | typeof neverSent>;
  /** How often each status of 500 or above was returned. */
  readonly failures: ReadonlyMap<number, number>;
  close(): void;
}

/** Milliseconds after which a call counts as unanswered. */
const patience = 30_000;

export function createClient(): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const failures = new Map<number, number>();

  async function call(url: string, licenseKey: string, call: Call): Promise<string | undefined | typeof neverSent> {
    const isPost = call.op === 'activate' || call.op === 'deactivate';
    const values = { license_key: licenseKey, ...('domain' in call && { domain: call.domain }) };
    const answer = isPost
      ? await send(agent, `${url}/${call.op}`, JSON.stringify(values))
      : await send(agent, `${url}/${call.op}?${new URLSearchParams(values)}`);
    if (answer === undefined || answer === neverSent) return answer;
    if (answer.status >= 500) {
      failures.set(answer.status, (failures.get(answer.status) ?? 0) + 1);
      return undefined;
    }
    return read(answer);
  }

  return { call, failures, close: () => agent.destroy() };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function send(agent: Agent, url: string, body?: string): Promise<Answer | undefined | typeof neverSent> {
  return new Promise((resolve) => {
    const sent = request(url, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers:
        body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
    });
    sent.setTimeout(patience, () => sent.destroy());
    sent.on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED' ? neverSent : undefined));
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', () => resolve(undefined));
      response.on('close', () => resolve(response.complete ? { status: response.statusCode ?? 0, text } : undefined));
    });
    sent.end(body);
  });
}

interface StatusBody {
  readonly status: string;
  readonly domains_used: number;
  readonly max_domains: number;
  readonly verification_count: number;
  readonly domains: readonly { readonly domain: string; readonly verification_count: number }[];
}

function read({ status, text }: Answer): string {
  const body = JSON.parse(text) as {
    readonly success?: boolean;
    readonly valid?: boolean;
    readonly error?: string;
    readonly license?: StatusBody;
  };
  if (body.error !== undefined) return body.error;
  if (body.valid === true) return 'ok';
  if (body.success !== true) return `HTTP ${status} ${text}`;
  if (body.license === undefined) return 'ok';
  const { license } = body;
  return describeStatus({
    status: license.status,
    domainsUsed: license.domains_used,
    maxDomains: license.max_domains,
    total: license.verification_count,
    domains: license.domains.map((one) => ({ domain: one.domain, count: one.verification_count })),
  });
}
