import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Abort } from '../../../core/abort.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { untilStopped } from '../until-stopped.ts';
import { unlessMissing } from './errors.ts';

/**
 * Aborts unfinished uploads of our own objects that were started before a time. They remain if a process is killed.
 * Their parts are invisible, but cost money. Returns the number of aborted uploads, also if it is stopped early.
 */
export async function sweepUploads(
  client: S3Client,
  bucket: string,
  prefix: string,
  isOurs: (object: string) => boolean,
  olderThan: Instant,
  stop?: Abort,
): Promise<number> {
  let swept = 0;
  const until = untilStopped(stop);
  const isStopped = () => stop?.aborted === true;
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
  try {
    while (from !== undefined && !isStopped()) {
      const page: ListMultipartUploadsCommandOutput = await client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from }),
        until,
      );
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (isStopped()) return swept;
        if (Key === undefined || !isOurs(Key) || Initiated === undefined || Initiated.getTime() >= olderThan) continue;
        await unlessMissing(client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }), until));
        swept++;
      }
      from = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined;
    }
  } catch (error) {
    if (!isStopped()) throw error;
  }
  return swept;
}
