import { UID_FIELDS, type OfAnyKind } from '../../../workflows/ledger-event.ts';
import type { ObjectRef } from '../../../workflows/activities.ts';
import type { Kind } from '../../../workflows/kind.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { InputError } from '../../adapters/errors.ts';
import { pathSegment } from '../../adapters/kubernetes/path-segment.ts';
import type { TracedDecision } from './trace-commands.ts';

/** An event before it is recorded. */
export type Unrecorded = Omit<LedgerEvent, 'time'>;

/** A decision to record and carry out. */
export interface Order<Command> {
  job: ObjectRef;
  /** The user requests that are appended before the decision. */
  received?: readonly Unrecorded[];
  /** The records of long lists of folded events, which are also appended before the decision. */
  folded: readonly Unrecorded[];
  decided: Unrecorded & { data: TracedDecision['data'] & { commands: readonly Command[] } };
}

interface Ordered {
  job: ObjectRef;
  decided: {
    data: { cluster: string; commands: readonly object[] } & { [Field in OfAnyKind<'uidField'>]?: string };
  };
}

/**
 * Checks that an order names the worker's own cluster, the object of the decision, and the UID of each object to change
 * or delete. The UID is the precondition of the request; without the UID, any object with the name would be changed.
 * @throws InputError.
 */
export function requireOrder(kind: Kind, { job, decided }: Ordered, cluster: string): void {
  if (job.cluster !== cluster) throw refusalError(`is for the cluster "${job.cluster}"`);
  const { data } = decided;
  if (data.cluster !== cluster || data[UID_FIELDS[kind.name]] !== job.uid)
    throw refusalError('was decided about another object');
  const objects = data.commands.flatMap(objectsNamedBy);
  for (const { uid, name } of [job, ...objects]) {
    if (typeof uid !== 'string' || uid === '') throw refusalError('does not name the UID of an object');
    pathSegment(name ?? '');
  }
}

/** The objects that a command names. Pods to create have an ordinal and no UID yet, so they are left out. */
function objectsNamedBy(command: object): { uid?: unknown; name?: string }[] {
  const { pods = [], jobs = [] } = command as { pods?: object[]; jobs?: object[] };
  const isCreation = 'kind' in command && command.kind === 'CreatePods';
  return [...pods, ...jobs].filter((each) => !isCreation || 'uid' in each);
}

function refusalError(why: string): InputError {
  return new InputError(`an order to this worker ${why}; nothing is sent`);
}
