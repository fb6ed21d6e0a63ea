import { isIPv6 } from 'node:net';
import { Unavailable } from '../../core/unavailable.ts';
import { cutOff, FailedAttempt, type Failure } from '../failed-attempt.ts';
import { codeOf } from '../system-error.ts';

const dns = 'dns';
const tls = 'tls';
const badAnswer = { fault: 'bad_answer', detail: 'The answer is not valid HTTP.' } as const;
const untrusted = {
  fault: tls,
  detail: 'The certificate is not from a known authority, or the server does not send the intermediate certificates.',
} as const;

/** The faults behind errors of Node and undici, by the code of the error. */
const failures: Readonly<Record<string, Failure>> = {
  ENOTFOUND: { fault: dns, detail: 'The name of the host does not exist.' },
  ENODATA: { fault: dns, detail: 'The name of the host has no address.' },
  EBADNAME: { fault: dns, detail: 'The name of the host is not valid.' },
  ETIMEOUT: { fault: dns, detail: 'The name servers of the host did not answer.' },
  ESERVFAIL: { fault: dns, detail: 'The name servers of the host failed.' },
  EREFUSED: { fault: dns, detail: 'The name servers refused to look up the host.' },
  EBADRESP: { fault: dns, detail: 'The name servers of the host gave an answer that is not valid.' },
  ECONNREFUSED: { fault: 'refused', detail: 'The host refused the connection: nothing listens on this port.' },
  EHOSTUNREACH: { fault: 'refused', detail: 'There is no route to the host.' },
  ENETUNREACH: { fault: 'refused', detail: 'There is no route to the network of the host.' },
  EACCES: { fault: 'refused', detail: 'A firewall refused the connection.' },
  EPERM: { fault: 'refused', detail: 'A firewall refused the connection.' },
  ETIMEDOUT: { fault: 'timeout', detail: 'The connection to the host timed out.' },
  ECONNRESET: cutOff,
  EPIPE: cutOff,
  ECONNABORTED: cutOff,
  CERT_HAS_EXPIRED: { fault: tls, detail: 'The certificate has expired.' },
  CERT_NOT_YET_VALID: { fault: tls, detail: 'The certificate is not valid yet.' },
  CERT_REVOKED: { fault: tls, detail: 'The certificate was revoked.' },
  CERT_UNTRUSTED: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: { fault: tls, detail: 'The certificate is self-signed.' },
  SELF_SIGNED_CERT_IN_CHAIN: { fault: tls, detail: 'The certificate comes from an authority that is not known.' },
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: { fault: tls, detail: 'The certificate is for another host.' },
  ERR_SSL_WRONG_VERSION_NUMBER: { fault: tls, detail: 'The host does not speak TLS on this port.' },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { fault: tls, detail: 'The host does not speak TLS on this port.' },
  ERR_SSL_UNSUPPORTED_PROTOCOL: { fault: tls, detail: 'The host only speaks an old version of TLS.' },
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: { fault: tls, detail: 'The host does not speak TLS 1.2 or 1.3.' },
  UND_ERR_HEADERS_OVERFLOW: { fault: 'bad_answer', detail: 'The head of the answer is longer than 16 kB.' },
};

/** Errors of this machine. They say nothing about the receiver. */
const ownTroubles: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'ENOBUFS',
  'ENOMEM',
  'ENETDOWN',
]);

/** The errors of a connection to an IPv6 address from a machine without IPv6. Many containers never have IPv6. */
const withoutIpv6: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);
const onlyIpv6 = { fault: 'refused', detail: 'The host only has IPv6 addresses, and this server has none.' } as const;

/** Returns why an attempt failed. Throws `Unavailable` if this machine cannot send, and unknown errors as they are. */
export function failureOf(error: unknown): Failure {
  if (error instanceof FailedAttempt) return error.failure;
  const code = codeOf(error) ?? '';
  if (withoutIpv6.has(code) && isOfIpv6(error)) return onlyIpv6;
  if (ownTroubles.has(code)) throw new Unavailable(`Webhooks cannot be sent: ${code}.`, { cause: error });
  const known = failures[code];
  if (known !== undefined) return known;
  if (code === 'UND_ERR_SOCKET') return socketFailure(error);
  if (code.startsWith('UND_ERR_') || (error instanceof Error && error.name === 'HTTPParserError')) return badAnswer;
  if (/^(?:ERR_SSL_|ERR_TLS_|CERT_|EPROTO)/.test(code) || isOfOpenSsl(error)) {
    return { fault: tls, detail: `The connection could not be secured (${code}).` };
  }
  if (isOfDns(error)) return { fault: dns, detail: `The name of the host could not be looked up (${code}).` };
  throw error;
}

/** undici closes a connection with an answer that it does not expect, and reports one that the other side closed. */
function socketFailure(error: unknown): Failure {
  return error instanceof Error && error.message === 'other side closed'
    ? { fault: 'cut_off', detail: 'The host closed the connection before it answered.' }
    : badAnswer;
}

function isOfIpv6(error: unknown): boolean {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error && 'address' in first && isIPv6(String(first.address));
}

function isOfOpenSsl(error: unknown): boolean {
  return error instanceof Error && 'library' in error;
}

function isOfDns(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('query');
}
