import type { Json } from '@unikv/core'
import { busyMs } from '../../observe/work.ts'
import type { Candidate, Facts, Tactic } from '../../tactic.ts'
import { type LayerOptions, layerIn, type Setting, settingTactic } from './setting.ts'

/** The slowest reads are so many times slower than half of them: then a second one beside them helps. */
const leastSpread = 8
/** A store that refuses calls has more under way than it can serve. */
const leastErrors = 0.01
/** A server on one machine seldom does more at the same time. */
const usualLimit = 16
const leastLimit = 4

/** Sends a second read beside one that takes long. */
export const hedgeReads: Tactic<string | undefined> = settingTactic({
  name: 'hedge-reads',
  knowledge: {
    effects: [
      { on: 'reads', of: 'latency', times: [0.2, 0.9] },
      { on: 'reads', of: 'throughput', times: [0.95, 1] },
    ],
    cost: 'At most 5 % more reads of the store.',
    source:
      'Dean and Barroso, The Tail at Scale (CACM 2013): 2 % more requests, p99.9 from 1,800 ms to 74 ms.',
  },
  applies: (facts) => {
    const read = facts.work['read']
    const options = layerIn(facts.configuration, 'resilience')
    if (read === undefined || (options?.['hedge'] ?? false) !== false) return []
    if (read.p99Ms < leastSpread * read.p50Ms || read.errorShare > leastErrors) return []
    const spread = Math.max(0.15, (3 * read.p50Ms) / read.p99Ms)
    return [
      {
        ...layered(
          facts,
          options,
          { hedge: { afterMs: 'p95' } },
          `a second read beside slow reads of ${facts.store}`,
        ),
        latency: { read: 1 },
        tail: (name, percentile) => (name === 'read' && percentile > 95 ? spread : undefined),
        figures: [
          { name: 'half of the reads take at most', value: read.p50Ms, unit: 'ms' },
          { name: '99 % of them take at most', value: read.p99Ms, unit: 'ms' },
          { name: 'reads that fail', value: read.errorShare, unit: 'share' },
        ],
      },
    ]
  },
})

/** Bounds the calls under way to a store that has more than it can serve. */
export const limitCalls: Tactic<string | undefined> = settingTactic({
  name: 'limit-calls',
  knowledge: {
    effects: [
      { on: 'all', of: 'errors', times: [0.1, 0.9] },
      { on: 'all', of: 'latency', times: [0.3, 1.2] },
    ],
    cost: 'Calls wait in this process while the store has enough to do; more than 1,024 waiting ones are refused.',
    source:
      'The law of N. Gunther (USL): beyond its best load a store serves less, the more it is asked at once.',
  },
  applies: (facts) => {
    const errors = Math.max(0, ...Object.values(facts.work).map(({ errorShare }) => errorShare))
    const underWay = busyMs(facts.work) / 1000
    const options = layerIn(facts.configuration, 'resilience')
    const now = Number((options?.['concurrency'] as LayerOptions | undefined)?.['limit'] ?? 1024)
    const next = now > usualLimit ? usualLimit : Math.max(leastLimit, Math.floor(now / 2))
    if (errors < leastErrors || underWay < next || next >= now) return []
    const all = Object.keys(facts.work).map((name) => [name, 0.7] as const)
    return [
      {
        ...layered(
          facts,
          options,
          { concurrency: { limit: next } },
          `at most ${next} calls under way to ${facts.store}`,
        ),
        errors: 0.3,
        latency: Object.fromEntries(all),
        figures: [
          { name: 'calls that fail', value: errors, unit: 'share' },
          { name: 'calls under way', value: underWay, unit: 'times' },
        ],
      },
    ]
  },
})

/** Further options of the layer next to the store. */
function layered(
  { configuration }: Facts<undefined>,
  options: LayerOptions | null | undefined,
  more: { readonly [name: string]: Json },
  title: string,
): Candidate {
  const before = (options ?? null) as Json
  const after = { ...options, ...more }
  const setting: Setting = { layer: 'resilience', at: 'innermost', before, after }
  const made = layerIn(configuration, 'resilience') === null
  return {
    change: setting,
    title,
    seconds: 2,
    figures: [],
    ...(made ? { refused: 'The program made the layer resilience itself.' } : {}),
  }
}
