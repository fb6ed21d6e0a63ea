/** Where a bucket is, and where in it. */
export interface S3Location {
  readonly bucket: string;
  /** The part of the bucket that is ours, such as `latchkey/files`. */
  readonly prefix?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly forcePathStyle?: boolean;
}

const form = 's3://<bucket>[/<prefix>][?endpoint=http(s)://…&region=…&path_style=true|false]';
const parameters = new Set(['endpoint', 'region', 'path_style']);

/**
 * Reads `s3://bucket/prefix?endpoint=…&region=…&path_style=true`. Throws an error that says what is wrong, but repeats
 * nothing of the address, as there may be secrets in it.
 */
export function parseS3Url(text: string): S3Location {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:' || url.hostname === '') throw new Error(`must be ${form}`);
  if (url.username !== '' || url.password !== '') {
    throw new Error('holds credentials: give them as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  if (url.port !== '' || url.hash !== '') throw new Error(`must be ${form}`);
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name));
  if (unknown !== undefined) throw new Error(`has an unknown parameter: must be ${form}`);
  const twice = [...parameters].find((name) => url.searchParams.getAll(name).length > 1);
  if (twice !== undefined) throw new Error(`has ${twice} more than once`);

  const prefix = prefixOf(url.pathname);
  const endpoint = url.searchParams.get('endpoint');
  const region = url.searchParams.get('region');
  const pathStyle = url.searchParams.get('path_style');
  return {
    bucket: bucketOf(url.hostname),
    ...(prefix !== '' && { prefix }),
    ...(endpoint !== null && { endpoint: endpointOf(endpoint) }),
    ...(region !== null && { region: regionOf(region) }),
    ...(pathStyle !== null && { forcePathStyle: isTrue(pathStyle) }),
  };
}

function bucketOf(name: string): string {
  if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) return name;
  throw new Error('names no bucket: the name of a bucket is 3 to 63 of a-z, 0-9, dot and hyphen');
}

function prefixOf(path: string): string {
  const prefix = path.replace(/^\/+|\/+$/g, '');
  if (prefix === '' || /^[\w.-]+(?:\/[\w.-]+)*$/.test(prefix)) return prefix;
  throw new Error('has a wrong prefix: a prefix is folders of letters, digits, dot, hyphen and underscore');
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (isBare && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw new Error('has a wrong endpoint: an endpoint is http(s)://<host>[:<port>], without user and password');
}

function regionOf(text: string): string {
  if (/^[a-z0-9-]+$/.test(text)) return text;
  throw new Error('has a wrong region: a region is such as eu-central-1');
}

function isTrue(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error('has a wrong path_style: it is true or false');
}
