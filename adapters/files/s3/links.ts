import { GetObjectCommand, type GetObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Clock, Instant } from '../../../core/ports/clock.ts';
import { attachment } from './disposition.ts';

/** Addresses under which the server answers an object to everybody, for a time. */
export interface S3Links {
  /** To be saved under a name, until the time given. Throws where that is more than seven days away. */
  download(object: string, filename: string, until: Instant): Promise<string>;
  /** To be shown in a page, for an hour or more. It is the same address within the same hour, so that browsers keep the file. */
  shown(object: string, type: string): Promise<string>;
}

const hour = 3600;
/** Seconds; what signatures of this kind are limited to. */
const longest = 7 * 24 * hour;

export function createS3Links(client: S3Client, bucket: string, clock: Clock): S3Links {
  const sign = (object: string, says: Partial<GetObjectCommandInput>, start: number, seconds: number) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: object, ...says }), {
      signingDate: new Date(start * 1000),
      expiresIn: seconds,
    });

  return {
    async download(object, filename, until) {
      const end = Math.ceil(until / 1000);
      // A link that is over has to have been good once: no signature is for no time.
      const start = Math.min(Math.floor(clock.now() / 1000), end - 1);
      if (end - start > longest + 1) throw new RangeError('No link to S3 is good for more than seven days.');
      const says = { ResponseContentDisposition: attachment(filename), ResponseCacheControl: 'private, no-store' };
      return await sign(object, says, start, Math.min(end - start, longest));
    },

    async shown(object, type) {
      const start = Math.floor(clock.now() / 1000 / hour) * hour;
      const says = { ResponseContentType: type, ResponseCacheControl: 'public, max-age=31536000, immutable' };
      return await sign(object, says, start, 2 * hour);
    },
  };
}
