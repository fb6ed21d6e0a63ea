import data from './cases.json' with { type: 'json' };

export { data };

/** The kinds of licenses that cases need. None of them is activated on a domain yet. */
export const licenseKinds = ['one', 'two', 'many', 'suspended', 'revoked', 'expired'] as const;
export type LicenseKind = (typeof licenseKinds)[number];

/** The keys of the licenses that a case uses. */
export type Keys = Readonly<Partial<Record<LicenseKind, string>>>;

/** A request of a case. Its texts can contain names of keys, such as `{one}`. */
export interface KitRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** A body that is sent as it is, and its type. */
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The expected answer. The description in the data explains the fields. */
export interface Expected {
  readonly status: number;
  readonly schema?: string;
  readonly contains?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly grew?: Readonly<Record<string, { readonly since: number; readonly by: number }>>;
}

export interface Step {
  readonly request: KitRequest;
  readonly answer: Expected;
}

/** A rule of the license API, with the calls that show it. */
export interface Case {
  readonly id: string;
  readonly group: string;
  /** The rule in one sentence. */
  readonly rule: string;
  /** The part of the guides about it: a file and its heading. */
  readonly guide: string;
  readonly licenses: readonly LicenseKind[];
  readonly steps: readonly Step[];
}

/** The JSON Schema of each kind of answer, by name. */
export const shapes: Readonly<Record<string, object>> = data.answers;

export const cases = data.cases as unknown as readonly Case[];

/** Looks like a license key, and is that of no license: its check character is wrong. */
const unknownKey = 'LIC-0000-0000-0000-0000';

/** Puts the keys into the texts of a value. */
export function withKeys<T>(value: T, keys: Keys): T {
  const all: Readonly<Record<string, string | undefined>> = { ...keys, unknown: unknownKey };
  return JSON.parse(JSON.stringify(value), (_, one) =>
    typeof one === 'string'
      ? one.replace(/\{(\w+)(:lower)?\}/g, (named, name, lower) => {
          const key = all[name] ?? named;
          return lower ? key.toLowerCase() : key;
        })
      : one,
  );
}
