import type { VNode } from 'preact';
import type { Schema } from '../../openapi/schema.ts';
import { renderMarkdown } from '../markdown.ts';
import { words } from '../words.ts';
import { type Field, fieldOf, fieldsOf, type TypePart, typeOf } from './fields-of.ts';
import { type Content, nameOf, type Parameter } from './read-document.ts';

/** A text of the document, written in Markdown. `renderMarkdown` escapes all text and refuses HTML. */
export function Prose({ text }: { readonly text: string }): VNode | null {
  if (text === '') return null;
  return <div class="prose" dangerouslySetInnerHTML={{ __html: renderMarkdown(text, () => undefined).html }} />;
}

/** The parameters of a call, or the headers of an event. */
export function Parameters({ parameters }: { readonly parameters: readonly Parameter[] }): VNode {
  const fields = parameters.map(({ name, in: place, required, description, schema }) => {
    const field = fieldOf(name, schema, required);
    return { ...field, type: [...field.type, { words: ` (${place})` }], description };
  });
  return <Fields fields={fields} />;
}

interface ShownBody {
  readonly contents: readonly Content[];
  /** The schemas of the document, by name. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** A body: its type, its fields and its examples. */
export function Body({ contents, schemas }: ShownBody): VNode {
  return (
    <>
      {contents.map(({ type, schema, examples }) => (
        <div key={type}>
          <p>
            <code>{type}</code>
            {(schema.$ref || schema.oneOf) && (
              <>
                : <Type parts={typeOf(schema)} />
              </>
            )}
          </p>
          <SchemaFields schema={(schema.$ref && schemas[nameOf(schema.$ref)]) || schema} />
          {examples.map(({ value }) => (
            <Sample key={JSON.stringify(value)} value={value} />
          ))}
        </div>
      ))}
    </>
  );
}

/** The fields of a schema. Those of a schema with a name are at its own place. */
export function SchemaFields({ schema }: { readonly schema: Schema }): VNode | null {
  const fields = fieldsOf(schema);
  return fields.length > 0 ? <Fields fields={fields} /> : null;
}

/** An example. Its long lines are wrapped, so that nothing scrolls sideways. */
function Sample({ value }: { readonly value: unknown }): VNode {
  return (
    <pre>
      <code>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code>
    </pre>
  );
}

function Fields({ fields }: { readonly fields: readonly Field[] }): VNode {
  return (
    <dl class="fields">
      {fields.map(({ name, type, isRequired, ...more }) => (
        <div key={name}>
          <dt>
            <code>{name}</code>{' '}
            <span>
              <Type parts={type} />
              {!isRequired && `, ${words.reference.optional}`}
            </span>
          </dt>
          <About {...more} />
        </div>
      ))}
    </dl>
  );
}

function About({ description, limits, fallback }: Pick<Field, 'description' | 'limits' | 'fallback'>): VNode | null {
  const { reference } = words;
  const paragraphs = [
    ...(description === '' ? [] : [description]),
    ...(limits.length === 0 ? [] : [`${reference.limits} ${limits.join('; ')}.`]),
    ...(fallback === undefined ? [] : [`${reference.fallback} ${fallback}.`]),
  ];
  if (paragraphs.length === 0) return null;
  return (
    <dd>
      <Prose text={paragraphs.join('\n\n')} />
    </dd>
  );
}

/** A type, with links to the schemas in it. */
export function Type({ parts }: { readonly parts: readonly TypePart[] }): VNode {
  return (
    <>
      {parts.map((part, n) =>
        'schema' in part ? (
          <a key={n} href={`#schema-${part.schema}`}>
            {part.schema}
          </a>
        ) : (
          part.words
        ),
      )}
    </>
  );
}
