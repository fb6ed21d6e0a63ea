/** A sentence that says why a file is refused. */
export type Fault = string;

/** Limits for accepted files. */
export interface InspectionLimits {
  readonly zipEntries: number;
  /** The sum of the unpacked sizes that the zip states, in bytes. */
  readonly zipUnpacked: number;
  /** The highest ratio of unpacked to packed bytes. */
  readonly zipRatio: number;
  /**
   * The unpacked size from which a zip is large, in bytes. The check of a large zip takes seconds. Large zips have a
   * separate queue, so that small ones do not wait for them.
   */
  readonly largeZip: number;
  /** The number of zips that may wait in each of the two queues. */
  readonly zipsWaiting: number;
  /** The highest width and height, in pixels. */
  readonly imageSide: number;
  /** The highest number of pixels. */
  readonly imagePixels: number;
}

export const defaultLimits: InspectionLimits = {
  zipEntries: 10_000,
  zipUnpacked: 2 * 1024 ** 3,
  zipRatio: 1000,
  largeZip: 50_000_000,
  zipsWaiting: 50,
  imageSide: 10_000,
  imagePixels: 24_000_000,
};

export const saveAgain = 'save it again in a program that edits images.';

export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

export function faultOfDimensions({ width, height }: Dimensions, limits: InspectionLimits): Fault | undefined {
  const size = `${number(width)} x ${number(height)} pixels`;
  if (width < 1 || height < 1) return `It is an image of ${size}: width and height must be at least 1.`;
  if (Math.max(width, height) > limits.imageSide) {
    return `It is an image of ${size}: width and height may be at most ${number(limits.imageSide)}.`;
  }
  if (width * height > limits.imagePixels) {
    return `It is an image of ${size}: at most ${number(limits.imagePixels)} in total are allowed.`;
  }
  return undefined;
}

/** Formats a number for people: 10,000. */
export function number(count: number): string {
  return count.toLocaleString('en-US');
}
