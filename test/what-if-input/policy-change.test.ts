import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { InputError } from '../../services/adapters/errors.ts';
import { policyChange } from '../../services/what-if-input/policy-change.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const RULES = `rules:
- action: FailJob
  onExitCodes: {operator: In, values: [42]}
- action: Ignore
  onPodConditions: [{type: DisruptionTarget}]
`;
const POLICY = {
  rules: [
    { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
  ],
};

describe('the policy change of a what-if', () => {
  it('is read from paths with values', () => {
    const sets = ['spec.backoffLimit=3', 'activeDeadlineSeconds=null', 'spec.podReplacementPolicy=Failed'];
    expect(policyChange(sets, [])).toEqual({
      backoffLimit: 3,
      activeDeadlineSeconds: null,
      podReplacementPolicy: 'Failed',
    });
  });

  it('is read from a file of YAML or JSON, with or without its field name', () => {
    const indented = RULES.replaceAll(/^/gm, '  ');
    for (const text of [RULES, JSON.stringify(POLICY), `podFailurePolicy:\n${indented}`])
      expect(policyChange([], [`spec.podFailurePolicy=${file('policy', text)}`])).toEqual({
        podFailurePolicy: POLICY,
      });
  });

  it.each<[string, string[], RegExp]>([
    ['nothing', [], /give a change, for example --set spec.backoffLimit=3/],
    [
      'an unknown path',
      ['spec.backofLimit=3'],
      /no path "spec.backofLimit"; the path is one of spec.parallelism, /,
    ],
    ['SQL for a path', ["x'; drop table jobs --=1"], /there is no path "x'; drop table jobs --"/],
    [
      'a path outside the recorded facts',
      ['spec.template.spec.containers=[]'],
      /cannot be varied: no fact shows what other pods/,
    ],
    ['no path', ['=3'], /write path=value/],
    [
      'no value',
      ['spec.backoffLimit'],
      /^--set spec.backoffLimit: write path=value, for example --set spec.backoffLimit=3; the path is one of spec/,
    ],
    [
      'a text for a number',
      ['spec.backoffLimit=many'],
      /^--set spec.backoffLimit=many: spec.backoffLimit is invalid: expected number, received string$/,
    ],
    ['a negative number', ['spec.backoffLimit=-1'], /is invalid: .*>=0/],
    ['a fraction', ['spec.parallelism=1.5'], /is invalid: .*int/],
    ['a word that the field does not allow', ['podReplacementPolicy=Never'], /TerminatingOrFailed/],
    ['the same path twice', ['spec.backoffLimit=1', 'backoffLimit=2'], /spec.backoffLimit is set twice/],
    [
      'a rule of both kinds',
      ['podFailurePolicy={"rules":[{"action":"Ignore"}]}'],
      /either onExitCodes or onPodConditions/,
    ],
    ['a rule with an unknown key', ['successPolicy={"rules":[{"count":1}]}'], /rules: 0: .*count/],
  ])('is refused with an explanation: %s', (_what, sets, message) => {
    expect(() => policyChange(sets, [])).toThrow(message);
    expect(() => policyChange(sets, [])).toThrow(InputError);
  });

  it('is refused with the name of its file when the file is missing or is not YAML', () => {
    expect(() => policyChange([], ['podFailurePolicy=/nowhere/policy.yaml'])).toThrow(
      /\/nowhere\/policy.yaml cannot be read: .*ENOENT/,
    );
    expect(() => policyChange([], [`podFailurePolicy=${file('bad', 'rules: [')}`])).toThrow(
      /bad cannot be read/,
    );
    expect(() => policyChange([], [`podFailurePolicy=${file('other', 'a: 1')}`])).toThrow(/is invalid/);
  });
});
