/** In a sentence, why a file is not taken. */
export type Fault = string;

/** What a file may be, to be taken. */
export interface InspectionLimits {
  readonly zipEntries: number;
  /** Bytes that the whole zip says it unpacks to. */
  readonly zipUnpacked: number;
  /** How many times the bytes it holds. */
  readonly zipRatio: number;
  /** Bytes from which a zip is large: it takes seconds, and small zips must not wait for it. */
  readonly largeZip: number;
  /** How many large zips may wait for their turn, and how many small ones. */
  readonly zipsWaiting: number;
  /** Pixels, of the width and of the height. */
  readonly imageSide: number;
  /** Pixels in all. */
  readonly imagePixels: number;
}

export const defaultLimits: InspectionLimits = {
  zipEntries: 10_000,
  zipUnpacked: 2 * 1024 ** 3,
  zipRatio: 1000,
  largeZip: 50_000_000,
  zipsWaiting: 50,
  imageSide: 10_000,
  imagePixels: 40_000_000,
};

/** The end of a sentence that refuses an image. */
export const saveAgain = 'save it again in a program that edits images.';

export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

export function faultOfDimensions({ width, height }: Dimensions, limits: InspectionLimits): Fault | undefined {
  const size = `${number(width)} x ${number(height)} pixels`;
  if (width < 1 || height < 1) return `It is an image of ${size}: nothing to see.`;
  if (Math.max(width, height) > limits.imageSide) {
    return `It is an image of ${size}: at most ${number(limits.imageSide)} are taken either way.`;
  }
  if (width * height > limits.imagePixels) {
    return `It is an image of ${size}: at most ${number(limits.imagePixels)} are taken in all.`;
  }
  return undefined;
}

/** As people read it: 10,000. */
export function number(count: number): string {
  return count.toLocaleString('en-US');
}
