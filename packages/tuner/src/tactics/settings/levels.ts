import type { Tactic } from '../../tactic.ts'
import { layerIn, type Setting, settingTactic } from './setting.ts'

/** A weaker read asks one replica, where a stronger one waits for several or for the primary. */
const usualFactor = 0.7

/**
 * Reads stores at a level that the owner allows by naming it: `readsAt('eventual', ['sessions'])` lets replicas of MongoDB,
 * Cassandra and DynamoDB answer. Writes, updates, and calls that name a level stay as they are.
 */
export function readsAt(level: string, stores: readonly string[]): Tactic<string | undefined> {
  return settingTactic({
    name: `reads-at-${level}`,
    knowledge: {
      effects: [
        { on: 'reads', of: 'latency', times: [0.4, 1] },
        { on: 'reads', of: 'throughput', times: [1, 3] },
      ],
      cost: `A read may give what was there before a write that had ended. The owner allows the level ${level} for ${stores.join(', ')}.`,
      source: 'PaSTA (Preuveneers and Joosen 2020), Table 1 (quorums); docs/reference/stores.md',
    },
    refuses: ({ name, kv }) => {
      const { consistency } = kv.capabilities
      return consistency.includes(level)
        ? undefined
        : `${name} does not offer the level ${level}. It offers: ${consistency.join(', ')}.`
    },
    applies: ({ store, work, configuration }) => {
      const read = work['read']
      const before = configuration.readConsistency ?? null
      if (read === undefined || !stores.includes(store) || before === level) return []
      const setting: Setting = { option: 'readConsistency', before, after: level }
      const cached = ['cache', 'tier'].some((name) => layerIn(configuration, name) !== undefined)
      return [
        {
          change: setting,
          title: `reads of ${store} at the level ${level}`,
          latency: { read: usualFactor },
          seconds: 2,
          figures: [
            { name: 'reads', value: read.callsPerSecond, unit: 'calls/s' },
            { name: 'half of them take at least', value: read.p50Ms, unit: 'ms' },
          ],
          ...(cached ? { refused: 'A cache answers these reads. It answers none that have a level.' } : {}),
        },
      ]
    },
  })
}
