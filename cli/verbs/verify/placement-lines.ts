import { printableLine } from '../../../services/adapters/printable.ts';
import {
  CLOCK_TOLERANCE_MS,
  type PlacementFinding,
  type PlacementProof,
} from '../../../workflows/history/placements/types.ts';
import { counted } from '../../print/counted.ts';
import { SHOWN } from './shown.ts';

/** Each overlap, then what cannot be decided, then the total. */
export function placementLines(proof: PlacementProof): string[] {
  const { jobs, grants, findings, mayHaveRunTwice, withinTolerance, unseen, missing, clocks } = proof;
  const tolerance = `${CLOCK_TOLERANCE_MS / 1000} s`;
  return [
    ...listed(findings),
    ...under('may have run twice, by MoveAfter or because the cluster was declared lost:', mayHaveRunTwice),
    ...under(`no proof, because clocks may differ by ${tolerance}:`, withinTolerance),
    ...under('no proof, because nobody saw the end of the pod:', unseen),
    ...absent(missing),
    ...clocks.map(({ cluster, seconds }) =>
      printableLine(
        `the clock of ${cluster} was up to ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}; its times are corrected`,
      ),
    ),
    `${counted(grants, 'grant')} of ${counted(jobs, 'placed Job')}: ${findings.length === 0 ? 'no overlap' : counted(findings.length, 'finding')}`,
  ];
}

/** An export may lack the streams of members. */
function absent(missing: PlacementProof['missing']): string[] {
  if (missing.length === 0) return [];
  const shown = missing
    .slice(0, SHOWN)
    .map(({ job, cluster, member }) => printableLine(`  ${job}: the Job ${member} in ${cluster}`));
  const more = missing.length > SHOWN ? [`  and ${missing.length - SHOWN} more`] : [];
  return ['no proof, because the streams of these members were not read:', ...shown, ...more];
}

function under(title: string, found: readonly PlacementFinding[]): string[] {
  return found.length === 0 ? [] : [title, ...listed(found).map((line) => `  ${line}`)];
}

function listed(found: readonly PlacementFinding[]): string[] {
  return [
    ...found.slice(0, SHOWN).flatMap(linesOf),
    ...(found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : []),
  ];
}

function linesOf({ job, index, clusters, from, until, pods, words }: PlacementFinding): string[] {
  const what = index === null ? '' : ` index ${index}`;
  const span = `from ${from} until ${until ?? 'an unknown time'}`;
  return [
    printableLine(`${job}:${what} in ${clusters.join(' and ')} ${span}`),
    printableLine(`  ${words}`),
    ...(pods.length > 1 ? [printableLine(`  pods: ${pods.join(', ')}`)] : []),
  ];
}
