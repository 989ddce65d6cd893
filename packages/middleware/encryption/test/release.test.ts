import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyring, open, seal } from '../src/index.ts'
import { release } from '../src/keys/release.ts'

const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })
const at = { keys, dataset: 'release', key: 'k' }
const megabyte = 1_048_576

test('release gives large bytes back before any garbage collection', () => {
  const bytes = Buffer.alloc(megabyte)
  const before = process.memoryUsage().arrayBuffers
  release(bytes)
  expect(bytes.length).toBe(0)
  expect(process.memoryUsage().arrayBuffers).toBeLessThanOrEqual(before - megabyte)
})

test('release leaves a view of more, and what is small, as it is', () => {
  const whole = new Uint8Array(megabyte).fill(7)
  release(whole.subarray(0, megabyte - 1))
  release(whole.subarray(1))
  expect(whole.every((byte) => byte === 7)).toBe(true)
  const small = new Uint8Array(1024).fill(7)
  release(small)
  expect(small.length).toBe(1024)
})

test('sealing and opening in chunks hold no memory beside the answer', () => {
  const value = randomBytes(8 * megabyte)
  const form = { ...at, chunkAboveBytes: 0 }
  open(seal(value, form), at)
  const before = process.memoryUsage().arrayBuffers
  const envelope = seal(value, form)
  const sealed = process.memoryUsage().arrayBuffers
  const opened = open(envelope, at)
  const grown = [sealed - before, process.memoryUsage().arrayBuffers - sealed]
  for (const bytes of grown) expect(bytes).toBeLessThan(9 * megabyte)
  expect(value.equals(opened)).toBe(true)
})

test('a value of several pieces is sealed whole, and neither it nor the envelope is taken apart', () => {
  const value = randomBytes(3 * megabyte + 5)
  const copy = Buffer.from(value)
  const envelopes = [seal(value, at), seal(value, at)]
  for (const envelope of envelopes) expect(copy.equals(open(envelope, at))).toBe(true)
  expect(value.equals(copy)).toBe(true)
})
