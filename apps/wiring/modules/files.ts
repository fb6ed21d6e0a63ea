import type { FileInspection } from '../../../adapters/contracts/file-inspection.ts';
import type { PrintSheet } from '../../../adapters/contracts/invoice-sheet.ts';
import type { Pictures } from '../../../adapters/contracts/pictures.ts';
import type { Missing, Render } from '../../../adapters/files/pictures/render.ts';
import { madeAtFirstCall, onceMade } from '../../../adapters/once-made.ts';
import type { ZipContents } from '../../../core/ports/zip-contents.ts';
import { files, log, withLocalFile } from '../chosen.ts';
import { part } from '../part.ts';

/** Loads the readers of archives and images when the first file arrives. */
export const fileInspection = part(
  (): FileInspection => ({
    inspect: madeAtFirstCall(async () => {
      const { createFileInspection } = await import('../../../adapters/files/inspection/inspection.ts');
      return createFileInspection().inspect; // Only one, because it limits the work of all uploads together.
    }),
  }),
  {},
);

/** Loads the reader of archives when the first zip is looked into. */
export const zipContents = part(
  ({ withLocalFile }): ZipContents => ({
    async list(key, most) {
      const { createZipContents } = await import('../../../adapters/files/inspection/zip-contents.ts');
      return await createZipContents(withLocalFile).list(key, most);
    },
  }),
  { withLocalFile },
);

const withoutPackages: Readonly<Record<Missing, string>> = {
  pictures: 'The optional package sharp is not installed: pictures are stored and shown as they were uploaded',
  texts:
    'The optional packages fontkit and @fontsource/inter are not installed: links to pages have no picture of their own',
};

/** Makes PDFs in a process that starts with the first one. */
export const printSheet = part(
  ({ log }): PrintSheet => {
    const warn = () =>
      log.warn('The optional packages pdfkit, bidi-js and @fontsource/inter are not installed: invoices have no PDF');
    return madeAtFirstCall(async () => {
      const { createPrintSheet } = await import('../../../adapters/pdf/print.ts');
      return createPrintSheet(warn);
    });
  },
  { log },
);

/** Draws pictures in a process that starts with the first one. */
export const render = part(
  ({ log }): Render =>
    madeAtFirstCall(async () => {
      const { createRender } = await import('../../../adapters/files/pictures/render.ts');
      return createRender((missing) => log.warn(withoutPackages[missing]));
    }),
  { log },
);

/** Keeps what was drawn of stored pictures. */
export const pictures = part(
  ({ files: { staging }, withLocalFile, render }): Pictures => {
    const get = onceMade(async () => {
      const { createPictures } = await import('../../../adapters/files/pictures/pictures.ts');
      return createPictures({ render, staging, withLocalFile });
    });
    return {
      renew: async (...of) => (await get()).renew(...of),
      small: async (...of) => (await get()).small(...of),
      sized: async (...of) => (await get()).sized(...of),
      shared: async (...of) => (await get()).shared(...of),
    };
  },
  { files, withLocalFile, render },
);
