import type { Awaitable, Bytes, KeyValue } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import type { OwnContext } from '../own/define-workload.ts'
import type { Random } from '../random/random.ts'
import type { Charts } from './fill.ts'
import { type Observation, observation } from './observation.ts'
import { type Day, patientOf } from './site/site-operations.ts'

/** Observations that a read asks for. */
const recentCount = 5

/** The newest observation of each patient that is written for certain. */
type Written = Map<string, Observation>

/** The writes of the callers of a run: they have the same records, and the next run has others. */
const writtenBy = new WeakMap<KeyValue<string, Bytes>, Written>()

export function writtenIn(kv: KeyValue<string, Bytes>): Written {
  const written = writtenBy.get(kv) ?? new Map()
  writtenBy.set(kv, written)
  return written
}

/** A caller's own random numbers, and what it knows of the store. */
export interface EhrCaller {
  readonly random: Random
  /** Where a connection finds patients. */
  readonly keptIn: (kv: KeyValue<string, Bytes>) => Awaitable<Charts>
  readonly written: Written
  /** Without a site all patients are there on all days. */
  readonly day: Day | undefined
}

/** The key of a patient, chosen by the law of the workload or among the patients of the day. */
function chosen(context: OwnContext, { day }: EhrCaller): string {
  return day === undefined ? context.keyOf(context.draw()) : patientOf(context, day)
}

/** The five most recent observations. */
export async function recent(context: OwnContext, caller: EhrCaller): Promise<unknown> {
  const kept = await caller.keptIn(context.kv)
  const patient = chosen(context, caller)
  const expected = caller.written.get(patient)
  const found = await kept.recent(patient, recentCount)
  if (expected !== undefined && lacks(found, expected, recentCount)) return context.stale
  return found.length === 0 ? context.miss : found
}

/** The patient and so many observations. */
export async function chart(context: OwnContext, caller: EhrCaller, count: number): Promise<unknown> {
  const kept = await caller.keptIn(context.kv)
  const patient = chosen(context, caller)
  const expected = caller.written.get(patient)
  const found = await kept.chart(patient, count)
  if (expected !== undefined && lacks(found?.observations ?? [], expected, count)) return context.stale
  return found ?? context.miss
}

/** Whether a reader of so many should have seen an observation: newer ones may have taken its place. */
function lacks(
  found: readonly Observation[],
  { id, effectiveDateTime }: Observation,
  count: number,
): boolean {
  if (found.some((one) => one.id === id)) return false
  return found.length < count || found.some((one) => one.effectiveDateTime < effectiveDateTime)
}

/** Add an observation. */
export async function observe(context: OwnContext, caller: EhrCaller): Promise<unknown> {
  const { random, written, day } = caller
  const kept = await caller.keptIn(context.kv)
  const patient = chosen(context, caller)
  const one = observation(random, patient, wallClock())
  if ((await kept.add(patient, one)) === false) return context.miss
  day?.changed.add(patient)
  const last = written.get(patient)
  if (last === undefined || last.effectiveDateTime < one.effectiveDateTime) written.set(patient, one)
  return one
}
