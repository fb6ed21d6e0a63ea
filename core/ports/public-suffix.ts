/**
 * Whether anybody can register a domain directly below this host, as below `com` and `co.uk`. Hosts of companies, such
 * as `vercel.app`, are none.
 */
export type IsPublicSuffix = (host: string) => boolean;
