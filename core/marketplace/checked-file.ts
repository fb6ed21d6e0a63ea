/** The kinds of files that are taken. Each is also how the keys of its files end. */
export const fileKinds = ['zip', 'png', 'jpg'] as const;
export type FileKind = (typeof fileKinds)[number];
export type ImageKind = Exclude<FileKind, 'zip'>;

/** A file that was looked at and found good, waiting on this machine to be stored. */
export interface CheckedFile {
  readonly path: string;
  /** Told by its content. */
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
}
