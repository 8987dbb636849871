import { z } from 'zod';
import { JobledgerError } from '../errors.ts';

/** The response to a failed request, by RFC 9457. */
export const problemSchema = z
  .looseObject({
    type: z.string().describe('The URN of the kind of problem, which is the same for every occurrence'),
    title: z.string().describe('The kind of problem, as text'),
    status: z.int().describe('The HTTP status of the response'),
    detail: z.string().describe('The error and its remedy'),
    request_id: z.string().describe('The id of this request in the log of the API'),
    errors: z
      .array(z.object({ where: z.string(), message: z.string() }))
      .optional()
      .describe('Each invalid value'),
    choices: z
      .array(z.object({ cluster: z.string(), namespace: z.string(), name: z.string() }))
      .optional()
      .describe('The Jobs or CronJobs that match'),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

/** Kinds of problems, each with its status and title. The names of the kinds are part of the API contract. */
const KINDS = {
  'bad-request': [400, 'The request cannot be understood'],
  unauthorized: [401, 'A token is needed'],
  forbidden: [403, 'The token lacks the required right'],
  'not-found': [404, 'Not found'],
  'method-not-allowed': [405, 'The path does not allow this method'],
  'unknown-job': [404, 'Jobledger has never seen this Job'],
  'unknown-cron-job': [404, 'Jobledger has never seen this CronJob'],
  'not-seen-yet': [404, 'Jobledger had not yet seen this at the given instant'],
  'before-horizon': [410, 'Jobs that had ended by the given instant were removed'],
  'ambiguous-job': [409, 'More than one Job matches'],
  'ambiguous-cron-job': [409, 'More than one CronJob matches'],
  conflict: [409, 'The present state forbids the request'],
  'body-too-large': [413, 'The body is too large'],
  'unsupported-media-type': [415, 'Unsupported media type'],
  'too-long': [422, 'The response would be too large'],
  'broken-stream': [422, 'The ledger of this Job is incomplete'],
  'newer-core': [422, 'A newer version decided about this Job'],
  'invalid-spec': [422, 'Kubernetes would refuse this spec'],
  'invalid-prices': [422, 'The price list is not valid'],
  'refused-by-cluster': [422, 'The cluster refuses the request'],
  'too-many-requests': [429, 'Too many requests'],
  internal: [500, 'Internal error'],
  unavailable: [503, 'Temporarily unavailable'],
  'too-many-streams': [503, 'Too many streams are open'],
  timeout: [504, 'Timed out'],
} as const satisfies Record<string, readonly [number, string]>;
export type ProblemKind = keyof typeof KINDS;

/** Thrown to respond with a problem. `message` goes to the caller, `cause` only to the log. */
export class ProblemError extends JobledgerError {
  override readonly name = 'ProblemError';
  readonly kind: ProblemKind;
  readonly status: number;
  readonly members: Pick<Problem, 'errors' | 'choices'>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: ProblemKind,
    detail: string,
    more: {
      cause?: unknown;
      status?: number;
      members?: Pick<Problem, 'errors' | 'choices'>;
      headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail, { cause: more.cause });
    this.kind = kind;
    this.status = more.status ?? KINDS[kind][0];
    this.members = more.members ?? {};
    this.headers = more.headers ?? {};
  }
}

/** The statuses of the given kinds, each with the titles of its kinds. */
export function statusTitles(kinds: readonly ProblemKind[]): Map<number, string> {
  const statuses = new Map<number, string>();
  for (const [status, title] of kinds.map((kind) => KINDS[kind]))
    statuses.set(status, [statuses.get(status) ?? [], title].flat().join('; '));
  return statuses;
}

/** The response body. */
export function problemBody(error: ProblemError, requestId: string): Problem {
  return {
    type: `urn:jobledger:problem:${error.kind}`,
    title: KINDS[error.kind][1],
    status: error.status,
    detail: error.message,
    request_id: requestId,
    ...error.members,
  };
}
