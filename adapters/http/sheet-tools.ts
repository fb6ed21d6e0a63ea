import type { SheetExport } from '../../core/selling/sheet-export.ts';
import type { SheetImports } from '../../core/selling/sheet-import.ts';
import type { ShowImport } from './account/licenses/sheets.ts';
import type { FileReceiver } from './receive-file.ts';

/** The dependencies of the routes and pages that import and export files of licenses. */
export interface SheetTools {
  readonly receiver: FileReceiver;
  readonly imports: Pick<SheetImports, 'importOwn' | 'checkOwn'>;
  /** Finishes or undoes imports whose process has ended. */
  recover(): Promise<unknown>;
  readonly show: ShowImport;
  readonly export: SheetExport;
}
