import { compose, isStoreError, type StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { readHeader } from '../../src/envelope/envelope.ts'
import { encryption, kmsKeys } from '../../src/index.ts'
import { decodeWrappedKeys, encodeWrappedKeys } from '../../src/keys/wrapped-keys.ts'
import { changed, codeOf } from '../records.ts'
import { dataset, held, plant } from '../stored.ts'
import { opened } from './opened.ts'

describe('a record with wrapped keys that was tampered with', () => {
  test('is refused with a bit of any byte of its header flipped, and spoils no other', async () => {
    const { kms, store, users } = opened()
    await users.setMany([
      ['ada', 1],
      ['bob', 2],
    ])
    const genuine = Buffer.from(held(store, 'ada'))
    const { bytes } = readHeader(genuine)
    const codes = new Set<string>()
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const copy = changed(genuine, (one) => {
        one.writeUInt8((one[bit >> 3] as number) ^ (1 << (bit & 7)), bit >> 3)
      })
      await plant(store, 'ada', copy)
      const keys = kmsKeys({ providers: kms })
      const stack = compose(store, [encryption({ dataset, keys })])
      const [ada, bob] = await stack.read([{ key: 'ada' }, { key: 'bob' }], callOptions())
      expect(isStoreError(ada), `bit ${bit}`).toBe(true)
      codes.add((ada as StoreError).code)
      expect(bob, `bit ${bit}`).toMatchObject({ value: Buffer.from('2') })
    }
    expect(codes).toEqual(new Set(['AUTHENTICATION_FAILED', 'UNKNOWN_KEY_ID', 'CORRUPT']))
  })
})

describe('the section of wrapped keys', () => {
  const key = { providerId: 'p', info: Buffer.from('i'), blob: Buffer.from('b') }

  test('is read as it was written, with 1 to 8 keys', () => {
    for (const count of [1, 2, 8]) {
      const keys = Array.from({ length: count }, (_, i) => ({
        ...key,
        providerId: `p${i}`,
        blob: Buffer.alloc(i + 1, i),
      }))
      expect(decodeWrappedKeys(encodeWrappedKeys(keys) as Buffer)).toEqual(keys)
    }
    expect(encodeWrappedKeys([{ ...key, blob: Buffer.alloc(4096) }])).toBeUndefined()
    expect(encodeWrappedKeys([{ ...key, blob: Buffer.alloc(4096 - 10) }])).toHaveLength(4096)
  })

  test.each([
    ['no key', '000a00 0170 0001 69 0001 62'],
    ['nine keys', '000b09 0170 0001 69 0001 62'],
    ['two where there is one', '000b02 0170 0001 69 0001 62'],
    ['something behind the last', '000c01 0170 0001 69 0001 62 00'],
    ['an empty blob', '000a01 0170 0001 69 0000'],
    ['an empty provider', '000a01 00 0001 69 0001 62'],
    ['a provider with a blank', '000b01 0120 0001 69 0001 62'],
    ['a provider of 33', `002b01 21${'70'.repeat(33)} 0001 69 0001 62`],
    ['an info past the end', '000b01 0170 ffff 69 0001 62'],
    ['a blob past the end', '000b01 0170 0001 69 0002 62'],
  ])('with %s is corrupt', (_, hex) => {
    expect(codeOf(() => decodeWrappedKeys(Buffer.from(hex.replaceAll(' ', ''), 'hex')))).toBe('CORRUPT')
  })
})
