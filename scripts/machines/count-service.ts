import type { CallKind } from '../../src/call-kind.ts';
import type { CallMetrics } from '../../src/metrics/process-metrics.ts';
import type { Service } from '../../src/open-service.ts';
import type { Answered, CallOptions } from '../../src/service/client.ts';

/** The same service, whose calls are counted by what became of them. */
export function countService(service: Service, { called, tokenCalled }: Omit<CallMetrics, 'rowEnded'>): Service {
  const { client } = service;
  const hearing = (onTokenCall: () => void) => (): void => {
    tokenCalled();
    onTokenCall();
  };
  const counted =
    <Body>(kind: CallKind, send: (body: Body, call: CallOptions) => Promise<Answered>) =>
    async (body: Body, call: CallOptions): Promise<Answered> => {
      const sentAtMs = performance.now();
      const answer = await send(body, { ...call, onTokenCall: hearing(call.onTokenCall) });
      called(kind, answer.is, performance.now() - sentAtMs);
      return answer;
    };
  return {
    ...service,
    client: {
      ...client,
      authorize: (onTokenCall) => client.authorize(hearing(onTokenCall)),
      renewToken: (refused, onTokenCall) => client.renewToken(refused, hearing(onTokenCall)),
      tryToken: (onTokenCall) => client.tryToken(hearing(onTokenCall)),
      createCompany: counted('company', client.createCompany),
      requestLimit: counted('limit', client.requestLimit),
      uploadDocument: counted('document', client.uploadDocument),
    },
  };
}
