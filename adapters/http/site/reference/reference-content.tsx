import type { VNode } from 'preact';
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

/** The whole reference. It is the same for everybody. */
export function ReferenceContent({ reference: { info, tags, operations, events, components }, urlOf }: Shown): VNode {
  const words = all.reference;
  return (
    <>
      <Prose text={info.description} />
      <h2 id="authentication">{words.authentication}</h2>
      <Prose text={components.securitySchemes.apiKey.description} />
      {tags.map(({ name, description }) => (
        <section key={name} aria-labelledby={idOf(name)}>
          <h2 id={idOf(name)}>{name}</h2>
          <Prose text={description} />
          {operations
            .filter((one) => one.tags.includes(name))
            .map((operation) => (
              <OperationDetails
                key={operation.operationId}
                operation={operation}
                components={components}
                url={urlOf(operation.path)}
              />
            ))}
        </section>
      ))}
      <h2 id="events">{words.events}</h2>
      <Prose text={words.aboutEvents} />
      <Parameters parameters={events[0]?.parameters ?? []} />
      {events.map((event) => (
        <EventDetails key={event.path} operation={event} components={components} />
      ))}
      <h2 id="headers">{words.headers}</h2>
      <dl class="fields">
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
      </dl>
      <h2 id="responses">{words.failures}</h2>
      {Object.entries(components.responses).map(([name, { description, content }]) => (
        <Folded key={name} id={`response-${name}`} title={name}>
          <Prose text={description} />
          <Body contents={content} schemas={{}} />
        </Folded>
      ))}
      <h2 id="schemas">{words.schemas}</h2>
      {Object.entries(components.schemas).map(([name, schema]) => (
        <Folded key={name} id={`schema-${name}`} title={name}>
          <Prose text={[schema.description ?? '', ...limitsOf(schema)].filter(Boolean).join('\n\n')} />
          {schema.oneOf && (
            <p>
              <Type parts={typeOf(schema)} />
            </p>
          )}
          <SchemaFields schema={schema} />
        </Folded>
      ))}
    </>
  );
}
