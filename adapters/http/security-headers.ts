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

/** What answers carry that somebody looks at. A page that loads something sets a policy of its own. */
export const pageHeaders = headersOf(helmet(policies));

/** What every answer carries: of the same, what means something for JSON. The rest guards documents, and costs each answer. */
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

/** Tells browsers to keep to HTTPS, where the public address of a surface has it. A browser cannot undo that for a year. */
export function transportHeaders(publicUrl: string, includeSubDomains: boolean): Readonly<Record<string, string>> {
  return publicUrl.startsWith('https:') ? headersOf(strictTransportSecurity({ includeSubDomains })) : {};
}

/** They are the same for every request, so Helmet is asked once. */
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
