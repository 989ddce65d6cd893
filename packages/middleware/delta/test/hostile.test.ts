import { writeFileSync } from 'node:fs'
import { StoreError } from '@unikv/core'
import { block } from '@unikv/test-kit'
import { describe, expect, test } from 'vitest'
import { judgeHostile } from './hostile-judge.ts'
import { real, type Subject } from './subject.ts'

const inputs = Number(process.env['UNIKV_INPUTS'] ?? 6_000)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const MiB = 1_048_576

test(`${inputs} hostile deltas give typed errors or what their writer meant, at once and in little memory`, () => {
  judgeHostile(real, seed + 1_000_000, 1_000)
  const before = process.memoryUsage().rss
  const { findings, counts, grownBytes } = judgeHostile(real, seed, inputs)
  expect(findings).toEqual([])
  expect(counts['CORRUPT']).toBeGreaterThan(inputs / 2)
  expect(counts['VALUE_TOO_LARGE']).toBeGreaterThan(inputs / 1000)
  const report = process.env['UNIKV_COUNTS']
  const grownRss = process.memoryUsage().rss - before
  if (report !== undefined) {
    // Alone in its process, as the long form is, all memory counts.
    writeFileSync(report, `${JSON.stringify({ seed, inputs, counts, grownBytes, grownRss })}\n`)
    expect(grownRss).toBeLessThan(64 * MiB)
  }
}, 3_600_000)

/** `patch` with its errors taken elsewhere. */
const without = (
  instead: (error: StoreError, base: Uint8Array, delta: Uint8Array) => Uint8Array,
): Subject => ({
  ...real,
  patch: (base, delta, options) => {
    try {
      return real.patch(base, delta, options)
    } catch (error) {
      return instead(error as StoreError, base, delta)
    }
  },
})

const planted: Readonly<Record<string, Subject>> = {
  'a RangeError for a header that is cut': without((error, _, delta) => {
    throw delta.length < 3 ? new RangeError('out of bounds') : error
  }),
  'a target in spite of its checksum': without((error, base) => {
    if (error.message.includes('checksum')) return base
    throw error
  }),
  'a target in spite of bytes behind the end': without((error, _, delta) => {
    if (error.message.includes('continues after its end')) return Buffer.from(delta)
    throw error
  }),
  'an error with a code of its own': without((error, base) => {
    throw base.length % 7 === 0 ? new StoreError('INVALID_VALUE', 'no base') : error
  }),
  'memory for what a header tells': without((error) => {
    kept.push(Buffer.allocUnsafeSlow(4 * MiB))
    throw error
  }),
  'time for what a header tells': without((error) => {
    if (error.code === 'VALUE_TOO_LARGE') block(110)
    throw error
  }),
  'a prototype that a delta can write to': without((error) => {
    Object.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true })
    throw error
  }),
}

const kept: Buffer[] = []

describe('the judge finds', () => {
  test.each(Object.entries(planted))('%s', (_, subject) => {
    try {
      expect(judgeHostile(subject, seed, 3000).findings.length).toBeGreaterThan(0)
    } finally {
      kept.length = 0
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
  })
})
