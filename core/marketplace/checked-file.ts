/** The kinds of files that are accepted. Each is also the file extension in storage keys. */
export const fileKinds = ['zip', 'png', 'jpg'] as const;
export type FileKind = (typeof fileKinds)[number];
export type ImageKind = Exclude<FileKind, 'zip'>;

/** The size of a picture in pixels. */
export interface PictureShape {
  readonly width: number;
  readonly height: number;
}

/** A local file that passed the checks and can be stored. */
export interface CheckedFile {
  readonly path: string;
  /** Detected from the content. */
  readonly kind: FileKind;
  /** In bytes. */
  readonly size: number;
  /** Of a picture, as it was sent: before it is made smaller or turned. */
  readonly shape?: PictureShape;
}
