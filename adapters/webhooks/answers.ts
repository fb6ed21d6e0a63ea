import type { Readable } from 'node:stream';
import type { Instant } from '../../core/ports/clock.ts';
import { inSeconds } from '../../core/time.ts';
import { type Answer, keptOfAnswer } from '../../core/webhooks/delivery.ts';
import type { Failure } from '../failed-attempt.ts';

/** The head of an answer, as undici returns it. */
export interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const mostRead = 65_536;
const mostHeaders = 50;
const longestHeader = 500;

/**
 * Reads the beginning of a body, and closes the connection if there is more. Never throws: an answer whose body does not
 * arrive is still an answer.
 */
export async function beginningOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= mostRead) break;
    }
  } catch {
    // Cut off, or too slow.
  }
  return storable(new TextDecoder().decode(Buffer.concat(chunks).subarray(0, mostRead))).slice(0, keptOfAnswer);
}

export function answerOf({ statusCode: status, headers }: Head, body: string): Answer {
  const kept = Object.entries(headers)
    .slice(0, mostHeaders)
    .map(([name, value = '']) => [
      storable(name).slice(0, longestHeader),
      storable([value].flat().join(', ')).slice(0, longestHeader),
    ]);
  return { status, headers: Object.fromEntries(kept), body: withoutHalves(body) };
}

/** Databases cannot store NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Cutting a text can leave half of a surrogate pair. */
function withoutHalves(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}

/** Returns why an answer is not a success. `undefined` if it is. */
export function failureOfAnswer({ statusCode: status, headers }: Head): Failure | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) {
    const to = storable([headers.location ?? ''].flat()[0] ?? '').slice(0, longestHeader);
    const target = to === '' ? '' : ` to ${withoutHalves(to)}`;
    return {
      fault: 'redirect',
      detail: `The host answered with status ${status}, a redirect${target}. Redirects are not followed.`,
    };
  }
  return { fault: 'status', detail: `The host answered with status ${status}.` };
}

/** The longest wait in seconds that can be asked for. More is cut, because numbers of any length are allowed. */
const longestWait = 365 * inSeconds.day;

/** The wait that an answer asks for (RFC 9110, 10.2.3), in milliseconds. */
export function retryAfterOf({ statusCode, headers }: Head, now: Instant): number | null {
  if (statusCode !== 429 && statusCode !== 503) return null;
  const text = [headers['retry-after'] ?? ''].flat()[0]?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), longestWait) * 1000;
  // Only dates that name a day: `Date.parse` would also read numbers such as -5 and 1.5.
  const at = /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), longestWait * 1000);
}
