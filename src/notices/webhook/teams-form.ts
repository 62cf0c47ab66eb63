import type { Message } from '../way.ts';

/**
 * A notice for a webhook of Teams' Workflows ("When a Teams webhook request is received"): a message with an Adaptive Card. Texts
 * are runs of RichTextBlocks, which know no Markdown, unlike TextBlocks and FactSets: so no name is a link or bold by what stands in it.
 *
 * @see https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export function teamsForm({ id, title, facts, account, link }: Message) {
  const body = [
    text([{ text: title, size: 'Large', weight: 'Bolder' }]),
    ...[...facts, { term: 'Account', what: account }].map(({ term, what }) =>
      text([{ text: `${term}: `, weight: 'Bolder' }, { text: what || '–' }], 'Small'),
    ),
    text([{ text: `Limitline, notice ${id}`, size: 'Small', isSubtle: true }]),
  ];
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          // What Teams shows on all of its clients.
          version: '1.4',
          fallbackText: title,
          body,
          ...(link === undefined
            ? {}
            : { actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url: new URL(link).href }] }),
          msteams: { width: 'Full' },
        },
      },
    ],
  };
}

/** How a run of text looks. */
type Run = { text: string; size?: 'Small' | 'Large'; weight?: 'Bolder'; isSubtle?: boolean };

function text(runs: readonly Run[], spacing: 'Small' | 'Default' = 'Default') {
  return { type: 'RichTextBlock', spacing, inlines: runs.map((run) => ({ type: 'TextRun', ...run })) };
}
