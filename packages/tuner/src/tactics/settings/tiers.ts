import type { Tactic } from '../../tactic.ts'
import { layerIn, type Setting, settingTactic } from './setting.ts'

/** A tier does not hear of writes while it is turned off, or of those of a process that does not use it yet. */
const freshForMs = 5000
/** A tier in memory answers in so much of the time of a slower store. */
const tierMs = 0.3
const usualHitRate = 0.8

/** Puts a store in memory, that the owner named for it, before a slower one. */
export function tierIn(memoryStore: string): Tactic<string | undefined> {
  return settingTactic({
    name: `add-tier-in-${memoryStore}`,
    knowledge: {
      effects: [
        { on: 'reads', of: 'latency', times: [0.05, 0.9] },
        { on: 'writes', of: 'latency', times: [1.05, 2] },
      ],
      cost: `Memory of ${memoryStore} for the records that are read; each write also goes there. While not all processes use it, reads may be up to 5 s old.`,
      source: 'PaSTA (Preuveneers and Joosen 2020), Table 4 (in-memory engine); decision 0010',
    },
    applies: ({ store, work, configuration }) => {
      const read = work['read']
      if (read === undefined || store === memoryStore || layerIn(configuration, 'tier') !== undefined)
        return []
      const setting: Setting = {
        layer: 'tier',
        at: 'innermost',
        before: null,
        after: { store: memoryStore, freshForMs },
      }
      const own = {
        change: setting as never,
        title: `a tier in ${memoryStore} in front of ${store}`,
        seconds: 10,
      }
      if (read.meanMs <= tierMs)
        return [
          {
            ...own,
            figures: [],
            refused: `${store} answers as fast as a tier would: in ${read.meanMs.toFixed(2)} ms.`,
          },
        ]
      const share = tierMs / read.meanMs
      const write = (read.meanMs + tierMs) / read.meanMs
      return [
        {
          ...own,
          latency: {
            read: 1 - usualHitRate + usualHitRate * share,
            ...(work['set'] === undefined ? {} : { set: Math.min(2, write) }),
          },
          tail: (name, percentile) =>
            name !== 'read' ? undefined : percentile / 100 < usualHitRate ? share : 0.8,
          figures: [
            { name: 'reads', value: read.callsPerSecond, unit: 'calls/s' },
            { name: 'half of them take at least', value: read.p50Ms, unit: 'ms' },
            { name: `a read of a store in memory takes about`, value: tierMs, unit: 'ms' },
          ],
        },
      ]
    },
  })
}
