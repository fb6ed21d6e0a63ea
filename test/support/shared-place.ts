import { makeSchema, postgresServer } from './postgres-backend.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A database with its files, for several processes. */
export interface SharedPlace {
  readonly url: string;
  readonly files: string;
  remove(): Promise<void>;
}

/** How tests make such a place on each kind of database. */
export const sharedPlaces = [
  {
    name: 'sqlite',
    skip: undefined,
    async make(): Promise<SharedPlace> {
      const folder = await makeTemporaryFolder();
      return { url: `sqlite:${folder.file('shared.db')}`, files: folder.file('files'), remove: folder.remove };
    },
  },
  {
    name: 'postgres',
    skip: postgresServer.skip,
    async make(): Promise<SharedPlace> {
      const [schema, folder] = [await makeSchema(), await makeTemporaryFolder()];
      const remove = () => Promise.all([schema.drop(), folder.remove()]).then(() => undefined);
      return { url: schema.url, files: folder.file('files'), remove };
    },
  },
];
