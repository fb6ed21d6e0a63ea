import type { VNode } from 'preact';
import { words } from '../words.ts';
import { Body, Parameters, Prose } from './fields.tsx';
import { Folded } from './folded.tsx';
import { type Content, nameOf, type Operation, type Reference, type Response } from './read-document.ts';

interface ShownOperation {
  readonly operation: Operation;
  /** The schemas and responses that calls and events share. */
  readonly components: Reference['components'];
  /** The address of the API that a call belongs to. */
  readonly url: string;
}

/** A call, folded. Its address on the page is its id. */
export function OperationDetails({ operation, components, url }: ShownOperation): VNode {
  const { operationId, method, path, summary, description, parameters, requestBody } = operation;
  const { reference } = words;
  const successes = Object.values(operation.responses).filter((one): one is Response => !('$ref' in one));
  return (
    <Folded
      id={operationId}
      title={
        <>
          <span class={`method ${method}`}>{method}</span> <code>{path}</code>
        </>
      }
      summary={summary}
    >
      <Prose text={description} />
      {parameters.length > 0 && (
        <>
          <h4>{reference.parameters}</h4>
          <Parameters parameters={parameters} />
        </>
      )}
      {requestBody && (
        <>
          <h4>{reference.body}</h4>
          <Body contents={requestBody.content} schemas={components.schemas} />
        </>
      )}
      <h4>{reference.call}</h4>
      <pre>
        <code>{curlOf(operation, url)}</code>
      </pre>
      <h4>{reference.answer}</h4>
      {successes.map(({ description, content }) => (
        <div key={description}>
          <Prose text={description} />
          <Body contents={content} schemas={components.schemas} />
        </div>
      ))}
      <h4>{reference.failures}</h4>
      <Failures operation={operation} components={components} />
    </Folded>
  );
}

/** The failures of a call: their statuses and codes, with links to their descriptions. */
function Failures({ operation: { responses }, components }: Omit<ShownOperation, 'url'>): VNode {
  return (
    <ul class="failures">
      {Object.entries(responses).map(([status, response]) => {
        if (!('$ref' in response)) return null;
        const name = nameOf(response.$ref);
        return (
          <li key={status}>
            {status} <a href={`#response-${name}`}>{codesOf(components.responses[name]?.content ?? []).join(', ')}</a>
          </li>
        );
      })}
    </ul>
  );
}

/** The codes of failures are the names of their examples. */
function codesOf(contents: readonly Content[]): string[] {
  return contents.flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? []));
}

/** An event that the service sends, folded. */
export function EventDetails({ operation: event, components }: Omit<ShownOperation, 'url'>): VNode {
  const { operationId, path, summary, requestBody } = event;
  return (
    <Folded id={operationId} title={<code>{path}</code>} summary={summary}>
      {requestBody && <Body contents={requestBody.content} schemas={components.schemas} />}
    </Folded>
  );
}

/** Returns a command that makes the call of the examples. `url` is the address of the API. */
function curlOf({ method, path, parameters, requestBody, security }: Operation, url: string): string {
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
