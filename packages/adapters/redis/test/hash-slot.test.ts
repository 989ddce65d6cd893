import { describeWith } from '@unikv/test-kit/vitest'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { hashSlot } from '../src/cluster/hash-slot.ts'

test('the known check value of CRC-16/XMODEM comes out', () => {
  expect(hashSlot('123456789')).toBe(0x31c3)
})

describeWith('redis-cluster', (url) => {
  test('the slot of every key is the one that the server computes', async () => {
    const client = new Redis(url)
    const braces = fc
      .array(fc.constantFrom('{', '}', 'a', 'é', '\u0000', '😀', 'x:'))
      .map((parts) => parts.join(''))
    try {
      const property = fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), braces), async (key) => {
        expect(hashSlot(key)).toBe(await client.cluster('KEYSLOT', key))
      })
      await fc.assert(property, { numRuns: 500 })
    } finally {
      client.disconnect()
    }
  })
})
