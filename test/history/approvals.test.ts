import { describe, expect, it } from '@jest/globals';
import { approvalEvent, findWithheld } from '../../cli/verbs/approve/approval.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { createNarrator } from '../../workflows/history/timeline/narrator.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aWithheldCronJob, aWithheldJob, aWithheldPlacedJob } from '../support/withheld-streams.ts';

describe.each([
  ['Job', aWithheldJob],
  ['CronJob', aWithheldCronJob],
  ['placed Job', aWithheldPlacedJob],
])('the approval of a decision about a %s (J-18.2)', (_kind, make) => {
  const events = make();
  const stream = { deletedAt: null, events };
  const approval = approvalEvent(findWithheld('pi', stream, events.at(-1)?.id), 'ann');

  it('is shown in the history with the approved decision', () => {
    const lines = [...events, approval].flatMap(createNarrator(new Set()));
    expect(lines.at(-1)).toMatchObject({
      about: 'request',
      message: 'approve, asked for by ann, although 2 pods would be created',
    });
  });

  it('changes no row except its own row', () => {
    const rowsAfter = (all: readonly LedgerEvent[]): string => {
      const rows = emptyRows();
      projectAll(rows, all);
      const { jobs, cronJobs, decisions, commands, placements } = rows;
      const tables = [jobs, cronJobs, decisions, commands, placements];
      return JSON.stringify(tables.map(({ changed }) => [...changed.values()]));
    };
    expect(rowsAfter([...events, approval])).toEqual(rowsAfter(events));
  });
});
