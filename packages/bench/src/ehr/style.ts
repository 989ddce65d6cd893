import { randomUUID } from 'node:crypto'
import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import { type EntityType, entities, entity, plain } from '@unikv/entity'
import { invalidArgument } from '../options/invalid.ts'
import type { Histories } from './fill.ts'
import { age, histories } from './histories.ts'
import { mongodb, type NativeHistories, type NativeTable, redis } from './native/documents.ts'
import { cassandra, mysql, postgres } from './native/sql.ts'
import type { Observation } from './observation.ts'
import type { Patient } from './patient.ts'

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
  /** Observations of a patient that are kept in a list. */
  readonly most: number
}

/** The key that holds the name of the native table, for all callers and threads. */
const tableKey = 'native table'

/** Histories that are ready to be filled. */
export async function preparedHistories(kv: KeyValue<string, Bytes>, how: EhrStyle): Promise<Histories> {
  if (how.style !== 'native') return unprepared(kv, how)
  const name = `unikv_ehr_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const made = nativeHistories(kv, { ...how, name })
  await kv.set(tableKey, Buffer.from(name))
  await made.prepare()
  return made
}

/** Histories that were prepared. */
export async function openedHistories(kv: KeyValue<string, Bytes>, how: EhrStyle): Promise<Histories> {
  return how.style === 'native' ? opened(kv, how) : unprepared(kv, how)
}

/** Remove what does not stand in the namespace of the run. */
export async function removeHistories(kv: KeyValue<string, Bytes>, how: EhrStyle): Promise<void> {
  if (how.style === 'native') await (await opened(kv, how)).remove()
}

function unprepared(kv: KeyValue<string, Bytes>, { style, most }: EhrStyle): Histories {
  return style === 'entities' ? entityHistories(kv, most) : histories(kv, most)
}

async function opened(kv: KeyValue<string, Bytes>, how: EhrStyle): Promise<NativeHistories> {
  const name = await kv.get(tableKey)
  if (name === undefined) throw invalidArgument('The table of ehr() is not there: it was not set up.')
  return nativeHistories(kv, { ...how, name: Buffer.from(name).toString() })
}

/** A patient: a group, with the observations. */
interface KeptPatient {
  readonly patient: string
  readonly resource: Patient
}

const PatientType: EntityType<KeptPatient, 'patient', never, 'patient', never> = entity('Patient', {
  schema: plain<KeptPatient>(),
  id: ['patient'],
})

/** An observation in the group of its patient; `age` falls with its time. */
interface Kept {
  readonly patient: string
  readonly age: string
  readonly observation: Observation
}

const KeptType: EntityType<Kept, 'patient' | 'age', never, 'patient', 'patient'> = entity('Observation', {
  schema: plain<Kept>(),
  id: ['patient', 'age'],
  group: PatientType,
  indexes: ['patient'],
})

/** Entities: a patient and the observations are a group, which keeps the newest of them. */
export function entityHistories(kv: KeyValue<string, Bytes>, most: number): Histories {
  const db = entities(kv, [KeptType, PatientType])
  const add = async (
    patient: string,
    observations: readonly Observation[],
    resource?: Patient,
  ): Promise<void> => {
    await db.run(PatientType.group({ patient }), async (tx) => {
      if (resource !== undefined) await tx.create(PatientType, { patient, resource })
      for (const observation of observations)
        await tx.create(KeptType, { patient, age: age(observation), observation })
      const kept = await tx.byIndex(KeptType, 'patient', patient)
      for (const old of kept.slice(most)) await tx.delete(KeptType, old)
    })
  }
  const recent: Histories['recent'] = async (patient, count) => {
    const found = await db.byIndex(KeptType, 'patient', patient, { limit: count })
    return found.map(({ observation }) => observation)
  }
  return {
    load: async (some) => {
      for (const { patient, observations } of some) await add(patient.id, observations, patient)
    },
    add: (patient, one) => add(patient, [one]),
    recent,
    chart: async (patient, count) => {
      const [found, observations] = await Promise.all([
        db.get(PatientType, { patient }),
        recent(patient, count),
      ])
      return found && { patient: found.resource, observations }
    },
  }
}
