/** The address of a bucket, and the part of it that is used. */
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
 * Parses `s3://bucket/prefix?endpoint=…&region=…&path_style=true`. Throws an error that describes the problem. The
 * message contains no values from the URL, because they may be secret.
 */
export function parseS3Url(text: string): S3Location {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:' || url.hostname === '') throw new Error(`must be ${form}`);
  if (url.username !== '' || url.password !== '') {
    throw new Error('contains credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
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
  throw new Error('has no valid bucket name: a bucket name is 3 to 63 characters of a-z, 0-9, dot and hyphen');
}

function prefixOf(path: string): string {
  const prefix = path.replace(/^\/+|\/+$/g, '');
  if (prefix === '' || /^[\w.-]+(?:\/[\w.-]+)*$/.test(prefix)) return prefix;
  throw new Error(
    'has a wrong prefix: a prefix is one or more folder names, separated by /, of letters, digits, dots, hyphens and underscores',
  );
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (isBare && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw new Error('has a wrong endpoint: an endpoint is http(s)://<host>[:<port>], without user and password');
}

function regionOf(text: string): string {
  if (/^[a-z0-9-]+$/.test(text)) return text;
  throw new Error('has a wrong region: write it like eu-central-1');
}

function isTrue(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error('has a wrong path_style: it must be true or false');
}
