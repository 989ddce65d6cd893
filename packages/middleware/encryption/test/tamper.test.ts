import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Sealer } from '../src/envelope/sealer.ts'
import { type OpenOptions, open, seal } from '../src/index.ts'
import { changed, codeOf, keys, utf8 } from './records.ts'

const at: OpenOptions = { keys, dataset: 'users', key: 'ada' }
const value = utf8('{"name":"Ada Lovelace","born":1815}')
const envelope = seal(value, at)
const codes = ['AUTHENTICATION_FAILED', 'UNKNOWN_KEY_ID', 'CORRUPT']

function verdict(bytes: Uint8Array, options: OpenOptions = at): string | undefined {
  return codeOf(() => open(bytes, options))
}

describe('an envelope', () => {
  test('gives back what was sealed', () => {
    for (const length of [0, 1, 15, 16, 17, 1000, 100_000]) {
      const bytes = randomBytes(length)
      expect(open(seal(bytes, at), at)).toEqual(bytes)
    }
  })

  test('is 96 bytes longer than its value and its identifiers, and never more than 112', () => {
    expect(envelope.length - value.length).toBe(96 + 'main'.length + 'k1'.length)
    expect(96 + 16).toBeLessThanOrEqual(112)
  })

  test('differs each time', () => {
    expect(seal(value, at)).not.toEqual(envelope)
  })

  test('is refused with any one bit flipped', () => {
    for (let bit = 0; bit < envelope.length * 8; bit++) {
      const flipped = changed(envelope, (copy) =>
        copy.writeUInt8((copy[bit >> 3] as number) ^ (1 << (bit & 7)), bit >> 3),
      )
      expect(codes, `bit ${bit}`).toContain(verdict(flipped))
    }
  })

  test('is refused when cut at any length', () => {
    for (let length = 0; length < envelope.length; length++)
      expect(codes, `${length} bytes`).toContain(verdict(envelope.subarray(0, length)))
  })

  test('is refused under any other key, dataset, kind, codec or context', () => {
    const others: readonly Partial<OpenOptions>[] = [
      { key: 'adb' },
      { key: 'Ada' },
      { key: 'ada ' },
      { key: '' },
      { dataset: 'users2' },
      { dataset: 'Users' },
      { kind: 'cache-entry' },
      { codec: 'json' },
      { context: 'tenant' },
      // each field is its own: moving a boundary is another context
      { dataset: 'usersv', key: 'ada' },
      { dataset: 'user', codec: 's' },
    ]
    for (const other of others) expect(verdict(envelope, { ...at, ...other })).toBe('AUTHENTICATION_FAILED')
  })

  test('is refused for each cause with the same words', () => {
    const causes = [
      () => open(envelope, { ...at, key: 'bob' }),
      () => open(envelope, { ...at, dataset: 'other' }),
      () =>
        open(
          changed(envelope, (copy) => copy.writeUInt8((copy[60] as number) ^ 1, 60)),
          at,
        ),
      () =>
        open(
          changed(envelope, (copy) => copy.subarray(-16).fill(0)),
          at,
        ),
    ]
    const messages = causes.map((cause) => {
      try {
        return cause()
      } catch (error) {
        const { message, cause } = error as Error
        return JSON.stringify([message, cause])
      }
    })
    expect(new Set(messages).size).toBe(1)
  })
})

describe('envelopes of one batch', () => {
  const one = new Sealer({ keys, dataset: 'users' }).batch()
  const [first, second] = [one('ada', value), one('bob', value)] as [Buffer, Buffer]

  test('share salt and commitment, and differ in index', () => {
    expect(first.subarray(18, 82)).toEqual(second.subarray(18, 82))
    expect([first.readUInt32BE(14), second.readUInt32BE(14)]).toEqual([0, 1])
    expect(open(second, { ...at, key: 'bob' })).toEqual(Buffer.from(value))
  })

  test('are not exchangeable, with or without their index', () => {
    expect(verdict(first, { ...at, key: 'bob' })).toBe('AUTHENTICATION_FAILED')
    expect(verdict(changed(first, (copy) => copy.writeUInt32BE(1, 14)))).toBe('AUTHENTICATION_FAILED')
    expect(verdict(changed(second, (copy) => copy.writeUInt32BE(0, 14)))).toBe('AUTHENTICATION_FAILED')
    expect(verdict(Buffer.concat([first.subarray(0, 82), second.subarray(82)]))).toBe('AUTHENTICATION_FAILED')
  })

  test('never repeat a pair of salt and index: when 65,536 share a salt, the next takes a new one', () => {
    const seal = new Sealer({ keys, dataset: 'users' }).batch()
    const made = Array.from({ length: 66_000 }, () => seal('k', new Uint8Array(0)))
    const index = (i: number) => made[i]?.readUInt32BE(14)
    expect([index(0), index(1), index(65_535), index(65_536)]).toEqual([0, 1, 65_535, 0])
    expect(new Set(made.map((one) => one.toString('latin1', 14, 50))).size).toBe(made.length)
  })
})

test('what is not bytes, and a key that is not well-formed, is refused before anything is sealed', () => {
  for (const bad of ['text', 7, null, undefined, {}, [1, 2], new ArrayBuffer(4)]) {
    expect(codeOf(() => seal(bad as never, at))).toBe('INVALID_VALUE')
    expect(codeOf(() => open(bad as never, at))).toBe('INVALID_VALUE')
  }
  for (const key of ['\ud800', 7, undefined] as never[]) {
    expect(codeOf(() => seal(value, { ...at, key }))).toBe('INVALID_KEY')
    expect(codeOf(() => open(envelope, { ...at, key }))).toBe('INVALID_KEY')
  }
  expect(codeOf(() => seal(value, { ...at, algorithm: 'aes-192-gcm' as never }))).toBe('INVALID_CONFIG')
})
