import { GetObjectCommand, type GetObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Clock, Instant } from '../../../core/ports/clock.ts';
import { inSeconds } from '../../../core/time.ts';

/** Creates URLs under which anybody can read an object for a limited time. */
export interface S3Links {
  /** Returns a download URL that is valid until a time. Throws `RangeError` if that is more than seven days away. */
  download(object: string, filename: string, until: Instant): Promise<string>;
  /**
   * Returns a URL for use in a page, valid for an hour or more. It changes only hourly, so that browsers cache the
   * file.
   */
  shown(object: string, type: string): Promise<string>;
}

/** Seconds. The longest validity that S3 accepts. */
const longest = 7 * inSeconds.day;

export function createS3Links(client: S3Client, bucket: string, clock: Clock): S3Links {
  const sign = (object: string, overrides: Partial<GetObjectCommandInput>, start: number, seconds: number) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: object, ...overrides }), {
      signingDate: new Date(start * 1000),
      expiresIn: seconds,
    });

  return {
    async download(object, filename, until) {
      const end = Math.ceil(until / 1000);
      // S3 signs for one second or more. If `until` has passed, the link starts in the past, so it has expired.
      const start = Math.min(Math.floor(clock.now() / 1000), end - 1);
      if (end - start > longest + 1) throw new RangeError('S3 links are valid for seven days at most.');
      const overrides = { ResponseContentDisposition: attachment(filename), ResponseCacheControl: 'private, no-store' };
      return await sign(object, overrides, start, Math.min(end - start, longest));
    },

    async shown(object, type) {
      const start = Math.floor(clock.now() / 1000 / inSeconds.hour) * inSeconds.hour;
      const overrides = { ResponseContentType: type, ResponseCacheControl: 'public, max-age=31536000, immutable' };
      return await sign(object, overrides, start, 2 * inSeconds.hour);
    },
  };
}

/**
 * Returns the `Content-Disposition` (RFC 6266) that makes a browser save a file under this name. The header is ASCII, and
 * the name may have any characters. Removes control characters from it.
 */
export function attachment(filename: string): string {
  const name = filename.replace(/\p{Cc}/gu, '').replace(/\p{Cs}/gu, '\ufffd');
  const plain = name.replace(/[^ -~]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
