import { randomBytes } from 'node:crypto'
import type { Random } from '@unikv/test-kit/schedules'
import { planted } from '../mutations/planted.ts'
import type { Form, Place } from '../mutations/subject.ts'

/** Where the fuzzed records are opened. */
export const place: Place = { dataset: 'users', key: 'ada', kind: 'value', codec: '', context: '' }

const right = planted('none')
const magic = Buffer.from('9e756b76', 'hex')
const lengths = [0, 1, 3, 4, 7, 8, 16, 82, 83, 98, 99, 102, 106, 107, 200, 1_040, 1_200, 3_000]

/** Bytes as a hostile store may hold them: from noise to what only the last step of opening can refuse. */
export function fuzzed(chance: Random): Uint8Array {
  const way = chance.next()
  if (way < 0.2) return noise(chance)
  if (way < 0.7) return headed(chance)
  if (way < 0.75) return moved(headed(chance), chance)
  if (way < 0.9) return authentic(chance)
  return moved(damaged(chance, authentic(chance)), chance)
}

function noise(chance: Random): Buffer {
  const bytes = Buffer.from(randomBytes(chance.pick(lengths) + chance.below(20)))
  if (chance.chance(0.5)) bytes.set(magic.subarray(0, Math.min(4, bytes.length)))
  return chance.chance(0.001) && bytes.length > 0 ? Buffer.alloc(4_194_304, bytes) : bytes
}

/** A header whose fields are each what they may be, at their limits, or anything. */
function headed(chance: Random): Buffer {
  const ids = chance.pick(['maink1', 'maink2', 'main__', 'k'.repeat(30), '', 'é\u0000..', 'toStri', '__prot'])
  return Buffer.concat([
    magic,
    Buffer.of(
      chance.pick([1, 1, 1, 1, 1, 1, 0, 2, 255]),
      chance.pick([1, 2, 3, 1, 2, 3, 0, 4, 255]),
      chance.pick([0, 0x08, 0x10, 0x18, chance.below(256)]),
      chance.pick([0x42, 0x42, 0x42, 0xff, 0, 0xf0, chance.below(256)]),
    ),
    Buffer.from(ids, 'latin1'),
    chance.pick([Buffer.alloc(4), Buffer.alloc(4, 0xff), randomBytes(4)]),
    chance.pick([Buffer.alloc(64), randomBytes(64)]),
    Buffer.of(chance.pick([10, 24, 9, 25, 0, 255])),
    randomBytes(chance.pick(lengths)),
  ])
}

/** From a holder of the key, with anything inside. */
function authentic(chance: Random): Buffer {
  const form: Form = {
    algorithm: chance.pick(['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305']),
    keyId: chance.pick(['k1', 'k2']),
    paddedTo: chance.pick([0, 16]),
    chunkBytes: chance.pick([0, 0, 1_024, 2 ** 24]),
  }
  const inside = randomBytes(8 + chance.pick(lengths))
  const told = chance.pick([
    0,
    1,
    inside.length - 8,
    inside.length,
    2 ** 31,
    2 ** 32 - 1,
    chance.below(2 ** 32),
  ])
  if (chance.chance(0.3)) inside.fill(0)
  inside.writeUInt32BE(told, chance.pick([0, inside.length - 4, inside.length - 8]))
  return right.sealInside(inside, place, form)
}

function damaged(chance: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let left = 1 + chance.below(3); left > 0; left--)
    copy[chance.below(Math.min(copy.length, chance.pick([84, 1e9])))] = chance.pick([
      0,
      1,
      16,
      255,
      chance.below(256),
    ])
  return copy.subarray(0, chance.chance(0.5) ? copy.length : chance.below(copy.length))
}

/** The same bytes as a plain array of them, in the middle of others. */
function moved(bytes: Buffer, chance: Random): Uint8Array {
  const offset = chance.below(9)
  const around = new Uint8Array(bytes.length + offset + 5).fill(0xee)
  around.set(bytes, offset)
  return around.subarray(offset, offset + bytes.length)
}
