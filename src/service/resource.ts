import { z } from 'zod';
import type { CallKind } from '../call-kind.ts';
import type { CallRecord } from '../outcome.ts';
import { companyIdSchema, documentResourceSchema, limitIdSchema } from './schemas.ts';
import { isWebPage } from './web-page.ts';

/** What the ledger keeps of a thing that was made, as text; amounts exactly as the service wrote them. */
export type Made = { is: 'made'; id: string; record: CallRecord } | { is: 'unreadable'; why: string };

/**
 * What an answer must have (docs/service.md, "Ids"): the id, with its prefix where one is shown. Made
 * once, since zod compiles a schema when it is first used.
 */
const schemas = {
  company: z.looseObject({ id: companyIdSchema }),
  limit: z.looseObject({ id: limitIdSchema }),
  document: documentResourceSchema,
} satisfies Record<CallKind, z.ZodType>;

/** The fields of a buyer limit that a report shows. None is asked for: a status we never saw passes through. */
const RECORD_FIELDS = ['status', 'total_limit', 'available_limit', 'created'] as const;

const A_WEB_PAGE = 'its body is a web page: check that SERVICE_URL is the address of the service';

/** Reads the body of a 2xx answer. Only the id decides: without one in our hands nothing counts as made. */
export function readMade(kind: CallKind, text: string): Made {
  let resource: unknown;
  try {
    resource = JSON.parse(text, numbersAsText);
  } catch {
    return { is: 'unreadable', why: isWebPage(text) ? A_WEB_PAGE : 'its body is not JSON' };
  }
  const fields = schemas[kind].safeParse(resource);
  if (!fields.success) return { is: 'unreadable', why: `its body has no id of a ${kind}` };
  const record: Record<string, string> = {};
  for (const name of kind === 'limit' ? RECORD_FIELDS : []) {
    const value = fields.data[name];
    if (typeof value === 'string') record[name] = value;
  }
  return { is: 'made', id: fields.data.id, record };
}

/** A number keeps the digits that stand in the text; a float in between could change an amount. */
function numbersAsText(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
