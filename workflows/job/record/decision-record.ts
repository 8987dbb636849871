import { digestOf, isSameJson } from './digest.ts';
import { CORE_VERSION, decisionId, foldedId } from './decision-id.ts';
import type { JobDecided, JobFolded, Unstamped } from '../events.ts';
import type { Settings } from '../settings.ts';
import type { Folded, JobState } from '../state.ts';
import type { Verdict } from '../decide/verdict.ts';

/** Maximum length of `folded` in one record; a longer list continues in `job.folded` records before the decision. */
const FOLDED_IN_ONE = 500;

/** The part of a decision that is the same for the whole workflow run chain. */
export interface Decider {
  cluster: string;
  jobUid: string;
  /** `<namespace>/<name>` of the Job. */
  subject: string;
  chain: string;
}

export interface DecisionRecord {
  folded: Unstamped<JobFolded>[];
  decided: Unstamped<JobDecided>;
}

/**
 * Whether a verdict is recorded: it has commands, the reason to wait has changed, or another core made the last decision,
 * so that the ledger shows since when the present core decides.
 */
export function isNews(state: JobState, verdict: Verdict): boolean {
  return (
    verdict.commands.length > 0 ||
    !isSameJson(verdict.waiting, state.waiting) ||
    (state.last !== null && state.last.core !== CORE_VERSION)
  );
}

/** The ledger records of a decision; appended before its first command is sent. */
export function decisionRecord(
  decider: Decider,
  state: JobState,
  verdict: Verdict,
  now: number,
  settings: Settings,
): DecisionRecord {
  const { cluster, jobUid, chain } = decider;
  const number = (state.last?.number ?? 0) + 1;
  const parts = partsOf(state.folded);
  const before = parts.slice(0, -1).map((folded, part) => {
    const content = { cluster, jobUid, chain, number, part, folded };
    return { content, digest: digestOf(content) };
  });
  const data = {
    cluster,
    jobUid,
    number,
    predecessor: state.last?.id ?? null,
    chain,
    now,
    core: CORE_VERSION,
    settings,
    folded: parts.at(-1) ?? [],
    foldedBefore: before.map(({ digest }) => digest),
    commands: verdict.commands,
    lookAgainAt: verdict.lookAgainAt,
    waiting: verdict.waiting,
  };
  const envelope = { source: `jobledger/${cluster}`, subject: decider.subject };
  const id = decisionId(data);
  return {
    folded: before.map(({ content, digest }) => ({
      ...envelope,
      id: foldedId(id, content.part),
      type: 'job.folded',
      digest,
      data: content,
    })),
    decided: { ...envelope, id, type: 'job.decided', digest: digestOf(data), data },
  };
}

function partsOf(folded: readonly Folded[]): Folded[][] {
  const parts: Folded[][] = [];
  for (let at = 0; at < folded.length; at += FOLDED_IN_ONE) parts.push(folded.slice(at, at + FOLDED_IN_ONE));
  return parts;
}
