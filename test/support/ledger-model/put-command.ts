import { expect } from 'vitest';
import type { RowRequest } from '../../../src/ledger/row.ts';
import { makeRequest } from '../ledger.ts';
import { type Command, command } from './command.ts';
import { REQUESTS } from './rules.ts';

/** A line comes in, with the approval that its import asks for, if it does. */
export function put(name: string, key: string, line: number, version: string): Command {
  return command(`import ${name}/${key} at line ${line}, ${version}`, async (model, real) => {
    const { approval } = model.portfolio(name);
    const answer = await real.rows.put({ portfolio: name, key }, line, 'i', requestOf(key, version), '', { approval });
    expect(answer).toBe(model.put(name, key, line, version));
  });
}

export function requestOf(key: string, name: string): RowRequest {
  const { buyer = '', amount = '', companyId, document } = REQUESTS[key] ?? {};
  const documents = document ? [{ name: document, mediaType: 'application/pdf', sizeBytes: 1, sha256: document }] : [];
  const limit = { requested_limit: amount };
  return makeRequest({ name, buyer, documents, limit, ...(companyId ? { companyId } : {}) });
}
