import type { UploadLog } from '../../core/ports/upload-log.ts';
import type { MemoryDatabase } from './database.ts';

export function createMemoryUploadLog({ uploads }: MemoryDatabase): UploadLog {
  return {
    async add(upload) {
      uploads.push(upload);
    },
  };
}
