import type { Settings } from '../config.ts';
import type { AdviseAbove } from './lines/advice.ts';

/** What the settings ask of a file of buyers. An import, `check` and the preview in the console all go by it. */
export type FileRules = {
  /** Columns that must not be empty, besides name and amount. */
  requiredColumns: readonly string[];
  /** Amounts by currency above which audited statements are advised. */
  adviseAbove: AdviseAbove | undefined;
  maxDocumentMb: number;
};

/** The settings that {@link fileRulesOf} reads. */
export type RuleSettings = Pick<Settings, 'REQUIRED_COLUMNS' | 'ADVISE_STATEMENTS_ABOVE' | 'MAX_DOCUMENT_MB'>;

export function fileRulesOf(settings: RuleSettings): FileRules {
  return {
    requiredColumns: settings.REQUIRED_COLUMNS,
    adviseAbove: settings.ADVISE_STATEMENTS_ABOVE,
    maxDocumentMb: settings.MAX_DOCUMENT_MB,
  };
}
