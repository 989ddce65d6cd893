import { layersOf } from '@unikv/core/adapter'
import type { Facts, TunedStore } from '../../tactic.ts'
import { firstEntries, leastHitRate } from './caches.ts'
import { type LayerOptions, layerIn, type Setting, settingTactic } from './setting.ts'

/** How often one policy answers more than another: of all lines of the proof. */
interface Gain {
  /** Mean gain of hit rate; a line where it is worse counts as none, as it would be taken back there. */
  readonly share: number
  /** Lines in which it is better by a point or more. */
  readonly lines: number
}

/** Lines of docs/proofs/figures/policies.tsv: eight traces, each with four sizes of the cache. */
const linesOfProof = 32

/** Gains of each policy in the place of another one, by docs/proofs/figures/policies.tsv. */
export const gains = {
  lru: gainsOf({ 'w-tinylfu': [0.066, 23], 's3-fifo': [0.064, 26], sieve: [0.031, 20], gdsf: [0.03, 22] }),
  sieve: gainsOf({ 's3-fifo': [0.042, 19], 'w-tinylfu': [0.041, 13], gdsf: [0.02, 14], lru: [0.014, 6] }),
  's3-fifo': gainsOf({ gdsf: [0.008, 7], 'w-tinylfu': [0.008, 3], lru: [0.004, 2], sieve: [0, 0] }),
  'w-tinylfu': gainsOf({ gdsf: [0.016, 13], 's3-fifo': [0.014, 13], lru: [0.012, 5], sieve: [0.004, 4] }),
  gdsf: gainsOf({ 'w-tinylfu': [0.043, 15], 's3-fifo': [0.041, 20], sieve: [0.01, 9], lru: [0.004, 5] }),
} as const

type Policy = keyof typeof gains

/** The policy of a cache that names none. */
const usual: Policy = 's3-fifo'

/** Each turn begins with an empty cache. One that takes longer to fill has not evicted anything when it ends. */
const longestFillS = 5

/** Changes which entries a full cache gives up. A larger cache comes first. */
export const cachePolicy = settingTactic({
  name: 'cache-policy',
  knowledge: {
    effects: [
      { on: 'reads', of: 'latency', times: [0.8, 1.2] },
      { on: 'all', of: 'memory', times: [0.95, 1.05] },
    ],
    cost: 'The cache begins empty. No policy is best everywhere, so it is tried in turns, and may answer less than before in some of them.',
    source:
      'docs/proofs/figures/policies.tsv and decision 0009: five policies on eight traces, at four sizes each',
  },
  refuses: whyNotFull,
  applies: (facts) => {
    const options = layerIn(facts.configuration, 'cache')
    const read = facts.work['read']
    if (read === undefined || options === undefined || options === null) return []
    const now = options['policy'] ?? usual
    // Without hits its keys do not repeat, and no policy helps.
    if (!isPolicy(now) || read.hitRate < leastHitRate) return []
    // Only this policy knows costs.
    if ((options['cost'] ?? 'same') !== 'same') return []
    const slow = whyTooSlow(facts, Number(options['maxEntries'] ?? firstEntries))
    return Object.entries(gains[now]).map(([policy, { share, lines }]) => {
      const after = withPolicy(options, policy)
      const setting: Setting = { layer: 'cache', at: 'outermost', before: options, after }
      return {
        change: setting,
        title: `the policy ${policy} for the cache in front of ${facts.store}, in place of ${now}`,
        after: 'grow-cache',
        hitRate: read.hitRate + share * Math.min(1, 2 * (1 - read.hitRate)),
        seconds: 5,
        undoes: { tactic: 'cache-policy', change: { ...setting, before: after, after: options } },
        figures: [
          { name: 'reads that the cache answers now', value: read.hitRate, unit: 'share' },
          { name: `mean gain of ${policy} over ${now} on traces`, value: share, unit: 'share' },
          { name: 'traces and sizes in which it was better', value: lines / linesOfProof, unit: 'share' },
          { name: 'reads', value: read.callsPerSecond, unit: 'calls/s' },
        ],
        ...(slow === undefined ? {} : { refused: slow }),
      }
    })
  },
})

function withPolicy({ policy: _, ...options }: LayerOptions, policy: string): LayerOptions {
  return policy === usual ? options : { ...options, policy }
}

/** A policy decides nothing before the cache is full. */
function whyNotFull({ kv, name }: Pick<TunedStore, 'kv' | 'name'>): string | undefined {
  const layer = layersOf(kv).find((one) => one.layer.name === 'cache')?.layer
  const cache = Object(layer) as { stats?(): { readonly evictions: number } }
  return cache.stats?.().evictions === 0
    ? `The cache in front of ${name} has made no room for another entry yet, so its policy has decided nothing.`
    : undefined
}

function whyTooSlow({ work, processes = 1 }: Facts, entries: number): string | undefined {
  const { callsPerSecond = 0, hitRate = 0 } = work['read'] ?? {}
  const seconds = (entries * processes) / Math.max(1e-9, callsPerSecond * (1 - hitRate))
  return seconds <= longestFillS
    ? undefined
    : `The cache begins empty in each turn, and takes ${Math.ceil(seconds)} s to fill. Turns of ten seconds could not tell its policies apart.`
}

function isPolicy(name: unknown): name is Policy {
  return typeof name === 'string' && Object.hasOwn(gains, name)
}

function gainsOf(of: { readonly [policy: string]: readonly [share: number, lines: number] }): {
  readonly [policy: string]: Gain
} {
  return Object.fromEntries(Object.entries(of).map(([policy, [share, lines]]) => [policy, { share, lines }]))
}
