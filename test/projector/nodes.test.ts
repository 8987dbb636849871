import { describe, expect, it } from '@jest/globals';
import { aNodeLife } from './node-events.ts';
import { after } from './builders.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { projectAll } from '../../services/projector/projections/project.ts';

function versionsAfter(...events: JobEvent[]) {
  const rows = emptyRows();
  projectAll(rows, events);
  return [...rows.nodeVersions.changed.values()];
}

describe('the versions of a node in the tables', () => {
  it('have its class and its capacity, each from its instant on, and its deletion', () => {
    const rows = versionsAfter(...aNodeLife());
    const capacity = { cpu_cores: '7.91', memory_bytes: String(32 * 2 ** 30), gpus: '2' };
    expect(rows).toMatchObject([
      {
        node: 'node-1',
        since: after(0),
        deleted: false,
        instance_type: 'm7',
        capacity_type: 'on-demand',
        ...capacity,
      },
      {
        node: 'node-1',
        since: after(120),
        deleted: false,
        instance_type: 'm7',
        capacity_type: 'spot',
        ...capacity,
      },
      { node: 'node-1', since: after(180), deleted: true, instance_type: null, gpus: null },
    ]);
  });

  it('are the same after repeated events', () => {
    const events = aNodeLife();
    expect(versionsAfter(...events, ...events)).toHaveLength(3);
  });
});
