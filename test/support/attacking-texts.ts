/** Short: a check with exponential time hangs on them; and as long as a request may be, which takes quadratic time long. */
const LENGTHS = [60, 4000];

/** Repeated characters that texts of all kinds contain. */
const COMMON = ['a', ' ', ',', ' ,', '=', '/', '-', '0', '.', ':', '(', '"', '%', '\\', '[', '{'];

/** A part that makes a text invalid although everything before it was valid. */
const ENDS = ['!', '\n!'];

/** Texts that keep a check with super-linear time busy: parts of a valid text, repeated at their place, and an invalid end. */
export function attackingTexts(example: string, lengths: readonly number[] = LENGTHS): string[] {
  const parts = new Map<string, number>();
  for (const size of [1, 2, 3])
    for (let at = 0; at + size <= Math.min(example.length, 40); at += 1)
      if (!parts.has(example.slice(at, at + size))) parts.set(example.slice(at, at + size), at);
  const repeated = (length: number): string[] => [
    ...COMMON.map((each) => each.repeat(length / each.length)),
    ...[...parts].map(
      ([part, at]) => example.slice(0, at) + part.repeat(length / part.length) + example.slice(at),
    ),
  ];
  return lengths.flatMap((length) => ENDS.flatMap((end) => repeated(length).map((text) => text + end)));
}

/** The few of them that need no example. */
export function commonAttackingTexts(length: number): string[] {
  return COMMON.map((each) => `${each.repeat(length / each.length)}!`);
}
