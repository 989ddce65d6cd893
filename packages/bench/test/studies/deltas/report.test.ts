import { memory } from '@unikv/core/memory'
import { beforeAll, describe, expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { textReport } from '../../../src/page/text-report.ts'
import type { UseOfDeltas } from '../../../src/studies/deltas/config.ts'
import { deltas } from '../../../src/studies/deltas/deltas.ts'
import type { Recommendation, Verdict } from '../../../src/studies/deltas/recommend.ts'
import { recommendationsOf } from '../../../src/studies/deltas/report/report.ts'
import { benchDeltas, deltasConfig } from './run.ts'

const deltasText = (result: DeltasResult): string => textReport(deltas, result, 140)

import type { DeltaPoint, DeltasResult } from '../../../src/studies/deltas/plan.ts'

let measured: DeltasResult
beforeAll(async () => {
  measured = await benchDeltas({
    config: deltasConfig({ sizes: [2_000], edits: ['append', 'random'], updates: 4, keys: 1, runs: 2 }),
    stores: [{ name: 'here', url: 'memory:', store: memory() }],
    data: synthetic({ seed: 1 }),
  })
})

/** Measured times would make a table too wide for its lines now and then. */
const usual = { plainMs: 2, deltaMs: 1, ratio: { mean: 0.5, low: 0.4, high: 0.625 } }

/** The first measured point alone, with something else recommended. */
function recommending(changes: Partial<Recommendation>, use: Partial<UseOfDeltas> = {}): DeltasResult {
  const [first] = measured.points as [DeltaPoint]
  const recommendation = { ...first.recommendation, ...usual, ...changes }
  return {
    ...measured,
    config: { ...measured.config, use: { ...measured.config.use, ...use } },
    points: [{ ...first, recommendation }],
    rows: measured.rows.filter(
      ({ dimensions }) => dimensions['edit'] === first.edit && dimensions['share'] === first.share,
    ),
  }
}

/** Last line of the first point in the last table. */
function weighedLine(result: DeltasResult): string {
  const lines = deltasText(result).split('\n')
  return lines[lines.findIndex((line) => line.includes('times as long')) + 2] as string
}

/** Points of one edit, with a verdict for each size. */
function points(edit: DeltaPoint['edit'], verdicts: Readonly<Record<number, Verdict>>): DeltaPoint[] {
  const [first] = measured.points as [DeltaPoint]
  return Object.entries(verdicts).map(([size, verdict]) => ({
    ...first,
    edit,
    share: 0.01,
    size: Number(size),
    recommendation: { ...first.recommendation, verdict },
  }))
}

describe('deltasText', () => {
  test('names the verdict, its interval, and where deltas are faster', () => {
    const line = weighedLine(
      recommending({
        verdict: 'use',
        reason: 'faster',
        network: { pays: 'up-to', at: 170.4 },
        reads: { pays: 'from', at: 0.25 },
      }),
    )
    expect(line.replace(/ {2,}/g, '|')).toBe(
      'append|1 %|2 KB|2.00 ms|1.00 ms|0.50 (0.40 to 0.63)|use|below 170 Mbit/s, above 0.25 reads',
    )
  })

  test.each([
    [{ pays: 'always', at: null }, 'at any speed'],
    [{ pays: 'never', at: null }, 'at no speed'],
    [{ pays: 'from', at: 12_345 }, 'above 12,300 Mbit/s'],
  ] as const)('says of the network %o', (network, says) => {
    const line = weighedLine(recommending({ reason: 'slower', network, reads: { pays: 'never', at: null } }))
    expect(line.endsWith(`  ${says}`)).toBe(true)
  })

  test.each([
    ['written-whole', 'do not use: no delta was sent'],
    ['saves-too-little', 'do not use: saves too little'],
    ['one-run', 'no clear difference: one run'],
  ] as const)('says why, if it is not by time: %s', (reason, says) => {
    const verdict = reason === 'one-run' ? 'no-clear-difference' : 'do-not-use'
    expect(weighedLine(recommending({ reason, verdict }))).toContain(` ${says} `)
  })

  test.each([
    [{ reads: 0 }, 'no read'],
    [{ reads: 2.5 }, '2.5 reads by processes that do not know the value'],
    [{ knownReads: 0.8 }, '1 read, 80 % by processes that knew it before'],
    [
      { mbits: 50, roundTripMs: 10 },
      '1 read by processes that do not know the value, over 50 Mbit/s, 10 ms more for a round trip',
    ],
  ])('tells what the recommendation is for: %o', (use, says) => {
    expect(deltasText(recommending({}, use))).toContain(`\nhere: an update and ${says}\n`)
  })
})

describe('recommendationsOf', () => {
  const all = (verdict: Verdict): DeltaPoint[] => points('append', { 2_000: verdict, 10_000: verdict })

  test('is one sentence if it is the same everywhere', () => {
    expect(recommendationsOf('x', all('use'))).toEqual([
      'Recommendation for x: use deltas, at all sizes and edits that were measured.',
    ])
    expect(recommendationsOf('x', all('do-not-use'))).toEqual([
      'Recommendation for x: do not use deltas, at any of the sizes and edits that were measured.',
    ])
    expect(recommendationsOf('x', all('no-clear-difference'))).toEqual([
      'Recommendation for x: no clear difference, at any of the sizes and edits that were measured.',
    ])
  })

  test('puts neighbouring sizes of one verdict together', () => {
    const mixed = points('append', {
      1_000: 'do-not-use',
      2_000: 'no-clear-difference',
      10_000: 'use',
      100_000: 'use',
    })
    expect(recommendationsOf('x', [...mixed, ...points('moves', { 1_000: 'use', 2_000: 'use' })])).toEqual([
      'Recommendation for x: it depends.',
      'x, append, 1 %: do not use at 1 KB; no clear difference at 2 KB; use from 10 KB to 100 KB.',
      'x, moves, 1 %: use at every size.',
    ])
  })
})

test('rows that are missing leave dashes in the tables', () => {
  const measures = [...new Set(measured.rows.map(({ measure }) => measure))]
  expect(measures.length).toBeGreaterThan(4)
  for (const measure of measures) {
    const cut = { ...measured, rows: measured.rows.filter((row) => row.measure !== measure) }
    expect(deltasText(cut), measure).not.toMatch(/NaN|undefined/)
  }
})
