/** Whom a license was issued to. At least one of both is known. */
export interface Holder {
  readonly email: string | null;
  readonly name: string | null;
}

/** The seller's notes on a license. Only sellers see them: they are not part of `License`, nor of the license API. */
export interface LicenseNotes {
  readonly holder: Holder | null;
  /** The seller's own name for the license, such as an order number. */
  readonly reference: string | null;
  /** Any texts, by the seller's own names. */
  readonly metadata: Readonly<Record<string, string>>;
}

export const noNotes: LicenseNotes = { holder: null, reference: null, metadata: {} };

/** The most characters of each text, and the most texts in the metadata. */
export const noteLimits = {
  email: 254,
  name: 120,
  reference: 200,
  metadata: 50,
  metadataKey: 40,
  metadataText: 500,
} as const;
