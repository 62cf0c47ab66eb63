import type { Settings } from '../../src/config.ts';
import { folderWords } from '../../src/data-folder.ts';

/** Says which settings come from a file, by their names, and which data folder is used: two folders know nothing of each other, and what was requested in one is new to the other. */
export function announceFolder(settings: Settings, say: (text: string) => void): void {
  const { dotenv } = settings;
  if (dotenv) say(`limitline: settings from ${dotenv.path}: ${dotenv.names.join(', ')}`);
  say(`limitline: ${folderWords({ path: settings.LIMITLINE_DATA, by: settings.dataFolderBy })}`);
}
