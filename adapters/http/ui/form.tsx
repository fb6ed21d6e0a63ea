import type { ComponentChildren, VNode } from 'preact';
import { ButtonLink, type Look } from './button-link.tsx';
import { CurrentForm, useFormState } from './current-form.ts';
import { Faults } from './faults.tsx';
import { choicesOf, type FormState, ownerField, passwordField, seenField, textOf } from './form-state.ts';
import { formWords } from './words.ts';

export interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
}

export interface FormProps {
  readonly state: FormState;
  /** The text of the button. */
  readonly submit: string;
  /** Where it is sent, if that is not the address of the page. */
  readonly action?: string;
  /** The address of the page to go back to. */
  readonly cancel?: string;
  /** The text of that link, where "Cancel" could be read as the act itself. */
  readonly keep?: string | undefined;
  readonly isDangerous?: boolean;
  /** How the button looks. */
  readonly look?: Look;
  /** Whether it has file fields or very long texts. With `upload.js`, the page shows how much has arrived. */
  readonly hasFiles?: boolean;
  /** The message that `upload.js` shows while the server works on files that have arrived. */
  readonly arrived?: string | undefined;
  /** Buttons after that of the form, which the Enter key presses. */
  readonly others?: ComponentChildren;
  /** What stands beside the fields on a wide screen, and before the button on a narrow one. It may have buttons. */
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/**
 * A form with its button. After a refusal, it begins with a list of the messages. Has a field for the password if
 * `state.asksPassword`. The browser checks nothing, so that all messages are in one place and in one language.
 */
export function Form({
  state,
  submit,
  action,
  cancel,
  keep = formWords.cancel,
  isDangerous = false,
  look = isDangerous ? 'danger' : 'primary',
  hasFiles = false,
  arrived,
  others,
  beside,
  children,
}: FormProps): VNode {
  return (
    <form
      method="post"
      action={action}
      noValidate
      class={beside === undefined ? 'form' : 'form wide'}
      encType={hasFiles ? 'multipart/form-data' : undefined}
      data-upload={hasFiles ? formWords.uploading : undefined}
      data-failed={hasFiles ? formWords.uploadFailed : undefined}
      data-arrived={arrived}
    >
      <CurrentForm.Provider value={state}>
        {state.owner !== undefined && <input type="hidden" name={ownerField} value={state.owner} />}
        {state.seen !== undefined && <input type="hidden" name={seenField} value={state.seen} />}
        {beside !== undefined && (
          // The Enter key presses the first button of a form. All others find the visible one.
          // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nobody can focus it, because of its tabindex
          <button type="submit" class="unseen" tabindex={-1} aria-hidden="true">
            {submit}
          </button>
        )}
        <Group isOne={beside !== undefined}>
          <Faults fields={[children, beside]} />
          {children}
          {state.asksPassword && (
            <PasswordField
              name={passwordField}
              label={formWords.password}
              hint={formWords.passwordHint}
              autocomplete="current-password"
            />
          )}
        </Group>
        {beside}
      </CurrentForm.Provider>
      <p class="submit">
        <button type="submit" class={`button ${look}`}>
          {submit}
        </button>
        {others}
        {cancel !== undefined && <ButtonLink href={cancel} text={keep} />}
      </p>
    </form>
  );
}

/** The fields, in one column of a form with two. */
function Group({ isOne, children }: { readonly isOne: boolean; readonly children: ComponentChildren }) {
  return isOne ? <div>{children}</div> : children;
}

/** A form that is only a button. */
export function ButtonForm({
  action,
  label,
  name,
  look = 'small',
}: {
  readonly action: string;
  readonly label: string;
  /** The name of the object that the button acts on, for screen readers. */
  readonly name?: string;
  readonly look?: Look | '';
}): VNode {
  return (
    <form method="post" action={action} class="inline">
      <button type="submit" class={`button ${look}`.trim()}>
        {label}
        {name !== undefined && <span class="unseen"> {name}</span>}
      </button>
    </form>
  );
}

/** A field of one line. */
export function TextField({
  type = 'text',
  ...props
}: FieldProps & {
  readonly type?: 'text' | 'email';
  readonly autocomplete?: string;
  readonly inputmode?: 'numeric' | 'decimal' | 'text';
  readonly isCode?: boolean;
}): VNode {
  const { name, autocomplete = 'off', inputmode, isCode = false } = props;
  const attributes = {
    id: name,
    name,
    value: textOf(useFormState(), name),
    autocomplete,
    inputmode,
    class: isCode ? 'code' : undefined,
    spellcheck: isCode ? false : undefined,
    ...described(props),
  };
  return (
    <Labelled {...props}>
      {type === 'email' ? <input type="email" {...attributes} /> : <input type="text" dir="auto" {...attributes} />}
    </Labelled>
  );
}

/** A field for a day. */
export function DateField(props: FieldProps): VNode {
  const { name } = props;
  return (
    <Labelled {...props}>
      <input type="date" id={name} name={name} value={textOf(useFormState(), name)} {...described(props)} />
    </Labelled>
  );
}

/** A field for a password. It never comes back with what was typed. */
export function PasswordField(
  props: FieldProps & { readonly autocomplete: 'current-password' | 'new-password' },
): VNode {
  const { name, autocomplete } = props;
  return (
    <Labelled {...props}>
      <input id={name} name={name} type="password" autocomplete={autocomplete} {...described(props)} />
    </Labelled>
  );
}

/** A field for a long text. */
export function AreaField(props: FieldProps & { readonly rows?: number; readonly isCode?: boolean }): VNode {
  const { name, rows = 8, isCode = false } = props;
  return (
    <Labelled {...props}>
      <textarea id={name} name={name} rows={rows} dir="auto" class={isCode ? 'code' : undefined} {...described(props)}>
        {textOf(useFormState(), name)}
      </textarea>
    </Labelled>
  );
}

/** The values of a choice with their labels. */
export type Options = readonly (readonly [value: string, label: ComponentChildren])[];

/** A choice of one value from a list. */
export function SelectField(props: FieldProps & { readonly options: Options }): VNode {
  const { name, options } = props;
  const chosen = textOf(useFormState(), name);
  return (
    <Labelled {...props}>
      <select id={name} name={name} {...described(props)}>
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** The options of a choice, each with its name. */
export function named<Value extends string>(values: readonly Value[], names: Readonly<Record<Value, string>>): Options {
  return values.map((value) => [value, names[value]]);
}

/** The options of a choice, each with a hint below its name. */
export function hinted<Value extends string>(
  values: readonly Value[],
  names: Readonly<Record<Value, string>>,
  hints: Readonly<Record<Value, string>>,
): Options {
  return values.map((value) => [
    value,
    <>
      {names[value]} <span class="under">{hints[value]}</span>
    </>,
  ]);
}

/** A choice of one value (`radio`) or several (`checkbox`), all of them visible. */
export function ChoiceField({
  type,
  options,
  ...props
}: FieldProps & { readonly type: 'radio' | 'checkbox'; readonly options: Options }): VNode {
  const { name, label, hint } = props;
  const chosen = choicesOf(useFormState(), name);
  return (
    <fieldset class="field" id={name} {...described(props)}>
      <legend>{label}</legend>
      <Hint name={name} hint={hint} />
      <FieldFaults name={name} />
      {options.map(([value, text]) => (
        <label key={value} class="choice">
          <input type={type} name={name} value={value} checked={chosen.includes(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A value that the form sends but does not show. Without `value`, it is that of the form's state. */
export function HiddenField({ name, value }: { readonly name: string; readonly value?: string }): VNode {
  const current = textOf(useFormState(), name);
  return <input type="hidden" name={name} value={value ?? current} />;
}

/** A field with its label, its hint and its messages. */
export function Labelled({ name, label, hint, children }: FieldProps & { readonly children: VNode }): VNode {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Hint name={name} hint={hint} />
      <FieldFaults name={name} />
      {children}
    </div>
  );
}

function Hint({ name, hint }: Pick<FieldProps, 'name' | 'hint'>): VNode | null {
  if (hint === undefined) return null;
  return (
    <p class="hint" id={`${name}-hint`}>
      {hint}
    </p>
  );
}

function FieldFaults({ name }: Pick<FieldProps, 'name'>): VNode | null {
  const faults = useFormState().faults[name];
  if (faults === undefined) return null;
  return (
    <p class="fault" id={`${name}-fault`}>
      {faults.join(' ')}
    </p>
  );
}

/** Ties a field to its hint and its messages, for screen readers. */
export function described({ name, hint }: FieldProps) {
  const isWrong = useFormState().faults[name] !== undefined;
  const ids = [hint === undefined ? '' : `${name}-hint`, isWrong ? `${name}-fault` : ''].filter(Boolean);
  return {
    'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
  };
}
