import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Instant } from '../../core/ports/clock.ts';
import { unlessMissing } from './s3-errors.ts';

/**
 * Aborts uploads, of objects that are ours, which processes began before a time and did not end since they were killed;
 * answers how many there were. What was sent of them would be kept, and paid for, but never seen.
 */
export async function sweepUploads(
  client: S3Client,
  bucket: string,
  prefix: string,
  isOurs: (object: string) => boolean,
  olderThan: Instant,
): Promise<number> {
  let swept = 0;
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
  while (from !== undefined) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || !isOurs(Key) || Initiated === undefined || Initiated.getTime() >= olderThan) continue;
      await unlessMissing(client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })));
      swept++;
    }
    from = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined;
  }
  return swept;
}
