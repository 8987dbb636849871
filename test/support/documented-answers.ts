import { answerDifferences, type ApiAnswer, type ApiDocument } from './api-client.ts';
import type { DocumentedRequest } from './documented-requests.ts';

/** The difference of the answer to a request from the document; null without a difference. The caller has every right. */
export function documentDifference(
  document: ApiDocument,
  request: DocumentedRequest,
  answer: ApiAnswer,
): string | null {
  const { operation, expected } = request;
  const { status } = answer;
  if (status >= 500) return `${status}: ${JSON.stringify(answer.body)}`;
  if (expected === 'wrong method') return wrongMethod(document, request, answer);
  if (expected === 'forbidden' && status !== 400) return `takes what the schema forbids: ${status}`;
  if (expected === 'allowed' && status === 400)
    return `refuses what the schema allows: ${JSON.stringify(answer.body)}`;
  const described = document.paths[operation.path]?.[operation.method];
  if (described?.responses[status] === undefined) return `the status ${status} is not described`;
  return answerDifferences(document, described, answer);
}

function wrongMethod(
  document: ApiDocument,
  { operation }: DocumentedRequest,
  { status, headers }: ApiAnswer,
): string | null {
  const methods = Object.keys(document.paths[operation.path] ?? {}).map((each) => each.toUpperCase());
  const wanted = methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])).toSorted();
  const allowed = (headers.get('allow') ?? '').split(', ').toSorted();
  return status === 405 && allowed.join() === wanted.join()
    ? null
    : `a wrong method is answered ${status}, Allow: ${allowed.join()}`;
}
