import { expect } from 'vitest';
import type { RowRequest } from '../../../src/ledger/schema/row.ts';
import { makeRequest } from '../ledger.ts';
import { type Command, command } from './command.ts';
import { REQUESTS } from './rules.ts';

/**
 * A line is put, with the approval of its import if there is one. A new row is put in a batch with other new ones,
 * another row alone.
 */
export function put(name: string, key: string, line: number, version: string): Command {
  return command(`import ${name}/${key} at line ${line}, ${version}`, async (model, real) => {
    const { approval, cancels: generation } = model.portfolio(name);
    const request = requestOf(key, version);
    const seen = (await real.rows.ofBuyers([request.buyer])).get(request.buyer)?.count ?? 0;
    const row = { key, line, request, seen };
    const [isNew] = await real.rows.putNew({ portfolio: name, number: 'i', generation, approval }, [row]);
    const one = () => real.rows.put({ portfolio: name, key }, line, 'i', request, '', { approval });
    const answer = isNew ? 'added' : await one();
    expect(answer).toBe(model.put(name, key, line, version));
  });
}

export function requestOf(key: string, name: string): RowRequest {
  const { buyer = '', amount = '', companyId, document } = REQUESTS[key] ?? {};
  const documents = document ? [{ name: document, mediaType: 'application/pdf', sizeBytes: 1, sha256: document }] : [];
  const limit = { requested_limit: amount };
  return makeRequest({ name, buyer, documents, limit, ...(companyId ? { companyId } : {}) });
}
