import type { Candidate, Tactic } from '../../tactic.ts'
import { layerIn, type Setting, settingTactic } from './setting.ts'

/** Smaller values are hardly worth it. */
const leastBytes = 1000
/** JSON of usual records shrinks to so much. */
const usualRatio = 0.4
/** Bytes that gzip takes in a millisecond. */
const bytesPerMs = 60_000
/** Bytes that cross a network in a millisecond, in a data centre. */
const networkPerMs = 120_000

const knowledge: Tactic['knowledge'] = {
  effects: [
    { on: 'all', of: 'disk', times: [0.1, 0.9] },
    { on: 'all', of: 'latency', times: [0.5, 1.5] },
  ],
  cost: 'Processor time of the application for each value that is written or read. Records that were there stay as they are until they are written.',
  source: 'docs/proofs/compression.md: ratio and time by size and algorithm',
}

/** Compresses large values on their way to a store that runs full, or waits for its network. */
export const compress: Tactic<string | undefined> = settingTactic({
  name: 'compress',
  knowledge,
  applies: ({ store, work, configuration, kind }) => {
    const bytes = Math.max(work['set']?.bytesPerCall ?? 0, work['read']?.bytesPerCall ?? 0)
    if (bytes < leastBytes || layerIn(configuration, 'compression') !== undefined) return []
    const setting: Setting = {
      layer: 'compression',
      at: 'innermost',
      before: null,
      after: { acceptPlain: true },
    }
    const own: Candidate = {
      change: setting,
      title: `compression of the values of ${store} by gzip`,
      seconds: 2,
      figures: [],
    }
    if (['encryption', 'tier', 'delta'].some((name) => layerIn(configuration, name) !== undefined))
      return [
        {
          ...own,
          refused: 'Layers below it change the bytes already; the owner decides where compression belongs.',
        },
      ]
    const saved = (bytes * (1 - usualRatio)) / networkPerMs
    const spent = bytes / bytesPerMs
    const factor = (name: 'read' | 'set'): number => {
      const mean = work[name]?.meanMs ?? 0
      return mean === 0 ? 1 : Math.max(0.3, (mean - saved + spent) / mean)
    }
    return [
      {
        ...own,
        latency: { read: factor('read'), set: factor('set') },
        resources: {
          storage: usualRatio + 0.2,
          disk: usualRatio + 0.2,
          memory: kind === 'redis' ? usualRatio + 0.2 : 1,
        },
        figures: [
          { name: 'bytes of a value', value: bytes, unit: 'bytes' },
          { name: 'compressed, as JSON usually is', value: usualRatio, unit: 'share' },
        ],
      },
    ]
  },
})
