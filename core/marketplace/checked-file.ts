/** The kinds of files that are accepted. Each is also the file extension in storage keys. */
export const fileKinds = ['zip', 'png', 'jpg'] as const;
export type FileKind = (typeof fileKinds)[number];
export type ImageKind = Exclude<FileKind, 'zip'>;

/** A local file that passed the checks and can be stored. */
export interface CheckedFile {
  readonly path: string;
  /** Detected from the content. */
  readonly kind: FileKind;
  /** In bytes. */
  readonly size: number;
}
