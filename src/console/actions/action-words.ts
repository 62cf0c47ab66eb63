/** What somebody does, beyond looking, and how the audit says it. */
export const ACTION_WORDS = {
  upload: 'file uploaded',
  reading: 'reading of a file changed',
  mend: 'file mended',
  remove: 'upload removed',
  import: 'import submitted',
  plan: 'plan confirmed',
  retry: 'row retried',
  cancel: 'rows cancelled',
  resolve: 'held call answered',
  pause: 'portfolio paused',
  resume: 'portfolio resumed',
  'pause queue': 'queue paused',
  'resume queue': 'queue resumed',
  approve: 'approval granted',
  decline: 'approval declined',
} as const;

export type Action = keyof typeof ACTION_WORDS;
