import type { Bytes } from '@unikv/core'
import { readHeader } from './format.ts'
import { InstructionReader } from './instruction-reader.ts'

/**
 * Whether nothing moves and nothing is cut off: what the target has of its base stands where it stood, so that a store
 * can write over the rest.
 *
 * @throws {StoreError} `CORRUPT` for what `diff` never makes
 */
export function isInPlace(delta: Bytes): boolean {
  const { targetLength, baseLength, end } = readHeader(delta)
  if (targetLength < baseLength) return false
  const instructions = new InstructionReader(delta, end, targetLength, baseLength)
  let at = 0
  while (instructions.next()) {
    at += instructions.insertLength
    if (instructions.copyLength > 0 && instructions.copyAt !== at) return false
    at += instructions.copyLength
  }
  return true
}
