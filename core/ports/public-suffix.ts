/**
 * Whether anybody can register a domain directly below this host, as below `com` and `co.uk`. Hosts of companies, such
 * as `vercel.app`, are none.
 */
export type IsPublicSuffix = (host: string) => boolean;

/**
 * Returns the domain that somebody has registered, or got from a company, of which a host is a part: `example.co.uk` of
 * `www.example.co.uk`, and `shop.vercel.app` of itself. Returns other hosts as they are, such as addresses and `localhost`.
 */
export type RegistrableDomain = (host: string) => string;
