/** The core workloads of YCSB. */
export const presets = {
  a: { mix: { read: 0.5, update: 0.5 }, keys: { kind: 'zipfian' } },
  b: { mix: { read: 0.95, update: 0.05 }, keys: { kind: 'zipfian' } },
  c: { mix: { read: 1 }, keys: { kind: 'zipfian' } },
  d: { mix: { read: 0.95, insert: 0.05 }, keys: { kind: 'latest' } },
  e: { mix: { scan: 0.95, insert: 0.05 }, keys: { kind: 'zipfian' } },
  f: { mix: { read: 0.5, 'read-modify-write': 0.5 }, keys: { kind: 'zipfian' } },
} as const

/** The name of a preset. */
export type Preset = keyof typeof presets
