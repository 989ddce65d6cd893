import type { Bytes, KeyValue } from '@unikv/core'
import { type EntityDb, type EntityType, entities, entity, plain } from '@unikv/entity'
import { age, type Histories, type History } from './histories.ts'
import { listLength } from './newest.ts'
import type { Observation } from './observation.ts'

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
  return new EntityHistories(entities(kv, [KeptType]))
}

class EntityHistories implements Histories {
  readonly #db: EntityDb

  constructor(db: EntityDb) {
    this.#db = db
  }

  async load(some: readonly History[]): Promise<void> {
    for (const [patient, observations] of some) await this.#add(patient, observations)
  }

  add(patient: string, one: Observation): Promise<void> {
    return this.#add(patient, [one])
  }

  async recent(patient: string, count: number): Promise<readonly Observation[]> {
    const found = await this.#db.byIndex(KeptType, 'patient', patient, { limit: count })
    return found.map(({ observation }) => observation)
  }

  async #add(patient: string, observations: readonly Observation[]): Promise<void> {
    if (observations.length === 0) return
    await this.#db.run(KeptType.group({ patient }), async (tx) => {
      for (const observation of observations)
        await tx.create(KeptType, { patient, age: age(observation), observation })
      const kept = await tx.byIndex(KeptType, 'patient', patient)
      for (const old of kept.slice(listLength)) await tx.delete(KeptType, old)
    })
  }
}
