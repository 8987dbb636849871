import { describe, expect, it } from '@jest/globals';
import { emptyLiveSet, type LiveChange } from '../../services/ingester/live-set/live-set.ts';
import { warnOfUnplaced } from '../../services/ingester/unplaced.ts';
import { OWN_MANAGER, PLACEMENT_MANAGER } from '../../workflows/kubernetes/names.ts';

function aChange(name: string, managedBy: string): LiveChange {
  const entry = { namespace: 'default', name, resourceVersion: '1', selector: {}, managedBy };
  return { resource: 'jobs', uid: name, entry };
}

/** An ingester that records placed Jobs or does not, and what it logs. */
function anIngester(placement: boolean) {
  const lines: string[] = [];
  let level = 10;
  const log = { warn: (_of: unknown, words: string) => void lines.push(words) };
  const count = warnOfUnplaced({ cluster: 'east', placement, level: () => level, log: log as never });
  return {
    lines,
    saw: (change: LiveChange) => count(emptyLiveSet(), change),
    raised: () => void (level = 11),
  };
}

describe('an ingester that sees placed Jobs below their feature level', () => {
  it('names the first one, the level and the command, once', () => {
    const ingester = anIngester(false);
    ingester.saw(aChange('ours', OWN_MANAGER));
    expect(ingester.lines).toEqual([]);
    ingester.saw(aChange('pi', PLACEMENT_MANAGER));
    ingester.saw(aChange('e', PLACEMENT_MANAGER));
    expect(ingester.lines).toEqual([
      'default/pi is a placed Job, which belongs to no controller below feature level 11, and this installation is at 10: run "jobledger upgrade --finalize", then restart the ingesters',
    ]);
  });

  it('says once that it must be restarted when the level was reached after its start', () => {
    const ingester = anIngester(false);
    ingester.raised();
    ingester.saw(aChange('pi', PLACEMENT_MANAGER));
    ingester.saw(aChange('e', PLACEMENT_MANAGER));
    expect(ingester.lines).toEqual([
      'default/pi is a placed Job, which belongs to no controller yet, because the installation reached feature level 11 after this ingester had started: restart it',
    ]);
  });

  it('says nothing when it records them, nor of a deleted one', () => {
    const recording = anIngester(true);
    recording.saw(aChange('pi', PLACEMENT_MANAGER));
    const other = anIngester(false);
    other.saw({ resource: 'jobs', uid: 'pi', entry: null });
    expect([...recording.lines, ...other.lines]).toEqual([]);
  });
});
