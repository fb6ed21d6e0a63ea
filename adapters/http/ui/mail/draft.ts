/** Our own words, or `given`: what a person typed or a browser sent, in any language. */
export type Piece = string | { readonly given: string };
/** The pieces of one paragraph. */
export type Paragraph = readonly Piece[];

/** The parts of every mail, besides the greeting and the name of the site. */
export interface Draft {
  readonly subject: string;
  /** Greeted by this name. */
  readonly name?: string;
  readonly happened: readonly Paragraph[];
  readonly facts?: readonly (readonly [label: string, fact: string])[];
  readonly link: {
    readonly label: string;
    readonly path: string;
    /** The token of a link that works once, within `life` milliseconds. It is behind a `#`, so that no log contains it. */
    readonly code?: { readonly token: string; readonly life: number };
  };
  /** Instructions in case somebody else caused the mail. */
  readonly otherwise: Paragraph;
}
