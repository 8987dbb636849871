import { isRefused, type Refused } from '../../workflows/history/refused.ts';
import type { Replay } from '../../workflows/history/replay/replay-to.ts';
import type { Finding } from '../../workflows/history/verify/finding.ts';
import type { JobEnd, WhatIf } from '../../workflows/history/what-if/types.ts';

// JSON output with the previous version's names besides the present ones, for one version.

/** The value `different` was called `otherwise`. */
type Former<T extends string> = Exclude<T, 'different'> | 'otherwise';

export type WithFormerKind = Finding & { kind: Former<Finding['type']> };

export function findingJson(finding: Finding): WithFormerKind {
  return { ...finding, kind: former(finding.type) };
}

export function replayJson(replay: Replay): Replay & { otherwise: readonly WithFormerKind[] } {
  const different = replay.different.map(findingJson);
  return { ...replay, different, otherwise: different };
}

export function whatIfJson(
  answer: WhatIf | Refused,
): (WhatIf & { result: Former<WhatIf['comparison']>; otherwise: JobEnd | null }) | Refused {
  if (isRefused(answer)) return answer;
  return { ...answer, result: former(answer.comparison), otherwise: answer.counterfactual };
}

function former<T extends string>(value: T): Former<T> {
  return value === 'different' ? 'otherwise' : (value as Exclude<T, 'different'>);
}
