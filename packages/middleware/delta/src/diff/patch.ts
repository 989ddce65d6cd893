import { crc32 } from 'node:zlib'
import { type Bytes, StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { corrupt, readHeader } from './format.ts'
import { InstructionReader } from './instruction-reader.ts'
import { TargetWriter } from './target-writer.ts'

/** How deltas are read. */
export interface PatchOptions {
  /** Longest target that is made: what one small delta can grow to in memory. @default 64 Mi */
  readonly maxOutputBytes?: number | undefined
}

const optionNames: OptionNames<PatchOptions> = { maxOutputBytes: true }

/**
 * The target that `diff` was given together with this base. The whole delta is checked before more is allocated than
 * base and delta have together, and the target's checksum afterwards: a delta of another base is refused, unless the
 * target comes out just the same.
 *
 * @throws {StoreError} `CORRUPT` for what `diff` never makes of this base, `VALUE_TOO_LARGE` for a target over
 * `maxOutputBytes`, `INVALID_CONFIG`, `INVALID_VALUE`
 */
export function patch(base: Bytes, delta: Bytes, options: PatchOptions = {}): Bytes {
  checkFactoryOptions('patch', options, optionNames)
  const max = maxOutputOf(options)
  checkBytes(base, 'base')
  checkBytes(delta, 'delta')
  const { targetLength, baseLength, checksum, end } = readHeader(delta)
  if (baseLength !== base.length)
    throw corrupt(`belongs to a base of ${baseLength} bytes, this one has ${base.length}`)
  if (targetLength > max) {
    const message = `The target has ${targetLength} bytes; maxOutputBytes allows ${max}.`
    throw new StoreError('VALUE_TOO_LARGE', message)
  }
  // A few bytes can tell of a long target. One that is no longer than what is here already is checked as it is made.
  if (targetLength > baseLength + delta.length)
    checkInstructions(new InstructionReader(delta, end, targetLength, baseLength))
  const target = build(new InstructionReader(delta, end, targetLength, baseLength), base, delta, targetLength)
  if (crc32(target) !== checksum) throw corrupt('produces bytes with another checksum than it declares')
  return target
}

function checkInstructions(instructions: InstructionReader): void {
  while (instructions.next());
}

function build(instructions: InstructionReader, base: Bytes, delta: Bytes, length: number): Bytes {
  const writer = new TargetWriter(base, delta, length)
  while (instructions.next()) {
    writer.insert(instructions.insertAt, instructions.insertLength)
    writer.copy(instructions.copyAt, instructions.copyLength)
  }
  return writer.target
}

function maxOutputOf({ maxOutputBytes = 67_108_864 }: PatchOptions): number {
  if (Number.isFinite(maxOutputBytes) && maxOutputBytes > 0) return maxOutputBytes
  throw new StoreError('INVALID_CONFIG', 'maxOutputBytes must be a number of bytes above 0.')
}

function checkBytes(value: unknown, what: string): asserts value is Bytes {
  if (isBytes(value)) return
  throw new StoreError('INVALID_VALUE', `The ${what} must be bytes (Uint8Array).`)
}
