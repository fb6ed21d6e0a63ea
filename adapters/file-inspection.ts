import type { Abort } from '../core/abort.ts';
import type { ImageKind } from '../core/marketplace/checked-file.ts';

/** What a file is, told by its content: names and declared types are never believed. */
export type Inspected =
  | { readonly kind: 'zip'; readonly size: number }
  | { readonly kind: ImageKind; readonly size: number; readonly width: number; readonly height: number }
  /** In a sentence, why it is not taken. */
  | { readonly kind: 'unusable'; readonly why: string };

/** Looks into files that strangers sent. */
export interface FileInspection {
  /**
   * Total: whatever the file holds, it is told what it is or why it is not taken, at bounded cost. Throws `Unavailable` if too
   * many files wait for their turn. When `stop` is aborted, it stops soon and throws the signal's reason.
   */
  inspect(path: string, stop?: Abort): Promise<Inspected>;
}
