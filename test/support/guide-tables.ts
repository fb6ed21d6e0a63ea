import { readFile } from 'node:fs/promises';

/** Returns the rows of the table below a heading of a guide, as their cells. */
export async function tableOf(guide: string, heading: string): Promise<string[][]> {
  const text = await readFile(new URL(`../../apps/docs/${guide}`, import.meta.url), 'utf8');
  const [, part = ''] = text.split(`### ${heading}\n`);
  const rows = part.split('\n#')[0]?.split('\n') ?? [];
  const cells = rows.filter((row) => row.startsWith('|')).map((row) => row.split('|').slice(1, -1));
  return cells.slice(2).map((row) => row.map((cell) => cell.trim()));
}

/** Returns the names in a cell that are marked as code. */
export const namesIn = (cell = '') => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
