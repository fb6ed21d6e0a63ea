import type { Operation } from './read-document.ts';

/** Returns a command that makes the call of the examples. `url` is the address of the API. */
export function curlOf({ method, path, parameters, requestBody, security }: Operation, url: string): string {
  const among = (place: string) => parameters.filter((one) => one.in === place);
  const filled = among('path').reduce(
    (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))),
    path,
  );
  const needed = among('query').filter(({ required }) => required);
  const query = new URLSearchParams(needed.map(({ name, example }) => [name, String(example)]));
  const [content] = requestBody?.content ?? [];
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quoted(`${url}${filled}${query.size > 0 ? `?${query}` : ''}`)}`,
    ...(security.length > 0 ? [`-H "X-API-Key: $LATCHKEY_API_KEY"`] : []),
    ...(content === undefined ? [] : bodyOf(content)),
  ].join(' \\\n  ');
}

function bodyOf({ type, schema, examples: [example] }: NonNullable<Operation['requestBody']>['content'][number]) {
  if (type === 'multipart/form-data') {
    const { properties = {}, required = [] } = schema;
    return required.map((name) => {
      const { format, examples: [given = 'text'] = [] } = properties[name] ?? {};
      return `-F ${quoted(`${name}=${format === 'binary' ? '@file' : given}`)}`;
    });
  }
  const value = example?.value;
  const header = `-H ${quoted(`Content-Type: ${type}`)}`;
  return [header, typeof value === 'string' ? '--data-binary @file' : `-d ${quoted(JSON.stringify(value))}`];
}

/** Quotes a text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
