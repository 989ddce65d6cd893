import type { Bytes } from '@unikv/core'

const digits = 16

/** The shortest value that holds a number. */
export const leastValueSize: number = digits

/** A value that tells which write it comes from. */
export function valueOf(write: number, size: number): Bytes {
  const value = Buffer.alloc(size, 0x20)
  value.write(String(write).padStart(digits, '0'), 'latin1')
  return value
}

/** The write that a value comes from; 0: there is no value. */
export function writeOf(value: Bytes | undefined): number {
  return value === undefined ? 0 : Number(Buffer.from(value.subarray(0, digits)).toString('latin1'))
}
