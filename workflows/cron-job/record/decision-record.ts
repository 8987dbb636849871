import { digestOf, isSameJson } from '../../job/record/digest.ts';
import type { Unstamped } from '../../job/events.ts';
import type { Folded } from '../../job/state.ts';
import type { CronVerdict } from '../decide/verdict.ts';
import type { CronDecisionContent, CronJobDecided, CronJobFolded, OfCronJob } from '../events.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';

/** Version of the core, recorded with each decision, as that of Jobs. */
export const CORE_VERSION = '1';

/** Maximum length of `folded` in one record; a longer list continues in `cronjob.folded` records before the decision. */
const FOLDED_IN_ONE = 500;

/** The part of a decision that is the same for the whole workflow run chain. */
export interface CronDecider extends OfCronJob {
  /** `<namespace>/<name>` of the CronJob. */
  subject: string;
  chain: string;
}

export interface CronDecisionRecord {
  folded: Unstamped<CronJobFolded>[];
  decided: Unstamped<CronJobDecided>;
}

/** Whether a verdict is recorded: it has commands, or the reason to wait or the core has changed. */
export function isNews(state: CronJobState, verdict: CronVerdict): boolean {
  return (
    verdict.commands.length > 0 ||
    !isSameJson(verdict.waiting, state.waiting) ||
    (state.last !== null && state.last.core !== CORE_VERSION)
  );
}

/** The ledger records of a decision; appended before its first command is sent. */
export function decisionRecord(
  { cluster, cronJobUid, subject, chain }: CronDecider,
  state: CronJobState,
  { commands, lookAgainAt, waiting }: CronVerdict,
  now: number,
  settings: CronSettings,
): CronDecisionRecord {
  const number = (state.last?.number ?? 0) + 1;
  const parts = partsOf(state.folded);
  const before = parts.slice(0, -1).map((folded, part) => {
    const data = { cluster, cronJobUid, chain, number, part, folded };
    return { data, digest: digestOf(data) };
  });
  const data = {
    cluster,
    cronJobUid,
    number,
    predecessor: state.last?.id ?? null,
    chain,
    now,
    core: CORE_VERSION,
    settings,
    folded: parts.at(-1) ?? [],
    foldedBefore: before.map(({ digest }) => digest),
    commands,
    lookAgainAt,
    waiting,
  };
  const digest = digestOf(data);
  const id = cronDecisionId(data);
  const envelope = { source: `jobledger/${cluster}`, subject };
  return {
    folded: before.map((part, at) => ({
      ...envelope,
      ...part,
      id: `${id}/folded/${at}`,
      type: 'cronjob.folded',
    })),
    decided: { ...envelope, id, type: 'cronjob.decided', digest, data },
  };
}

/** The id of a decision: CronJob, number, workflow run chain and a digest of its content. */
export function cronDecisionId(content: CronDecisionContent): string {
  const { cluster, cronJobUid, number, chain } = content;
  return `${cluster}/${cronJobUid}/decision/${number}/${chain.slice(0, 8)}/${digestOf(content)}`;
}

function partsOf(folded: readonly Folded[]): Folded[][] {
  const parts: Folded[][] = [];
  for (let at = 0; at < folded.length; at += FOLDED_IN_ONE) parts.push(folded.slice(at, at + FOLDED_IN_ONE));
  return parts;
}
