import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { licenseStatuses } from '../../core/licensing/license.ts';
import type { Api } from './api.ts';
import manifest from './package.json' with { type: 'json' };
import { Stop } from './stop.ts';

const limit = z.int().min(1).max(100).default(20).describe('The most entries to return');
const product = z.string().min(1).describe('Id or slug of a product');
const licenseKey = z.string().min(1).describe('A license key, such as LIC-NN7E-46RC-F2PE-G1PY');

/**
 * Makes a server of the Model Context Protocol that acts with the key of the person. It only reads, unless `allowWrites`. It makes no
 * call whose answer has a secret.
 */
function createMcpServer(api: Api, allowWrites: boolean): McpServer {
  const server = new McpServer({ name: 'latchkey', version: manifest.version });
  const reading = { readOnlyHint: true, openWorldHint: true };

  server.registerTool(
    'list_products',
    {
      description: 'Lists products of the account, newest first.',
      inputSchema: { search: z.string().optional().describe('A part of the title or slug'), limit },
      annotations: reading,
    },
    ({ search, limit }) => answered(() => api.list('/api/products', { query: { q: search } }, limit)),
  );
  server.registerTool(
    'find_licenses',
    {
      description: 'Finds licenses by key, domain, holder or reference, with their status and number of domains.',
      inputSchema: {
        search: z
          .string()
          .optional()
          .describe('The start of a key, of a domain, of an e-mail address or name, or of a reference'),
        product: product.optional(),
        status: z.enum(licenseStatuses).optional(),
        limit,
      },
      annotations: reading,
    },
    ({ search, product, status, limit }) =>
      answered(() => api.list('/api/licenses', { query: { q: search, product, status } }, limit)),
  );
  server.registerTool(
    'show_license',
    {
      description: 'Shows a license: its status, domains, counts of verifications and ends.',
      inputSchema: { license_key: licenseKey },
      annotations: reading,
    },
    ({ license_key: key }) => answered(async () => (await api.get('/api/licenses/{key}', { path: { key } })).license),
  );
  server.registerTool(
    'explain_license',
    {
      description:
        'Explains why a license is valid for a domain, or why a site fails: each rule with its result, what to do about it, and the nearest domain that is activated.',
      inputSchema: { license_key: licenseKey, domain: z.string().min(1).describe('The domain of the site') },
      annotations: reading,
    },
    ({ license_key: key, domain }) =>
      answered(async () => {
        const { explanation } = await api.get('/api/licenses/{key}/explain', { path: { key }, query: { domain } });
        return explanation;
      }),
  );
  server.registerTool(
    'list_webhooks',
    { description: 'Lists the webhooks of the account.', inputSchema: { limit }, annotations: reading },
    ({ limit }) =>
      answered(async () =>
        // Whoever knows the whole address of some receivers can write to them.
        (await api.list('/api/webhooks', {}, limit)).map(({ url, ...more }) => ({
          ...more,
          url: url && new URL(url).origin,
        })),
      ),
  );
  server.registerTool(
    'list_webhook_deliveries',
    {
      description: 'Lists the last deliveries of a webhook, with the status of each answer.',
      inputSchema: { webhook: z.int().min(1).describe('The id of the webhook'), limit },
      annotations: reading,
    },
    ({ webhook, limit }) =>
      answered(() => api.list('/api/webhooks/{id}/deliveries', { path: { id: String(webhook) } }, limit)),
  );
  if (allowWrites) addWrites(server, api);
  return server;
}

function addWrites(server: McpServer, api: Api): void {
  server.registerTool(
    'issue_test_license',
    {
      description: 'Issues one license of a test product. It needs the key of test mode.',
      inputSchema: {
        product,
        max_domains: z.int().min(1).max(1_000).optional().describe('Default: as the product says'),
        expires_at: z.string().optional().describe('A day such as 2027-01-31, or a time. Default: as the product says'),
      },
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    ({ product, max_domains, expires_at }) =>
      answered(async () => {
        if (!/^[a-z0-9]+_sk_test_/.test(api.key))
          throw new Stop(
            'refused',
            'Only a test key may issue licenses here.',
            'Set LATCHKEY_API_KEY to a key of test mode.',
          );
        const reference = 'mcp';
        return (await api.post('/api/licenses', { body: { product, count: 1, max_domains, expires_at, reference } }))
          .data[0];
      }),
  );
}

/** Serves an agent on standard input and output, until it goes. */
export async function serveMcp(api: Api, allowWrites: boolean): Promise<void> {
  const server = createMcpServer(api, allowWrites);
  const gone = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.once('end', resolve);
  });
  await server.connect(new StdioServerTransport());
  await gone;
  await server.close();
}

/** Returns what was found as JSON. A refusal is a result too, which the agent reads. */
async function answered(find: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await find(), null, 1) }] };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return {
      isError: true,
      content: [{ type: 'text', text: [error.message, error.advice].filter(Boolean).join(' ') }],
    };
  }
}
