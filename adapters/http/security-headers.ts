import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions, strictTransportSecurity } from 'helmet';

const policies = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  strictTransportSecurity: false,
} satisfies HelmetOptions;

/** Headers for pages and files, which a browser shows. A page that loads something sets its own policy. */
export const pageHeaders = headersOf(helmet(policies));

/**
 * For pages of people who are signed in. Without `Referrer-Policy`, a browser on plain http does not say which site a
 * form comes from.
 */
export const dashboardHeaders = {
  ...pageHeaders,
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** For every response. The answers of the license API have no others: a browser never shows JSON that a page asks for. */
export const allHeaders = { 'X-Content-Type-Options': 'nosniff' };

/**
 * Headers for the other APIs, which also send files: only those that matter for them. Helmet's other headers protect documents, and
 * would cost time for each response.
 */
export const apiHeaders = headersOf(
  helmet({
    ...policies,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  }),
);

/** Makes browsers use only HTTPS, if the public address of a surface has it. Browsers remember this for a year. */
export function transportHeaders(publicUrl: string, includeSubDomains: boolean): Readonly<Record<string, string>> {
  return publicUrl.startsWith('https:') ? headersOf(strictTransportSecurity({ includeSubDomains })) : {};
}

/** The headers are the same for every request, so Helmet runs once. */
function headersOf(
  middleware: (request: IncomingMessage, response: ServerResponse, next: () => void) => void,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name] = value;
    },
    removeHeader: () => undefined,
  };
  middleware({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}
