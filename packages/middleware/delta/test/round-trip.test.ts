import { describe, expect, test } from 'vitest'
import { judgeRoundTrips } from './round-trip-judge.ts'
import { real, type Subject } from './subject.ts'

const pairs = Number(process.env['UNIKV_PAIRS'] ?? 10_000)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)

test(`${pairs} random pairs give back their targets, the same delta each time, and nothing with another base`, () => {
  expect(judgeRoundTrips(real, seed, pairs)).toEqual([])
}, 3_600_000)

/** Bytes with one of them changed. */
function changed(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes)
  if (copy.length > 0) copy[at % copy.length] = (copy[at % copy.length] as number) ^ 1
  return copy
}

let calls = 0
const planted: Readonly<Record<string, Subject>> = {
  'a wrong byte in one target of a thousand': {
    ...real,
    patch: (base, delta, options) => {
      const target = real.patch(base, delta, options)
      return ++calls % 1000 === 0 ? changed(target, calls) : target
    },
  },
  'a target that is short of its last byte when it is long': {
    ...real,
    patch: (base, delta, options) => {
      const target = real.patch(base, delta, options)
      return target.length > 900 ? target.subarray(0, -1) : target
    },
  },
  'a delta that depends on the call before': {
    ...real,
    diff: (base, target, options) =>
      real.diff(base, target, ++calls % 50 === 0 ? { windowSize: 60 } : options),
  },
  'a delta of a base that was changed': {
    ...real,
    diff: (base, target, options) => {
      const delta = real.diff(base, target, options)
      if (base.length > 590) base[0] = (base[0] as number) ^ 1
      return delta
    },
  },
  'a patch that takes no heed of the checksum': {
    ...real,
    patch: (base, delta, options) => {
      try {
        return real.patch(base, delta, options)
      } catch {
        return Buffer.from(base)
      }
    },
  },
  'deltas that are much too long': {
    ...real,
    diff: (base, target, options) => Buffer.concat([real.diff(base, target, options), Buffer.alloc(21)]),
  },
  'an error of another kind for an empty base': {
    ...real,
    diff: (base, target, options) => {
      if (base.length === 0) throw new RangeError('empty')
      return real.diff(base, target, options)
    },
  },
}

describe('the judge finds', () => {
  test.each(Object.entries(planted))('%s', (_, subject) => {
    expect(judgeRoundTrips(subject, seed, 5_000).length).toBeGreaterThan(0)
  })
})
