import { DomUtils, parseDocument } from 'htmlparser2';
import { ownerField, seenField } from '../../adapters/http/ui/form-state.ts';

const { findAll, findOne, getAttributeValue, hasAttrib, textContent } = DomUtils;

type Document = ReturnType<typeof parseDocument>;
type Element = NonNullable<ReturnType<typeof findOne>>;

/** A form as a browser would send it. */
export interface HtmlForm {
  readonly method: string;
  /** The address as written in the page, or an empty text. */
  readonly action: string;
  /** Whether a browser sends it as `multipart/form-data`. */
  readonly isMultipart: boolean;
  /** The values of the hidden fields that every form has. */
  readonly common: Readonly<Record<string, readonly string[]>>;
  /** The values of the other fields, also of the hidden ones. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** The names of the fields that a person fills in. */
  readonly names: readonly string[];
  /** The text of the button. */
  readonly submit: string;
}

/** The parts of a page that tests read. */
export interface HtmlPage {
  readonly title: string;
  readonly heading: string;
  /** All text, with single blanks. */
  readonly text: string;
  readonly links: readonly { readonly href: string; readonly text: string }[];
  readonly forms: readonly HtmlForm[];
  /** The messages beside the fields of all forms, by name. */
  readonly faults: Readonly<Record<string, string>>;
  /** The messages above the form. */
  readonly alert: string | undefined;
  /** The message about what the last form did. */
  readonly notice: string | undefined;
  /** The elements with this name, each with its attributes. */
  elements(name: string): readonly { readonly attributes: Readonly<Record<string, string>>; readonly text: string }[];
}

/** Reads a page. Looks for each part only when a test asks for it, because most tests read few of them. */
export function readHtml(html: string): HtmlPage {
  let document: Document | undefined;
  const parse = () => {
    document ??= parseDocument(html);
    return document.children;
  };
  const all = (name: string) => findAll((element) => element.name === name, parse());
  const first = (test: (element: Element) => boolean) => {
    const found = findOne(test, parse());
    return found ? wordsOf(found) : undefined;
  };
  return {
    get title() {
      return first(({ name }) => name === 'title') ?? '';
    },
    get heading() {
      return first(({ name }) => name === 'h1') ?? '';
    },
    get text() {
      return wordsOf(parse());
    },
    get links() {
      return all('a').map((link) => ({ href: link.attribs.href ?? '', text: wordsOf(link) }));
    },
    get forms() {
      return all('form').map((form) => {
        const { id } = form.attribs;
        const outside = id === undefined ? [] : findAll(({ attribs }) => attribs.form === id, parse());
        return readForm(form, outside);
      });
    },
    get faults() {
      const faults = findAll(({ attribs }) => /-fault$/.test(attribs.id ?? ''), parse());
      return Object.fromEntries(
        faults.map((fault) => [(fault.attribs.id ?? '').replace(/-fault$/, ''), wordsOf(fault)]),
      );
    },
    get alert() {
      return first(({ attribs }) => attribs.role === 'alert');
    },
    get notice() {
      return first(({ attribs }) => attribs.role === 'status');
    },
    elements: (name) => all(name).map((element) => ({ attributes: element.attribs, text: wordsOf(element) })),
  };
}

/** `outside`: the elements that belong to the form, but stand outside of it. */
function readForm(form: Element, outside: readonly Element[]): HtmlForm {
  const values: Record<string, string[]> = {};
  const common: Record<string, string[]> = {};
  const names = new Set<string>();
  const add = (name: string | undefined, value: string) => {
    const of = isCommon(name) ? common : values;
    if (name) of[name] = [...(of[name] ?? []), value];
  };
  const isField = ({ name }: Element) => ['input', 'select', 'textarea'].includes(name);
  const fields = [...findAll(isField, form.children), ...outside.filter(isField)];
  for (const field of fields) {
    const { name, type = 'text', value } = field.attribs;
    if (name !== undefined && type !== 'hidden') names.add(name);
    // The parser leaves the escapes in a text area as they are.
    if (field.name === 'textarea') add(name, textContent(parseDocument(textContent(field))));
    else if (field.name === 'select') for (const chosen of chosenOf(field)) add(name, chosen);
    else if (!['checkbox', 'radio'].includes(type)) add(name, value ?? '');
    else if (hasAttrib(field, 'checked')) add(name, value ?? 'on');
  }
  // A test presses one of the others by its name.
  for (const { attribs } of findAll(({ name }) => name === 'button', form.children)) {
    if (attribs.name !== undefined) names.add(attribs.name);
  }
  const button = findOne(({ name, attribs }) => name === 'button' && attribs.type !== 'button', form.children);
  if (button) add(button.attribs.name, button.attribs.value ?? '');
  return {
    method: (getAttributeValue(form, 'method') ?? 'get').toUpperCase(),
    action: getAttributeValue(form, 'action') ?? '',
    isMultipart: getAttributeValue(form, 'enctype') === 'multipart/form-data',
    common,
    values,
    names: [...names],
    submit: button ? wordsOf(button) : '',
  };
}

/** Without a choice, a browser sends the first option. */
function chosenOf(select: Element): string[] {
  const options = findAll(({ name }) => name === 'option', select.children);
  const chosen = options.filter((option) => hasAttrib(option, 'selected'));
  const sent = chosen.length > 0 || hasAttrib(select, 'multiple') ? chosen : options.slice(0, 1);
  return sent.map((option) => option.attribs.value ?? wordsOf(option));
}

function wordsOf(node: Element | Document['children']): string {
  return textContent(node).replace(/\s+/g, ' ').trim();
}

function isCommon(name: string | undefined): boolean {
  return name === ownerField || name === seenField;
}
