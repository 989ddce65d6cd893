import type { Candidate, Tactic } from '../../tactic.ts'
import { type LayerOptions, layerIn, type Setting, settingTactic } from './setting.ts'

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
  source: 'docs/proofs/figures/compression.tsv: ratio and time by size and algorithm',
}

/**
 * Compresses large values on their way to a store that runs full, or waits for its network. Only where the layer is there already, and
 * its `minBytes` keep it from compressing: then each process can read what another one compressed, and so it stays when this is
 * taken back. Without the layer such records would be damaged values.
 */
export const compress: Tactic<string | undefined> = settingTactic({
  name: 'compress',
  knowledge,
  applies: ({ store, work, configuration, kind }) => {
    const bytes = Math.max(work['set']?.bytesPerCall ?? 0, work['read']?.bytesPerCall ?? 0)
    const options = layerIn(configuration, 'compression')
    if (bytes < leastBytes || options === null || isCompressing(options, bytes)) return []
    const { minBytes: _, ...after } = options ?? {}
    const setting: Setting = { layer: 'compression', at: 'innermost', before: options ?? null, after }
    const own: Candidate = {
      change: setting,
      title: `compression of the values of ${store} by gzip`,
      seconds: 2,
      figures: [],
    }
    if (options === undefined)
      return [
        {
          ...own,
          refused: `Each process must be able to read compressed records first. Give ${store} the layer { "compression": { "acceptPlain": true, "minBytes": 1000000000 } }, which compresses nothing yet, and bring that out.`,
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

/** Whether a layer compresses values of this size already. */
function isCompressing(options: LayerOptions | undefined, bytes: number): boolean {
  return options !== undefined && Number(options['minBytes'] ?? 0) <= bytes
}
