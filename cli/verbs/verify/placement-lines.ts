import { printableLine } from '../../../services/adapters/printable.ts';
import {
  CLOCK_TOLERANCE_MS,
  type PlacementFinding,
  type PlacementProof,
} from '../../../workflows/history/placements/types.ts';
import { countText } from '../../print/counted.ts';
import { SHOWN } from './shown.ts';

/** The lines about each overlap, then about placements without proof, then the total. */
export function placementLines(proof: PlacementProof): string[] {
  const { jobs, grants, findings, mayHaveRunTwice, withinTolerance, unseen, missing, clocks } = proof;
  const tolerance = `${CLOCK_TOLERANCE_MS / 1000} s`;
  return [
    ...firstLines(findings, findingLines),
    ...linesUnder(
      'pods that may have run twice, because of MoveAfter or because a cluster was declared lost:',
      mayHaveRunTwice,
      findingLines,
    ),
    ...linesUnder(
      `pods without proof, because clocks may differ by ${tolerance}:`,
      withinTolerance,
      findingLines,
    ),
    ...linesUnder('pods without proof, because no record shows their end:', unseen, findingLines),
    ...linesUnder('members without proof, because their streams were not read:', missing, memberLines),
    ...clocks.map(({ cluster, seconds }) =>
      printableLine(
        `the clock of ${cluster} was up to ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}; its times are corrected`,
      ),
    ),
    `${countText(grants, 'grant')} of ${countText(jobs, 'placed Job')}: ${findings.length === 0 ? 'no overlap' : countText(findings.length, 'finding')}`,
  ];
}

/** The lines of the findings, indented below a title; empty without findings. */
function linesUnder<T>(title: string, found: readonly T[], linesOfEach: (each: T) => string[]): string[] {
  return found.length === 0 ? [] : [title, ...firstLines(found, linesOfEach).map((line) => `  ${line}`)];
}

/** The lines of the first findings, and the number of further ones. */
function firstLines<T>(found: readonly T[], linesOfEach: (each: T) => string[]): string[] {
  return [
    ...found.slice(0, SHOWN).flatMap(linesOfEach),
    ...(found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : []),
  ];
}

/** The line about a member whose stream was not read, because an export may lack it. */
function memberLines({ job, cluster, member }: PlacementProof['missing'][number]): string[] {
  return [printableLine(`${job}: the Job ${member} in ${cluster}`)];
}

/** The lines about an overlap, with its clusters, its period and its pods. */
function findingLines({ job, index, clusters, from, until, pods, message }: PlacementFinding): string[] {
  const what = index === null ? '' : ` index ${index}`;
  const span = `from ${from} until ${until ?? 'an unknown time'}`;
  return [
    printableLine(`${job}:${what} in ${clusters.join(' and ')} ${span}`),
    printableLine(`  ${message}`),
    ...(pods.length > 1 ? [printableLine(`  pods: ${pods.join(', ')}`)] : []),
  ];
}
