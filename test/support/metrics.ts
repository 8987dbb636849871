/** The samples of a service, by `name{labels}` with sorted labels. */
export async function samplesAt(address: string | undefined): Promise<Map<string, number>> {
  return samplesIn(await (await fetch(`http://${address}/metrics`)).text());
}

export function samplesIn(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map(parseSample));
}

function parseSample(line: string): [string, number] {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const sorted = (labels.match(/\w+="[^"]*"/g) ?? []).toSorted().join(',');
  return [sorted === '' ? name : `${name}{${sorted}}`, Number(value)];
}

/** The samples whose names begin with the prefix, without it. */
export function findSamples(samples: ReadonlyMap<string, number>, beginning: string): Record<string, number> {
  const found = [...samples].filter(([name]) => name.startsWith(beginning));
  return Object.fromEntries(found.map(([name, value]) => [name.slice(beginning.length), value]));
}
