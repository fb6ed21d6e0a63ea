import type { VNode } from 'preact';
import { texts } from '../../ui/texts.ts';
import { curlOf } from './curl.ts';
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
  const { reference } = texts;
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
