import type { Readable } from 'node:stream';
import type { ConsoleApp } from '../../console-app.ts';
import { sendDownload } from '../downloads/send-download.ts';
import { type AuditShown, auditPage } from './audit-page.ts';
import { type AuditQuery, readAuditQuery } from './audit-query.ts';

/** What the page of the audit trail is handed. */
export type AuditPageFunctions = {
  page: (query: AuditQuery) => Promise<Omit<AuditShown, 'query' | 'wrongDay'>>;
  /** The whole trail as NDJSON, as it is when it is read. */
  export: () => Readable;
};

/** A million entries take some seconds, and a slow line of the reader's takes longer. */
const EXPORT_LIMIT_MS = 3_600_000;

/** `/audit`: who did what, for admins; `/audit/export`: the same as a file that can be checked without Redis. */
export function addAuditPage(app: ConsoleApp, given: AuditPageFunctions): void {
  app.get('/audit', async (request, reply) => {
    const asked = readAuditQuery(request.query as Record<string, unknown>);
    return reply.page({
      title: 'Audit',
      at: 'audit',
      body: auditPage({ ...asked, ...(await given.page(asked.query)) }),
    });
  });
  app.get('/audit/export', { handlerTimeout: EXPORT_LIMIT_MS }, async (request, reply) => {
    const fileName = `audit-${new Date().toISOString().slice(0, 10)}.ndjson`;
    const file = { fileName, type: 'application/x-ndjson; charset=utf-8', what: 'audit trail exported' };
    return sendDownload({ request, reply }, file, given.export());
  });
}
