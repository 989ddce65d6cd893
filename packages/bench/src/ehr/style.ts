import { randomUUID } from 'node:crypto'
import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import { type EntityType, entities, entity, plain } from '@unikv/entity'
import { invalidArgument } from '../options/invalid.ts'
import { age, histories, listLength } from './histories.ts'
import { mongodb, type NativeHistories, type NativeTable, redis } from './native/documents.ts'
import { cassandra, mysql, postgres } from './native/sql.ts'
import type { Histories, Observation } from './observation.ts'

type Opener = (native: unknown, table: NativeTable) => NativeHistories

const openers: Readonly<Record<string, Opener>> = { cassandra, mongodb, mysql, postgres, redis }

/**
 * Histories by the statements of the store itself.
 *
 * @throws {StoreError} `UNSUPPORTED` for a store without them
 */
function nativeHistories({ name, native }: KeyValue<string, Bytes>, table: NativeTable): NativeHistories {
  const open = Object.hasOwn(openers, name) ? openers[name] : undefined
  if (open !== undefined) return open(native, table)
  const message = `ehr({ style: 'native' }) has no statements for ${name}; it has some for ${Object.keys(openers).join(', ')}.`
  throw new StoreError('UNSUPPORTED', message)
}

/** How observations are kept. */
export interface EhrStyle {
  readonly style: 'key-value' | 'entities' | 'native'
  /** The keyspace of Cassandra, or the database of MongoDB. */
  readonly database: string
}

/** The key that holds the name of the native table, for all callers and threads. */
const tableKey = 'native table'

/** Histories that are ready to be filled. */
export async function preparedHistories(
  kv: KeyValue<string, Bytes>,
  { style, database }: EhrStyle,
): Promise<Histories> {
  if (style !== 'native') return unprepared(kv, style)
  const name = `unikv_ehr_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const made = nativeHistories(kv, { name, database })
  await kv.set(tableKey, Buffer.from(name))
  await made.prepare()
  return made
}

/** Histories that were prepared. */
export async function openedHistories(kv: KeyValue<string, Bytes>, style: EhrStyle): Promise<Histories> {
  return style.style === 'native' ? opened(kv, style) : unprepared(kv, style.style)
}

/** Remove what does not stand in the namespace of the run. */
export async function removeHistories(kv: KeyValue<string, Bytes>, style: EhrStyle): Promise<void> {
  if (style.style === 'native') await (await opened(kv, style)).remove()
}

function unprepared(kv: KeyValue<string, Bytes>, style: 'key-value' | 'entities'): Histories {
  return style === 'entities' ? entityHistories(kv) : histories(kv)
}

async function opened(kv: KeyValue<string, Bytes>, { database }: EhrStyle): Promise<NativeHistories> {
  const name = await kv.get(tableKey)
  if (name === undefined) throw invalidArgument('The table of ehr() is not there: it was not set up.')
  return nativeHistories(kv, { name: Buffer.from(name).toString(), database })
}

/** An observation in the group of its patient; `age` falls with its time. */
interface Kept {
  readonly patient: string
  readonly age: string
  readonly observation: Observation
}

const KeptType: EntityType<Kept, 'patient' | 'age', never, 'patient', 'patient'> = entity('Observation', {
  schema: plain<Kept>(),
  id: ['patient', 'age'],
  group: ['patient'],
  indexes: ['patient'],
})

/** Entities: the observations of a patient are a group, which keeps the newest of them. */
export function entityHistories(kv: KeyValue<string, Bytes>): Histories {
  const db = entities(kv, [KeptType])
  const add = async (patient: string, observations: readonly Observation[]): Promise<void> => {
    if (observations.length === 0) return
    await db.run(KeptType.group({ patient }), async (tx) => {
      for (const observation of observations)
        await tx.create(KeptType, { patient, age: age(observation), observation })
      const kept = await tx.byIndex(KeptType, 'patient', patient)
      for (const old of kept.slice(listLength)) await tx.delete(KeptType, old)
    })
  }
  return {
    load: async (some) => {
      for (const [patient, observations] of some) await add(patient, observations)
    },
    add: (patient, one) => add(patient, [one]),
    recent: async (patient, count) => {
      const found = await db.byIndex(KeptType, 'patient', patient, { limit: count })
      return found.map(({ observation }) => observation)
    },
  }
}
