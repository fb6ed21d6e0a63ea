import { readFile } from 'node:fs/promises';
import { Stop } from '../stop.ts';

// biome-ignore lint/suspicious/noExplicitAny: files of other programs. What is missing is noticed where it is used.
export type Json = any;

/** Reads a file that must contain a JSON object. Ends the command with a message if it does not. */
export async function readJson(path: string): Promise<Json> {
  const text = await readFile(path, 'utf8');
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) return json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Stop('failed', `${path} is no JSON object.`, 'Is it a file of Foundry or Hardhat?');
}
