import { z } from 'zod';
import { fileKinds } from '../../../../core/marketplace/checked-file.ts';
import type { Marketplace } from '../../../../core/marketplace/marketplace.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Addresses } from '../../addresses.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { tag } from './tag.ts';

export function upload(tools: AccountTools, marketplace: Marketplace, addresses: Addresses): Route {
  return accountRoute(tools, {
    id: 'upload',
    tag,
    summary: 'Uploads a zip or an image for use in a listing',
    method: 'post',
    paths: ['/api/marketplace/upload'],
    scope: 'marketplace:write',
    isIdempotent: true,
    form: {
      fields: z.object({}),
      files: { file: { kinds: fileKinds, description: 'A zip, or a PNG or JPG image.' } },
      anyFileAs: 'file',
    },
    answer: z.object({
      success: z.literal(true),
      url: z.string().meta({
        description: 'A permanent link. For uploads of a test key, a signed link that expires like a download link.',
        example: 'https://api.example.com/media/9b2e.png',
      }),
      filename: z.string().meta({ example: '9b2e.png' }),
      size: z.int().meta({ description: 'Bytes.', example: 18_422 }),
      livemode: z.boolean().meta({ description: 'False if a test key uploaded it.' }),
    }),
    refusals: ['quota_exceeded'],
    room: marketplace.room,
    async handle({ caller, files: { file } }) {
      const key = await marketplace.upload(caller, file);
      if (isRefused(key)) return key;
      return {
        success: true,
        url: await addresses.media(key),
        filename: key.slice(key.lastIndexOf('/') + 1),
        size: file.size,
        livemode: caller.mode === 'live',
      };
    },
  });
}
