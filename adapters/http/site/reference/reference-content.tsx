import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { words as all } from '../words.ts';
import { Body, Parameters, Prose, SchemaFields, Type } from './fields.tsx';
import { limitsOf, typeOf } from './fields-of.ts';
import { Folded } from './folded.tsx';
import { EventDetails, OperationDetails } from './operations.tsx';
import type { Reference } from './read-document.ts';

interface Shown {
  readonly reference: Reference;
  /** Returns the address of the API that a path belongs to. */
  urlOf(path: string): string;
}

/** A part of the page, for the list beside it. */
export interface Part {
  readonly id: string;
  readonly title: string;
}

/** Returns the parts of the page, in their order. */
export function partsOf({ tags }: Reference): Part[] {
  const { authentication, headers, events, failures, schemas } = all.reference;
  return [
    { id: 'authentication', title: authentication },
    ...tags.map(({ name }) => ({ id: idOf(name), title: name })),
    { id: 'events', title: events },
    { id: 'headers', title: headers },
    { id: 'responses', title: failures },
    { id: 'schemas', title: schemas },
  ];
}

function idOf(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;
}

/**
 * Renders the whole reference, which is the same for everybody. Lets other requests run between its parts: all at once would
 * delay verifications.
 */
export async function renderReference({ reference, urlOf }: Shown): Promise<string> {
  const { info, tags, operations, events, components } = reference;
  const words = all.reference;
  const sections: VNode[] = [];
  for (const { name, description } of tags) {
    const html = await inSteps([
      <h2 key="title" id={idOf(name)}>
        {name}
      </h2>,
      <Prose key="about" text={description} />,
      ...operations
        .filter((one) => one.tags.includes(name))
        .map((operation) => (
          <OperationDetails
            key={operation.operationId}
            operation={operation}
            components={components}
            url={urlOf(operation.path)}
          />
        )),
    ]);
    // Its parts were rendered just now.
    sections.push(<section key={name} aria-labelledby={idOf(name)} dangerouslySetInnerHTML={{ __html: html }} />);
  }
  return await inSteps([
    <Prose key="about" text={info.description} />,
    <h2 key="authentication" id="authentication">
      {words.authentication}
    </h2>,
    <Prose key="scheme" text={components.securitySchemes.apiKey.description} />,
    ...sections,
    <h2 key="events" id="events">
      {words.events}
    </h2>,
    <Prose key="about-events" text={words.aboutEvents} />,
    <Parameters key="parameters" parameters={events[0]?.parameters ?? []} />,
    ...events.map((event) => <EventDetails key={event.path} operation={event} components={components} />),
    <h2 key="headers" id="headers">
      {words.headers}
    </h2>,
    <dl key="list" class="fields">
      {Object.entries(components.headers).map(([name, { description, schema }]) => (
        <div key={name}>
          <dt>
            <code>{name}</code>{' '}
            <span>
              <Type parts={typeOf(schema)} />
            </span>
          </dt>
          <dd>
            <Prose text={description} />
          </dd>
        </div>
      ))}
    </dl>,
    <h2 key="responses" id="responses">
      {words.failures}
    </h2>,
    ...Object.entries(components.responses).map(([name, { description, content }]) => (
      <Folded key={name} id={`response-${name}`} title={name}>
        <Prose text={description} />
        <Body contents={content} schemas={{}} />
      </Folded>
    )),
    <h2 key="schemas" id="schemas">
      {words.schemas}
    </h2>,
    ...Object.entries(components.schemas).map(([name, schema]) => (
      <Folded key={name} id={`schema-${name}`} title={name}>
        <Prose text={[schema.description ?? '', ...limitsOf(schema)].filter(Boolean).join('\n\n')} />
        {schema.oneOf && (
          <p>
            <Type parts={typeOf(schema)} />
          </p>
        )}
        <SchemaFields schema={schema} />
      </Folded>
    )),
  ]);
}

async function inSteps(parts: readonly VNode[]): Promise<string> {
  let html = '';
  for (const part of parts) {
    html += renderToString(part);
    await nextTurn();
  }
  return html;
}
