import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { answerMeaning } from '../../services/adapters/kubernetes/answers.ts';
import { textWithoutValues } from '../../services/adapters/kubernetes/error-text.ts';
import { parseQuantity } from '../../services/adapters/kubernetes/quantity.ts';
import { isTimeZone } from '../../services/adapters/time-zones.ts';
import { positionsIn } from '../../services/api/stream/positions.ts';
import { keepFields } from '../../services/ingester/redaction/keep-fields.ts';
import { expand } from '../../infra/local/node-agent/container/expansion.ts';
import { SELECTOR, selectorIn, selectorText } from '../../services/read-model/queries/label-selector.ts';
import { failureCause } from '../../services/read-model/situation/pod-causes.ts';
import { durationIn } from '../../cli/duration.ts';
import { parseSchedule } from '../../workflows/cron-job/schedule/parse-schedule.ts';
import { instantFrom } from '../../workflows/history/instant.ts';
import { parseCauseId } from '../../workflows/history/why/cause-id.ts';
import { parseIndexes } from '../../workflows/batch/completion-indexes.ts';
import { jobAnnotations } from '../../workflows/job/observe/job-annotations.ts';
import * as names from '../../workflows/kubernetes/names.ts';
import { parsePreferences } from '../../workflows/placement/observe/preferences.ts';
import { attackingTexts } from '../support/attacking-texts.ts';
import { leastCpuMs } from '../support/least-cpu-ms.ts';

/** The annotations of an object have this size at most, in bytes. */
const LENGTHS = [60, 250_000];
/**
 * Eight times what the slowest parser takes on an idle machine, since a busy one takes some times as long. An expression that searches
 * again from each place needs seconds for a text of this length.
 */
const MOST_MS = 400;

const command = (name: string) => (text: string) => parsePreferences({ [name]: text });
const annotation = (name: string) => (text: string) => jobAnnotations({ [name]: text });

/** What reads a text of a tenant, with a text that it takes. */
const PARSERS: readonly [name: string, example: string, parse: (text: string) => unknown][] = [
  ['a label selector, also of the command line', 'team in (a, b),!legacy', selectorIn],
  ['positions', '0:5,1:7', positionsIn],
  ['a duration of the command line', '1.5h30m', durationIn],
  ['an instant', '2026-04-01T05:12:00+02:00', instantFrom],
  ['the id of a cause', 'a#1', parseCauseId],
  [names.CLUSTERS, 'region=eu, gpu=a100', command(names.CLUSTERS)],
  [names.SPILL_AFTER, '90s', command(names.SPILL_AFTER)],
  [names.IF_CLUSTER_IS_LOST, 'MoveAfter = 30m', command(names.IF_CLUSTER_IS_LOST)],
  [names.SPREAD, 'room', command(names.SPREAD)],
  [names.AFTER, 'extract=Succeeded, check', annotation(names.AFTER)],
  [names.BACKOFF_SECONDS, '30', annotation(names.BACKOFF_SECONDS)],
  [names.CONTINUED_FAILURES, '{"consecutive":[1]}', annotation(names.CONTINUED_FAILURES)],
  [names.INDEXES, '1:0-5,7:Complete', annotation(names.INDEXES)],
  ['completed indexes', '0-5,7', (text) => parseIndexes(text, 2 ** 31 - 1)],
  ['a schedule', 'TZ=Europe/Berlin */5 1-3 * * MON', parseSchedule],
  ['a time zone', 'Europe/Berlin', isTimeZone],
  ['a quantity', '1.5e3Mi', parseQuantity],
  ['an argument of a container', 'a$(B)$$', (text) => expand(text, () => undefined)],
  [
    'an answer of an admission policy',
    `pods "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
    (message) => answerMeaning({ status: 422, reason: 'Invalid', message, causes: [] }),
  ],
  [
    'an answer that is recorded',
    'Job "a" is invalid: x',
    (message) => textWithoutValues({ status: 422, message }),
  ],
  [
    'the message of a pod',
    'exit code 1 (Error): back-off preemption: x',
    (text) => failureCause({ end_message: text, message: text }),
  ],
  [
    'the name of a field',
    'example.com/team-a',
    (name) => keepFields({ [name]: 'x' }, [{ '*e*a*m*p*l*e*t*': true }]),
  ],
];

describe('a text that any user may write', () => {
  it.each(PARSERS)(
    'is parsed in little CPU time, even when it is long and hostile: %s',
    (_name, example, parse) => {
      const slow: [string, number][] = [];
      for (const text of attackingTexts(example, LENGTHS)) {
        const ms = leastCpuMs(() => {
          try {
            parse(text);
          } catch {
            // Most are refused.
          }
        });
        if (ms > MOST_MS) slow.push([text.slice(0, 60), ms]);
        if (ms === Infinity) break;
      }
      expect(slow).toEqual([]);
    },
    300_000,
  );
});

describe('a label selector', () => {
  it('is parsed exactly when the pattern of the OpenAPI document allows it', () => {
    const pattern = new RegExp(SELECTOR, 'u');
    const piece = fc.constantFrom(
      'a',
      '=',
      '!',
      '(',
      ')',
      ',',
      ' ',
      '\t',
      'in',
      ' in (',
      'notin',
      'b-',
      ' in (a,b)',
    );
    let parsed = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        let isParsed = true;
        try {
          const selector = selectorIn(text);
          expect(selectorIn(selectorText(selector))).toEqual(selector);
          parsed += 1;
        } catch {
          isParsed = false;
        }
        expect([text, isParsed]).toEqual([text, pattern.test(text)]);
      }),
      { numRuns: 5000 },
    );
    expect(parsed).toBeGreaterThan(100);
  });
});
