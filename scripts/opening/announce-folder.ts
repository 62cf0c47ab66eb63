import type { Settings } from '../../src/config.ts';
import { folderWords } from '../../src/data-folder.ts';

/** Prints which settings come from a file, and which data folder is used: requests in one folder are unknown in another. */
export function announceFolder(settings: Settings, say: (text: string) => void): void {
  const { dotenv } = settings;
  if (dotenv) say(`limitline: settings from ${dotenv.path}: ${dotenv.names.join(', ')}`);
  say(`limitline: ${folderWords({ path: settings.LIMITLINE_DATA, by: settings.dataFolderBy })}`);
}
