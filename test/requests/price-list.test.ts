import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { priceListIn, requirePriceList, type PriceList } from '../../services/requests/prices/price-list.ts';

const CLUSTERS = ['east', 'west'];

/** The list of a file. */
function read(yaml: string): PriceList {
  return requirePriceList(priceListIn(parse(yaml)), CLUSTERS);
}

/** A list in euros with these entries, each in YAML's flow style without braces. */
function listOf(...entries: string[]): string {
  return `{ currency: EUR, prices: [${entries.map((entry) => `{ ${entry} }`).join(', ')}] }`;
}

const CPU = "resource: cpu, per_hour: '0.031', valid_from: 2026-12-01T00:00:00Z";

describe('a price list in a file', () => {
  it('has the exact numbers, and the periods of its prices in UTC', () => {
    const text = `
currency: EUR
prices:
  - { resource: cpu, per_hour: 0.0310, valid_from: 2026-12-01T02:00:00+02:00 }
  - { resource: cpu, per_hour: '0.029000000001', valid_from: 2027-01-01T00:00:00Z, valid_until: 2027-07-01T00:00:00Z }
  - { resource: nvidia.com/gpu, cluster: west, per_hour: 2, valid_from: 2026-12-01T00:00:00Z }
`;
    expect(read(text)).toEqual({
      currency: 'EUR',
      prices: [
        {
          resource: 'cpu',
          cluster: '*',
          perHour: '0.031',
          validFrom: '2026-12-01T00:00:00.000Z',
          validUntil: '2027-01-01T00:00:00.000Z',
        },
        {
          resource: 'cpu',
          cluster: '*',
          perHour: '0.029000000001',
          validFrom: '2027-01-01T00:00:00.000Z',
          validUntil: '2027-07-01T00:00:00.000Z',
        },
        {
          resource: 'nvidia.com/gpu',
          cluster: 'west',
          perHour: '2',
          validFrom: '2026-12-01T00:00:00.000Z',
        },
      ],
    });
  });

  it('has the classes and the capacity types of the nodes, whose prices do not overlap', () => {
    const spot = `${CPU}, capacity_type: spot`;
    expect(read(listOf(CPU, spot, `${spot}, node_class: m5.large`)).prices).toMatchObject([
      { resource: 'cpu', cluster: '*' },
      { capacityType: 'spot' },
      { capacityType: 'spot', nodeClass: 'm5.large' },
    ]);
  });

  it.each([
    [
      'a capacity type in capital letters',
      listOf(`${CPU}, capacity_type: SPOT`),
      'prices[0].capacity_type: must be in lower case',
    ],
    [
      'a class that no label can have',
      listOf(`${CPU}, node_class: 'a b'`),
      'prices[0].node_class: must be an instance type',
    ],
    [
      'the same nodes twice',
      listOf(`${CPU}, capacity_type: spot`, `${CPU}, capacity_type: spot`),
      'the price of cpu on spot nodes in every cluster from 2026-12-01T00:00:00.000Z is also prices[0]',
    ],
    [
      'more classes than can be compared',
      listOf(...Array.from({ length: 101 }, (_, at) => `${CPU}, node_class: m${at}`)),
      'prices: 101 different values of node_class; at most 100 are possible',
    ],
    ['a negative price', listOf(CPU.replace("'0.031'", '-1')), 'prices[0].per_hour: must not be negative'],
    [
      'a price with an exponent',
      listOf(CPU.replace("'0.031'", '1e-9')),
      'prices[0].per_hour: must be a decimal number',
    ],
    [
      'a number that YAML would round',
      listOf(CPU.replace("'0.031'", '0.12345678901234567')),
      'write a number of more than 15 digits in quotes',
    ],
    [
      'a resource without its domain',
      listOf(CPU.replace('cpu', 'gpu')),
      'prices[0].resource: must be cpu (priced by core), memory (priced by GiB), or the full name of an extended resource, such as nvidia.com/gpu',
    ],
    [
      'an unknown currency',
      `{ currency: EURO, prices: [{ ${CPU} }] }`,
      'currency: must be the code of a currency',
    ],
    [
      'a second currency',
      listOf(`${CPU}, currency: USD`),
      'prices[0]: a list has one currency: write the field currency once, above prices',
    ],
    [
      'a day instead of an instant',
      listOf(CPU.replace('T00:00:00Z', '')),
      'prices[0].valid_from: must be an instant with its time zone at the beginning of an hour in UTC',
    ],
    [
      'an instant within an hour',
      listOf(CPU.replace('00:00:00Z', '00:30:00Z')),
      'prices[0].valid_from: must be an instant with its time zone at the beginning of an hour in UTC',
    ],
    [
      'an instant before 1970',
      listOf(CPU.replace('2026-12', '1969-12')),
      'prices[0].valid_from: must be an instant with its time zone at the beginning of an hour in UTC from 1970 to 9999',
    ],
    [
      'an instant that is after 9999 in UTC',
      listOf(CPU.replace('2026-12-01T00:00:00Z', '9999-12-31T23:00:00-01:00')),
      'prices[0].valid_from: must be an instant with its time zone at the beginning of an hour in UTC from 1970 to 9999',
    ],
    [
      'an unknown cluster',
      listOf(`${CPU}, cluster: nord`),
      'prices[0].cluster: no cluster "nord" was ever connected; there are: east, west',
    ],
    [
      'two prices from one instant',
      listOf(CPU, `${CPU}, cluster: '*'`),
      'prices[1]: the price of cpu in every cluster from 2026-12-01T00:00:00.000Z is also prices[0]: remove one of them',
    ],
    [
      'a period that overlaps the next one',
      listOf(`${CPU}, valid_until: 2027-02-01T00:00:00Z`, CPU.replace('2026-12-01', '2027-01-01')),
      'prices[0].valid_until: the price of cpu in every cluster from 2026-12-01T00:00:00.000Z overlaps prices[1], which begins at 2027-01-01T00:00:00.000Z',
    ],
    [
      'a period that ends before it begins',
      listOf(`${CPU}, valid_until: 2026-11-01T00:00:00Z`),
      'must end after it begins',
    ],
    ['no price', '{ currency: EUR, prices: [] }', 'prices: must have at least one price'],
    ['an unknown field', listOf(`${CPU}, price: 1`), 'prices[0]: Unrecognized key: "price"'],
    ['an empty file', '', 'the list: '],
  ])('is refused with the place of the error: %s', (_what, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('is refused with all of its errors together', () => {
    const text = listOf(CPU.replace("'0.031'", '-1'), CPU.replace('cpu', 'gpu'));
    expect(() => read(text)).toThrow(/prices\[0\]\.per_hour: .*; prices\[1\]\.resource: /);
  });
});
