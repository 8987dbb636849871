import { describe, expect, it } from '@jest/globals';
import { findProblems, readManifest } from '../../page/submit/manifest.ts';

const TEXT = `apiVersion: batch/v1
kind: Job
metadata:
  name: pi
spec:
  backofLimit: 3
  template:
    spec:
      containers:
        - name: main
        - name: other
          image: none
`;

/** What a message marks in the text. */
const marked = (message: string): string[] =>
  findProblems(TEXT, message).map(({ from, to }) => TEXT.slice(from, to).trim());

describe('a manifest in the editor', () => {
  it('is read as the object that it describes', () => {
    expect(readManifest(TEXT)).toMatchObject({
      object: { kind: 'Job', metadata: { name: 'pi' } },
      findings: [],
    });
  });

  it.each([
    ['that is not YAML', 'kind: "Job\n', /quote/],
    ['of two documents', 'kind: Job\n---\nkind: Job\n', /documents/],
    ['that is a text', 'Job', /expected an object/],
    ['that is empty', '', /expected an object/],
    [
      'with aliases that make it very large',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`,
      /alias/,
    ],
  ])('gets an error message instead of an object when it is a manifest %s', (_what, text, message) => {
    const { object, findings } = readManifest(text);
    expect([object, findings[0]?.message]).toEqual([null, expect.stringMatching(message)]);
  });
});

describe('a message about a manifest', () => {
  it.each([
    ['of the API', 'body/spec/template: expected object', ['template']],
    [
      'of the cluster',
      'cluster "east": Job.batch "pi" is invalid: spec.template.spec.containers[1].image: Invalid value',
      ['image'],
    ],
    ['about a missing field', 'spec.template.spec.containers[0].image: Required value', ['name: main']],
    ['about an unknown field', 'strict decoding error: unknown field "spec.backofLimit"', ['backofLimit']],
    [
      'about several fields',
      'invalid: [spec.backofLimit: Invalid value, metadata.name: Invalid value]',
      ['backofLimit', 'name'],
    ],
    ['that names no field', 'the cluster "east" does not answer', []],
  ])('marks the fields that it names in the editor: a message %s', (_what, message, fields) =>
    expect(marked(message)).toEqual(fields),
  );
});
