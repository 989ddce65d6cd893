import type { Json } from '@unikv/core'
import { layerNameOf } from '@unikv/manager/layers'
import type { Candidate, Tactic } from '../../tactic.ts'
import { cached } from './cache-estimate.ts'
import { layerIn, type Setting, settingTactic } from './setting.ts'

/** A new cache holds so many entries. */
export const firstEntries = 10_000
/** A cache is not made larger than this. */
const mostEntries = 1_000_000
/** Other processes' writes are seen after so long. */
const freshForMs = 5000
/** A cache of fewer hits costs more than it saves. */
export const leastHitRate = 0.1

const source =
  'decision 0005 and docs/proofs: a cached get takes 0.3 µs, where a store on this machine takes 100 µs'

/** Puts a cache of this process before a store that is mostly read. */
export const addCache = settingTactic({
  name: 'add-cache',
  knowledge: {
    effects: [
      { on: 'reads', of: 'latency', times: [0.02, 0.9] },
      { on: 'all', of: 'memory', times: [1, 1.3] },
    ],
    cost: 'Memory of each process for the entries, at most 64 MiB. Reads may be up to 5 s old where other processes write.',
    source,
  },
  applies: (facts) => {
    const read = facts.work['read']
    if (read === undefined || layerIn(facts.configuration, 'cache') !== undefined) return []
    const setting: Setting = {
      layer: 'cache',
      at: 'outermost',
      before: null,
      after: { maxEntries: firstEntries, freshForMs },
    }
    return [
      {
        change: setting,
        ...cached(facts, firstEntries),
        title: `a cache of ${counted(firstEntries)} in front of ${facts.store}`,
      },
    ]
  },
})

/** Makes a cache larger that is full and misses often. */
export const growCache = settingTactic({
  name: 'grow-cache',
  knowledge: {
    effects: [
      { on: 'reads', of: 'latency', times: [0.2, 0.95] },
      { on: 'all', of: 'memory', times: [1, 2] },
    ],
    cost: 'Memory of each process, four times as much as the cache takes now. It begins empty.',
    source,
  },
  applies: (facts) => {
    const options = layerIn(facts.configuration, 'cache')
    if (facts.work['read'] === undefined || options === undefined) return []
    const now = Number(options?.['maxEntries'] ?? firstEntries)
    const next = Math.min(mostEntries, now * 4)
    const after = {
      ...options,
      maxEntries: next,
      ...moreBytes(options?.['maxBytes']),
    }
    const setting = { layer: 'cache', at: 'outermost', before: (options ?? null) as object, after } as Setting
    const title = `a cache of ${counted(next)} in front of ${facts.store}, in place of ${now.toLocaleString('en-US')}`
    const records = facts.server?.statistics.records
    if (options === null)
      return [{ ...nothing(setting, title), refused: 'The program made this cache itself.' }]
    if (now >= mostEntries)
      return [{ ...nothing(setting, title), refused: `It holds ${counted(mostEntries)} already.` }]
    if (records !== undefined && records <= now)
      return [
        { ...nothing(setting, title), refused: `All ${records} records fit into it: it is not its size.` },
      ]
    return [{ change: setting, ...cached(facts, next, now), title }]
  },
})

/** Removes a cache that hardly ever has the answer. */
export const removeCache: Tactic<string | undefined> = settingTactic({
  name: 'remove-cache',
  knowledge: {
    effects: [
      { on: 'all', of: 'memory', times: [0.7, 1] },
      { on: 'reads', of: 'latency', times: [0.95, 1.05] },
    ],
    cost: 'All reads ask the store.',
    source,
  },
  applies: (facts) => {
    const options = layerIn(facts.configuration, 'cache')
    const read = facts.work['read']
    if (read === undefined || options === undefined || options === null) return []
    if (read.hitRate >= leastHitRate) return []
    const at = (facts.configuration.layers ?? []).findIndex((one) => layerNameOf(one) === 'cache')
    const setting = { layer: 'cache', at, before: options, after: null } as unknown as Setting
    return [
      {
        ...nothing(setting, `the removal of the cache in front of ${facts.store}`),
        latency: { read: 1 + read.hitRate },
        resources: { heap: 0.8 },
        figures: [
          { name: 'reads that the cache answers', value: read.hitRate, unit: 'share' },
          { name: 'reads', value: read.callsPerSecond, unit: 'calls/s' },
        ],
        undoes: { tactic: 'add-cache', change: inverse(setting) },
      },
    ]
  },
})

function nothing(setting: Setting, title: string): Candidate {
  return { change: setting, title, seconds: 5, figures: [] }
}

function inverse(setting: Setting): Candidate['change'] {
  return { ...setting, before: setting.after, after: setting.before }
}

function moreBytes(now: Json | undefined): { readonly maxBytes?: number } {
  return typeof now === 'number' ? { maxBytes: now * 4 } : {}
}

function counted(entries: number): string {
  return `${entries.toLocaleString('en-US')} entries`
}
