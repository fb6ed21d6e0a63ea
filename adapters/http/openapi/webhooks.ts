import type { z } from 'zod';
import type { Tag } from '../route.ts';
import { camelCase } from './names.ts';
import { exampleOf, type Json, type Schemas } from './schema.ts';

/** A request that the service sends. */
export interface Sent {
  readonly name: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly body: z.ZodType;
}

/** Documents a request that the service sends, with the answer that it expects. */
export function webhook({ name, tag, summary, body }: Sent, schemas: Schemas): Json {
  const schema = schemas.of(body, 'output');
  return {
    post: {
      operationId: camelCase(name),
      summary,
      tags: [tag.name],
      security: [],
      parameters: Object.keys(webhookParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: exampleOf(schema, schemas) } },
      },
      responses: {
        '2XX': { $ref: '#/components/responses/EventReceived' },
        '4XX': { $ref: '#/components/responses/EventNotReceived' },
      },
    },
  };
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** The headers of every event. */
export const webhookParameters = {
  EventId: header('webhook-id', 'The same for all attempts. It is also the `id` in the body.', 'evt_01jd8x0c5v'),
  EventTimestamp: header('webhook-timestamp', 'The time of the attempt, in seconds since 1970.', '1795253400'),
  EventSignature: header(
    'webhook-signature',
    'A signature of Standard Webhooks. For 24 hours after a change of the secret, there are two, separated by a space.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  EventServiceSignature: header(
    'X-Service-Signature',
    'The HMAC-SHA256 of the body in hexadecimal, keyed with the whole secret as it is shown.',
    `sha256=${'5f'.repeat(32)}`,
  ),
};

/** The responses to an event: the expected one, and all others. */
export const webhookResponses = {
  EventReceived: { description: 'The event has arrived. The answer must come within 30 seconds.' },
  EventNotReceived: {
    description: 'Every other answer is a failure. The same body is sent again later, with the same `webhook-id`.',
  },
};
