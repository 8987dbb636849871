/** The ASN.1 types of an X.509 certificate, in the distinguished encoding rules (DER). */

export function sequence(...items: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(items));
}

export function setOf(...items: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(items));
}

export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** A non-negative integer from its big-endian bytes. */
export function integer(bytes: Buffer): Buffer {
  const sign = (bytes[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0);
  return tagged(0x02, Buffer.concat([sign, bytes]));
}

export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

export function octetString(bytes: Buffer): Buffer {
  return tagged(0x04, bytes);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5). */
export function time(instant: Date): Buffer {
  const digits = instant.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return instant.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : tagged(0x18, Buffer.from(`${digits}Z`));
}

/** The context tag `[n]` around a complete encoding. */
export function explicit(number: number, content: Buffer): Buffer {
  return tagged(0xa0 | number, content);
}

/** The context tag `[n]` in place of a primitive type's own tag. */
export function implicit(number: number, content: Buffer): Buffer {
  return tagged(0x80 | number, content);
}

function tagged(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits: number[] = [];
  for (let rest = bytes; rest > 0; rest >>= 8) digits.unshift(rest & 0xff);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}
