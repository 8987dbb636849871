import { createOlderVersions } from './older-versions.ts';

it('every second check of a collection has an older version, and never two checks in a row', () => {
  const older = createOlderVersions();
  const list = '{"kind":"PodList","metadata":{"resourceVersion":"7","remainingItemCount":3}}';
  const output = ['/pods', '/jobs', '/pods', '/pods', '/jobs'].map(
    (path) =>
      (JSON.parse(older.of(path, list)) as { metadata: { resourceVersion: string } }).metadata
        .resourceVersion,
  );
  expect(output).toEqual(['1', '1', '7', '1', '7']);
  expect(older.count).toBe(3);
});
