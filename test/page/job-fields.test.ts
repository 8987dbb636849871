import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { fieldsAt, pathAt } from '../../page/submit/job-fields.ts';

/** The path at the sign |. */
const at = (text: string): string[] => pathAt(text.replace('|', ''), text.indexOf('|'));

describe('the path of a field in a manifest', () => {
  it.each<[string, string, string[]]>([
    ['at the top', 'apiVersion: batch/v1\nki|', []],
    ['in an object', 'spec:\n  template:\n    spec:\n      rest|', ['spec', 'template', 'spec']],
    ['after a nested one', 'spec:\n  template:\n    spec:\n      a: b\n  back|', ['spec']],
    ['in an item of a list', 'spec:\n  containers:\n    - na|', ['spec', 'containers']],
    ['of an item whose dash is not indented', 'spec:\n  containers:\n  - na|', ['spec', 'containers']],
    ['later in an item', 'spec:\n  containers:\n  - name: a\n    ima|', ['spec', 'containers']],
    ['in the second item', 'spec:\n  containers:\n  - name: a\n  - ima|', ['spec', 'containers']],
    [
      'below an item',
      'spec:\n  containers:\n    - name: a\n      env:\n        - na|',
      ['spec', 'containers', 'env'],
    ],
    ['after a comment and an empty line', 'spec:\n  # more:\n\n  back|', ['spec']],
  ])('is found for a field %s', (_where, text, path) => expect(at(text)).toEqual(path));
});

describe('the known fields of a Job in the editor', () => {
  it('equal the fields in the Kubernetes client library (if not, run npm run job-fields)', () => {
    // A process of its own: the client library is an ES module, which jest does not load.
    const fields = execFileSync(process.execPath, ['test/page/write-job-fields.ts', '--print'], {
      encoding: 'utf8',
    });
    expect(fields).toContain('backoffLimit');
    expect(readFileSync('page/submit/job-fields.json', 'utf8')).toBe(fields);
  }, 60_000);

  it('are found by the path of the object that contains them', () => {
    const names = (...path: string[]): string[] => fieldsAt(path).map(({ name }) => name);
    expect(names('spec')).toEqual(expect.arrayContaining(['backoffLimit', 'podFailurePolicy', 'template']));
    expect(names('spec', 'template', 'spec', 'containers', 'env')).toEqual(
      expect.arrayContaining(['name', 'value', 'valueFrom']),
    );
    expect(names('metadata', 'labels')).toEqual([]);
    expect(names('nothing')).toEqual([]);
  });
});
