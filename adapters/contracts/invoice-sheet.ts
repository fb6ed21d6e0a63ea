/** The texts of an invoice or a credit note, as pages and PDFs show them. All of them may be in any script. */
export interface InvoiceSheet {
  readonly title: string;
  /** Above everything else, such as that it is only a test. */
  readonly warning: string | undefined;
  /** Who sells and who buys. */
  readonly parties: readonly { readonly label: string; readonly lines: readonly string[] }[];
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly columns: readonly [item: string, amount: string];
  readonly items: readonly { readonly text: string; readonly under: readonly string[]; readonly amount: string }[];
  readonly sums: readonly { readonly label: string; readonly amount: string; readonly isTotal: boolean }[];
  readonly notes: readonly string[];
}

/** An invoice with what only its PDF needs. */
export interface PrintedSheet extends InvoiceSheet {
  readonly paper: 'A4' | 'LETTER';
  /** The site, as the program that made the file. */
  readonly site: string;
  /** Before and after the number of a page: `Page` 1 `of` 2. */
  readonly pageWords: readonly [string, string];
  /** Stands at the end if there is a character that no font has. Such a character is shown as □. */
  readonly missing: string;
}

/**
 * Makes PDFs, one after the other, in a process of its own. Callers take turns, and all guests together have the turns and places
 * of one account. Throws `Unavailable` if too much work waits, and
 * `TooMuchAtOnce` if too much of this caller does. `undefined`: the packages for it are not installed.
 */
export type PrintSheet = (sheet: PrintedSheet, caller: PrintCaller) => Promise<Buffer | undefined>;

/** Somebody who is signed in, wherever that is, or a guest with a network address. */
export type PrintCaller = { readonly account: number } | { readonly address: string };
