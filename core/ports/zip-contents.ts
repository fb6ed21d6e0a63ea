/** A file in a zip. */
export interface ZippedFile {
  /** Its path, with `/` between the folders. Contains no control characters. */
  readonly path: string;
  /** Unpacked, in bytes. */
  readonly size: number;
}

/** The files in a zip. */
export interface ZipListing {
  /** In their order in the zip. Folders are left out. */
  readonly files: readonly ZippedFile[];
  /** The number of all files in the zip, and their unpacked size in bytes. */
  readonly count: number;
  readonly size: number;
}

/** Lists the contents of stored zips. */
export interface ZipContents {
  /**
   * Lists at most `most` files of a stored zip. Returns `undefined` if the zip does not exist or cannot be read as a zip.
   */
  list(key: string, most: number): Promise<ZipListing | undefined>;
}
