import { sortIn, type Dispatch } from '../../services/dispatcher/dispatch.ts';
import { createPositions } from '../../services/dispatcher/positions.ts';
import { rollCall, tellSettings } from '../../services/dispatcher/roll-call.ts';
import { createLog } from '../../services/adapters/log.ts';
import { encodeEvent } from '../../services/adapters/event-codec.ts';
import { applyChange, emptyLiveSet } from '../../services/ingester/live-set.ts';
import { jobDeleted, jobObserved, podObserved, type Translated } from '../../services/ingester/translate.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import { at, CLUSTER, jobObject, podObject, type JobFields } from '../support/builders.ts';

const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: { env: true, maxBytes: 1_000_000 } };
const WITH_TTL: Settings = { ...DEFAULT_SETTINGS, controllers: ['job', 'ttl'] };
const FOREIGN = { managedBy: 'example.com/other', ttlSecondsAfterFinished: 60 };
const ENDED = { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at(0) }] };

/** What the mailboxes hold after the ledger told this, from offset 0 on. */
function told(
  settings: Settings,
  tell: Translated[],
  startedAt = 0n,
): { types: string[]; dispatch: Dispatch } {
  const dispatch: Dispatch = {
    jobs: new Map(),
    mailboxes: new Map(),
    positions: createPositions(),
    settings,
    startedAt: new Map([[0, startedAt]]),
    clusters: new Set([CLUSTER]),
    countRead: () => undefined,
    now: () => 0,
    periodMs: 1000,
  };
  const records = tell
    .flatMap(({ events }) => events)
    .map((event, offset) => ({ ...encodeEvent(event), offset: BigInt(offset) }));
  sortIn(dispatch, { partition: 0, records } as never);
  const types = [...dispatch.mailboxes.values()].flatMap(({ pending }) =>
    pending.map(({ fact }) => fact.type),
  );
  return { types, dispatch };
}

function seen(fields: JobFields = {}): Translated {
  return jobObserved(SCOPE, jobObject(fields), at(0));
}

function deleted(fields: JobFields = {}): Translated {
  const job = jobObject(fields);
  const { uid, resourceVersion } = job.metadata;
  return jobDeleted(SCOPE, emptyLiveSet(), uid, { job, resourceVersion, time: at(0) });
}

function aPodSeen(job: Translated): Translated {
  const live = emptyLiveSet();
  for (const change of job.changes) applyChange(live, change);
  return podObserved(SCOPE, live, podObject(), at(0));
}

describe('a Job that another controller drives', () => {
  it('is recorded and never signalled (J-15.9)', () => {
    const job = seen({ ...FOREIGN, status: ENDED });
    expect(told(DEFAULT_SETTINGS, [seen(FOREIGN), aPodSeen(job), job]).types).toEqual([]);
  });

  it('is told to a workflow from its end on when we are to delete it, but not its pods (J-10.4)', () => {
    const ended = seen({ ...FOREIGN, status: ENDED });
    expect(told(WITH_TTL, [seen(FOREIGN), aPodSeen(ended)]).types).toEqual([]);
    expect(told(WITH_TTL, [seen(FOREIGN), ended, aPodSeen(ended)]).types).toEqual(['job.observed']);
  });

  it('is told that its ttl was taken away, and no more after that (J-10.4)', () => {
    const { managedBy } = FOREIGN;
    const story = [
      seen({ ...FOREIGN, status: ENDED }),
      seen({ managedBy, status: ENDED, generation: 2 }),
      deleted({ managedBy, status: ENDED }),
    ];
    expect(told(WITH_TTL, story).types).toEqual(['job.observed', 'job.observed']);
  });

  it('recalls no past that it cannot have (J-10.4)', () => {
    const recalls = (startedAt: bigint): boolean[] => {
      const { dispatch } = told(WITH_TTL, [seen(FOREIGN), seen({ ...FOREIGN, status: ENDED })], startedAt);
      return [...dispatch.mailboxes.values()].map(({ needsRecall }) => needsRecall);
    };
    expect(recalls(0n)).toEqual([false]);
    expect(recalls(1n)).toEqual([true]);
  });
});

describe('a Job of ours that went while the dispatcher was away', () => {
  it('is told to its workflow all the same, so that it ends', () => {
    expect(told(DEFAULT_SETTINGS, [deleted()]).types).toEqual(['job.deleted']);
    expect(told(DEFAULT_SETTINGS, [deleted(FOREIGN)]).types).toEqual([]);
  });
});

describe('the roll call', () => {
  const ref = (uid: string) => ({ cluster: CLUSTER, uid, namespace: 'default', name: uid });
  const jobs = new Map(
    [
      { uid: 'ours', isOurs: true, expires: false },
      { uid: 'ours-ended', isOurs: true, expires: true },
      { uid: 'foreign', isOurs: false, expires: false },
      { uid: 'foreign-ended', isOurs: false, expires: true },
    ].map(({ uid, ...known }) => [uid, { ref: ref(uid), wasThere: true, ...known }]),
  );

  async function signalled(call: 'start' | 'tell', settings: Settings, running: string[]): Promise<string[]> {
    const signals: string[] = [];
    const needs = {
      jobs,
      settings,
      running: () => Promise.resolve(new Set(running)),
      signal: (job: { uid: string }) => Promise.resolve(void signals.push(job.uid)),
      log: createLog('test'),
      aborted: new AbortController().signal,
    };
    needs.log.level = 'silent';
    await (call === 'start' ? rollCall(needs) : tellSettings(needs));
    return signals;
  }

  it('starts what has no workflow, and of foreign Jobs only what we are to delete (J-10.4)', async () => {
    expect(await signalled('start', DEFAULT_SETTINGS, ['ours'])).toEqual(['ours-ended']);
    expect(await signalled('start', WITH_TTL, [])).toEqual(['ours', 'ours-ended', 'foreign-ended']);
  });

  it('tells workflows of finished Jobs whether their deletion is our business now (J-10.1)', async () => {
    const running = ['ours', 'ours-ended', 'foreign-ended'];
    expect(await signalled('tell', DEFAULT_SETTINGS, running)).toEqual(['ours-ended', 'foreign-ended']);
    expect(await signalled('tell', WITH_TTL, ['ours'])).toEqual([]);
  });
});
