import type { Abort } from '../../core/abort.ts';
import type { ImageKind } from '../../core/marketplace/checked-file.ts';

/** The type of a file by its content. Names and declared types are never trusted. */
export type Inspected =
  | { readonly kind: 'zip'; readonly size: number }
  | { readonly kind: ImageKind; readonly size: number; readonly width: number; readonly height: number }
  /** `why` is a sentence that says why the file is refused. */
  | { readonly kind: 'unusable'; readonly why: string };

/** Checks uploaded files from untrusted users. */
export interface FileInspection {
  /**
   * Returns a result for any content, at bounded cost. Throws `Unavailable` if too many files wait for inspection. If
   * `stop` is aborted, stops soon and throws the signal's reason.
   */
  inspect(path: string, stop?: Abort): Promise<Inspected>;
}
