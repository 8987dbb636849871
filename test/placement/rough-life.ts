import { seededRandom } from '../support/random.ts';
import { aModel, type Model } from './model.ts';

/** A placed Job after drains, silences, suspensions and deletions by hand, with everything well again in the end. */
interface RoughLife {
  model: Model;
  policy: string;
  /** Another client deleted a member: what it had done since its last status is not recorded anywhere. */
  isBereft: boolean;
}

/** The life that a seed determines; facts and answers are late, lost and repeated. */
export function aRoughLife(seed: number, spread?: string): RoughLife {
  const random = seededRandom(seed);
  const policy = ['Wait', 'MoveAfter=1m'][Math.floor(random() * 2)] ?? '';
  const model = aModel({
    random,
    clusters: ['west', 'north', 'east'].map((name) => ({ name, room: 1 + Math.floor(random() * 6) })),
    completions: 1 + Math.floor(random() * 30),
    parallelism: 1 + Math.floor(random() * 5),
    annotations: {
      'jobledger.dev/if-cluster-is-lost': policy,
      'jobledger.dev/spill-after': '20s',
      ...(spread !== undefined && { 'jobledger.dev/spread': spread }),
    },
    isUnreliable: true,
  });
  const names = ['west', 'north', 'east'];
  let isBereft = false;
  for (let round = 0; round < 12; round += 1) {
    model.pass(1 + Math.floor(random() * 30));
    const cluster = names[Math.floor(random() * names.length)] ?? '';
    const by = { by: 'anna', at: model.now() };
    const what = random();
    if (what < 0.25) model.setAvailability(cluster, { cordoned: { ...by, drain: true } });
    else if (what < 0.4) {
      model.cut(cluster, true);
      model.setAvailability(cluster, { silentSince: model.now() });
    } else if (what < 0.5)
      model.change(({ spec }) => {
        spec.suspend = spec.suspend !== true;
      });
    else if (what < 0.6) {
      const { cluster: at, name } = model.state().grants.at(-1) ?? {};
      isBereft ||= at !== undefined;
      if (at !== undefined && name !== undefined) model.remove(at, name);
    } else {
      for (const each of names) {
        model.cut(each, false);
        model.setAvailability(each, null);
      }
    }
  }
  for (const each of names) {
    model.cut(each, false);
    model.setAvailability(each, null);
  }
  model.change(({ spec }) => {
    spec.suspend = false;
  });
  return { model, policy, isBereft };
}
