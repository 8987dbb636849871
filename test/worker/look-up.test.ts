import type { Pod } from '../../workflows/kubernetes/objects.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { lookUpOrphans, selectorText } from '../../services/worker/activities/job/look-up.ts';
import { podObject } from '../support/builders.ts';
import { aCommandContext } from './a-command-context.ts';

describe('a selector in a query', () => {
  it('is written in the syntax of label selectors in the API', () => {
    const matchExpressions = [
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'zone', operator: 'NotIn', values: ['c'] },
      { key: 'gpu', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ];
    expect(selectorText({ matchLabels: { app: 'x', 'acme.io/y': 'z' }, matchExpressions })).toBe(
      'app=x,acme.io/y=z,tier in (a,b),zone notin (c),gpu,!old',
    );
  });
});

describe('the orphans of a Job', () => {
  const why = { rule: 'J-3.30', message: '' } as const;
  const orphan = (app: string): Pod => podObject({ name: app, controller: 'none', labels: { app } });

  /** The pods found in a namespace with these, and the path that was read. */
  async function found(
    values: string[],
    pods: Pod[],
    own: { own?: { after: string } } = {},
  ): Promise<{ names: string[]; more: boolean; path: string }> {
    const context = aCommandContext();
    const asked: ApiRequest[] = [];
    const request = async <T>(given: ApiRequest): Promise<T> => {
      asked.push(given);
      return { metadata: { resourceVersion: '1' }, items: pods } as T;
    };
    const selector = { matchExpressions: [{ key: 'app', operator: 'In', values }] };
    const outcome = await lookUpOrphans(
      { ...context, client: { ...context.client, request } },
      { kind: 'LookUpOrphans', selector, why, ...own },
    );
    if (outcome.kind !== 'LookUpOrphans' || outcome.result !== 'done') throw new Error('it failed');
    const { orphans, more } = outcome;
    return { names: orphans.map(({ name }) => name), more, path: asked[0]?.path ?? '' };
  }

  it('are selected by the API server', async () => {
    expect((await found(['a'], [orphan('a')])).path).toContain('labelSelector=app%20in%20(a)');
  });

  it('are selected by the worker when the selector is too long for a query', async () => {
    const many = Array.from({ length: 1000 }, (_none, at) => `value-${at}`);
    const { names, path } = await found(many, [orphan('value-7'), orphan('other')]);
    expect(names).toEqual(['value-7']);
    expect(path).toBe('/api/v1/namespaces/default/pods?limit=500');
  });

  it('are listed with the pods of the Job after a restore, beginning after the last listed name', async () => {
    const pods = ['pi-a', 'pi-b', 'pi-c'].map((name) => podObject({ name, labels: { app: 'a' } }));
    const strange = podObject({ name: 'pi-d', controller: 'another', labels: { app: 'a' } });
    const deleted = podObject({ name: 'pi-e', deleted: 1, labels: { app: 'a' } });
    const all = [...pods, strange, deleted];
    expect((await found(['a'], all)).names).toEqual([]);
    expect((await found(['a'], all, { own: { after: '' } })).names).toEqual(['pi-a', 'pi-b', 'pi-c', 'pi-e']);
    expect((await found(['a'], all, { own: { after: 'pi-b' } })).names).toEqual(['pi-c', 'pi-e']);
  });

  it('are at most 500 in one look-up, which reports whether there are more', async () => {
    const pods = Array.from({ length: 501 }, () => orphan('a'));
    const all = await found(['a'], pods.slice(1));
    expect([all.names.length, all.more]).toEqual([500, false]);
    const first = await found(['a'], pods);
    expect([first.names.length, first.more]).toEqual([500, true]);
  });
});
