import type { Properties } from './properties.ts'

/** The letters of the core workloads. */
export const ycsbPresetNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const

/** A core workload of YCSB. */
export type YcsbPresetName = (typeof ycsbPresetNames)[number]

/** Every core workload has these; a preset names what differs. */
const common = {
  recordcount: 1_000,
  operationcount: 1_000,
  readproportion: 0,
  updateproportion: 0,
  insertproportion: 0,
  scanproportion: 0,
  readmodifywriteproportion: 0,
  requestdistribution: 'zipfian',
}

const presets: Readonly<Record<YcsbPresetName, Readonly<Record<string, string | number>>>> = {
  a: { readproportion: 0.5, updateproportion: 0.5 },
  b: { readproportion: 0.95, updateproportion: 0.05 },
  c: { readproportion: 1 },
  d: { readproportion: 0.95, insertproportion: 0.05, requestdistribution: 'latest' },
  e: { scanproportion: 0.95, insertproportion: 0.05, maxscanlength: 100, scanlengthdistribution: 'uniform' },
  f: { readproportion: 0.5, readmodifywriteproportion: 0.5 },
}

/**
 * The properties of a core workload: A updates half of the time, B reads mostly, C only reads, D reads the latest, E scans,
 * F reads, modifies and writes. Each is for 1,000 records and operations; give others.
 */
export function ycsbPreset(name: YcsbPresetName): Properties {
  const source = `preset ${name}`
  const entries = Object.entries({ ...common, ...presets[name] })
  return new Map(entries.map(([property, value]) => [property, { value: String(value), source }]))
}
